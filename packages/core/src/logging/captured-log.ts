import fs from "node:fs";

/** Descriptor of the file that receives the log. `null` if the log is not captured. `undefined` before the first question. */
let descriptor: number | null | undefined;

/**
 * Returns the descriptor of the file that receives the log in place of standard output, while `kit test` runs the tests. `undefined` if the
 * log is not captured.
 *
 * The variable `KIT_TEST_LOG` names a directory, and its file `runner` has the process ID of the test runner. Only the runner and its own
 * children are captured: a test may start the application as a process, and read the log from its output.
 */
export function capturedLog(): number | undefined {
  if (descriptor === undefined) descriptor = openLog();
  return descriptor ?? undefined;
}

function openLog(): number | null {
  const directory = process.env["KIT_TEST_LOG"];
  if (!directory) return null;
  try {
    const runner = Number(fs.readFileSync(`${directory}/runner`, "utf8"));
    if (runner !== process.pid && runner !== process.ppid) return null;
    const file = fs.openSync(`${directory}/${process.pid}.log`, "a");
    fs.writeSync(file, `${JSON.stringify({ program: process.argv[1] ?? "" })}\n`);
    return file;
  } catch {
    // The directory may be gone. The log then goes to standard output.
    return null;
  }
}
