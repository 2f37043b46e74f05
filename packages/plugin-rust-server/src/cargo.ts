import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";

/** The oldest Rust that compiles what is generated, as its manifest says. */
const OLDEST = [1, 85] as const;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A signal to a group of processes is for those that have groups. */
const HAS_GROUPS = process.platform !== "win32";

/**
 * Builds the project in a directory. What cargo says goes to standard error as it comes, since standard output is for what `kit build` says.
 * A signal that would end this process ends cargo and its compilers first.
 *
 * @throws An `Error` where cargo is not there or does not succeed.
 */
export async function runCargo(root: string, profile: "dev" | "release"): Promise<void> {
  // In a group of its own, so that a signal reaches the compilers below it too, whether it comes from a terminal or was sent to kit alone.
  const cargo = spawn("cargo", ["build", "--profile", profile], {
    cwd: root,
    stdio: ["ignore", 2, "inherit"],
    detached: HAS_GROUPS,
  });
  let stopped: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    stopped ??= signal;
    if (cargo.pid === undefined) return;
    try {
      process.kill(HAS_GROUPS ? -cargo.pid : cargo.pid, signal);
    } catch {
      // It ended by itself meanwhile.
    }
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  let code: unknown;
  try {
    [code] = (await once(cargo, "close")) as [number | null];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Error(
      `cargo is not there: install Rust ${OLDEST.join(".")} or newer (https://rustup.rs), or build with \`kit build --no-compile\``,
      { cause: error },
    );
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
  if (stopped !== undefined) {
    // As if nobody had listened: whoever waits for this process hears what ended it.
    process.kill(process.pid, stopped);
    throw new Error(`cargo build was stopped by ${stopped}`);
  }
  if (code === 0) return;
  const version = await tooOld(root);
  if (version !== undefined) {
    throw new Error(
      `Rust ${version} is too old: the generated server needs ${OLDEST.join(".")} or newer (\`rustup update\`). The generated code is written, the program is not`,
    );
  }
  throw new Error(
    "cargo build failed; what it says is above. The generated code is written, the program is not",
  );
}

/** The version of the project's Rust, where that is older than the generated code. What cargo says of it depends on how old it is. */
async function tooOld(root: string): Promise<string | undefined> {
  for (const program of ["rustc", "cargo"]) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- the second is asked only where the first says nothing
      const { stdout } = await promisify(execFile)(program, ["--version"], { cwd: root });
      const [, version, major, minor] = /^\w+ ((\d+)\.(\d+)\S*)/.exec(stdout) ?? [];
      if (Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]))
        return version;
    } catch {
      // Then it cannot be what is wrong.
    }
  }
  return undefined;
}
