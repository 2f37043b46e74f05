/**
 * Reporter of node:test that writes one JSON document after all tests. `kit test` reads the document.
 *
 * @module
 */
import { resolve } from "node:path";

/** Members of node:test's events that this module uses. */
interface TestEvent {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    readonly nesting?: number;
    readonly file?: string;
    readonly line?: number;
    readonly message?: string;
    readonly skip?: string | boolean;
    readonly todo?: string | boolean;
    readonly details?: { readonly type?: string; readonly error?: unknown };
  };
}

/** Maximum number of characters of a file's output that are kept. */
const KEPT = 16_384;

interface Failure {
  readonly name: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly message: string;
}

/** Writes the number of passed, failed and skipped tests, with the failures. Suites and files are not counted as tests. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string, void> {
  let [passed, failed, skipped] = [0, 0, 0];
  const failures: Failure[] = [];
  /** Names of the running suites and the test, the outermost first. Events come in the order of the tests. */
  const names: string[] = [];
  /** End of each file's output. If a file cannot be loaded, only its output contains the reason. */
  const printed = new Map<string, string>();
  for await (const { type, data } of events) {
    const nesting = data.nesting ?? 0;
    if (type === "test:start") {
      names.length = nesting;
      names[nesting] = data.name ?? "";
    }
    if (type === "test:stderr") {
      // This event has the path as it was given to Node, a failure has the full path.
      const file = resolve(data.file ?? "");
      printed.set(file, `${printed.get(file) ?? ""}${data.message ?? ""}`.slice(-KEPT));
    }
    if (type !== "test:pass" && type !== "test:fail") continue;
    const isSuite = data.details?.type === "suite";
    if (isSkipped(data.skip) || isSkipped(data.todo)) {
      if (!isSuite) skipped += 1;
    } else if (type === "test:pass") {
      if (!isSuite) passed += 1;
    } else if (property(data.details?.error, "failureType") !== "subtestsFailed") {
      failed += 1;
      failures.push({
        name: [...names.slice(0, nesting), data.name ?? ""].join(" > "),
        file: data.file,
        line: data.line,
        message: messageOf(data.details?.error, printed.get(resolve(data.file ?? ""))),
      });
    }
  }
  yield JSON.stringify({ passed, failed, skipped, failures });
}

/** Returns true if a test is skipped. `{ skip: "" }` skips as well as `{ skip: true }`. */
function isSkipped(reason: string | boolean | undefined): boolean {
  return reason !== undefined && reason !== false;
}

/** Returns the message of the error that a test threw. node:test wraps the error, and has no error for a file that exited by itself. */
function messageOf(error: unknown, printed: string | undefined): string {
  const cause = property(error, "cause") ?? error;
  const message = property(cause, "message");
  const text = typeof message === "string" ? message : String(cause);
  return (text === "test failed" ? (thrown(printed) ?? text) : text).trim();
}

/** Returns the error that ended a process, without its stack. */
function thrown(printed = ""): string | undefined {
  return /^[\w$]*(?:Error|Exception)\b[^]*?(?=\n {4}at |\n\n|$(?![^]))/m.exec(printed)?.[0];
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (Reflect.get(value, name) as unknown) : undefined;
}
