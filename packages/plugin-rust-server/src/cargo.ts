import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Builds the project in a directory. What cargo says goes to standard error as it comes, since standard output is for what `kit build` says.
 *
 * @throws An `Error` where cargo is not there or does not succeed.
 */
export async function runCargo(root: string, profile: "dev" | "release"): Promise<void> {
  const cargo = spawn("cargo", ["build", "--profile", profile], {
    cwd: root,
    stdio: ["ignore", 2, "inherit"],
  });
  let code: unknown;
  try {
    [code] = (await once(cargo, "close")) as [number | null];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Error(
      "cargo is not there: install Rust 1.85 or newer (https://rustup.rs), or build with `kit build --no-compile`",
      {
        cause: error,
      },
    );
  }
  if (code !== 0)
    throw new Error(
      `cargo build failed; what it says is above. The generated code is written, the program is not`,
    );
}
