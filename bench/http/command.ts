import { spawn } from "node:child_process";

/** How much of a failed program's output its error shows. */
const shown = 2000;

/** Runs a program to its end: what it wrote to standard output. It dies with the signal; a failure shows its last words. */
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
    throw new Error(`\`${[file, ...parameters].join(" ")}\` ended with ${String(code)}:\n${last}`);
  }
  return output;
}
