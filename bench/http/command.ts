import { spawn } from "node:child_process";

/** Maximum number of characters of a failed program's output that its error contains. */
const shown = 2000;

/**
 * Runs a program until it exits. Returns its standard output. Kills the program if the signal aborts. If the program fails, the error
 * contains the end of its output.
 */
export async function run(
  file: string,
  parameters: readonly string[],
  cwd: string,
  signal: AbortSignal,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const child = spawn(file, parameters, {
    cwd,
    signal,
    env: environment,
    killSignal: "SIGTERM",
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let words = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (words += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  if (code !== 0) {
    const last = (words.trim() || output.trim()).slice(-shown);
    throw new Error(`\`${[file, ...parameters].join(" ")}\` exited with ${String(code)}:\n${last}`);
  }
  return output;
}
