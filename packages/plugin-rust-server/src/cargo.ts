import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";

/** Oldest version of Rust that can compile the generated code. The generated `Cargo.toml` declares it too. */
const OLDEST = [1, 85] as const;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** True if the operating system can send a signal to a group of processes. */
const HAS_GROUPS = process.platform !== "win32";

/**
 * Builds the Rust project in a directory with cargo. cargo's output goes to standard error immediately, because standard output is for the
 * output of `kit build`. A signal that would end this process ends cargo and its compilers first.
 *
 * @throws {Error} if cargo is not installed or fails.
 */
export async function runCargo(root: string, profile: "dev" | "release"): Promise<void> {
  // cargo gets its own process group, so that any signal to kit can be passed on to cargo's compilers too.
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
      // cargo has already exited.
    }
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  let code: unknown;
  try {
    [code] = (await once(cargo, "close")) as [number | null];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Error(
      `cargo is not installed: install Rust ${OLDEST.join(".")} or newer (https://rustup.rs), or build with \`kit build --no-compile\``,
      { cause: error },
    );
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
  if (stopped !== undefined) {
    // Sends the signal to this process again, so that its parent process sees that a signal ended it.
    process.kill(process.pid, stopped);
    throw new Error(`cargo build was stopped by ${stopped}`);
  }
  if (code === 0) return;
  const version = await tooOld(root);
  if (version !== undefined) {
    throw new Error(
      `Rust ${version} is too old: the generated server needs ${OLDEST.join(".")} or newer (\`rustup update\`). The code was generated, but the program was not built`,
    );
  }
  throw new Error(
    "cargo build failed; its output is above. The code was generated, but the program was not built",
  );
}

/**
 * Returns the version of the project's Rust if it is too old for the generated code, otherwise `undefined`. cargo's own message about that
 * differs from version to version.
 */
async function tooOld(root: string): Promise<string | undefined> {
  for (const program of ["rustc", "cargo"]) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- the second program is called only if the first reports no
      // version
      const { stdout } = await promisify(execFile)(program, ["--version"], { cwd: root });
      const [, version, major, minor] = /^\w+ ((\d+)\.(\d+)\S*)/.exec(stdout) ?? [];
      if (Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]))
        return version;
    } catch {
      // The program is not installed or fails, so its version is not the problem.
    }
  }
  return undefined;
}
