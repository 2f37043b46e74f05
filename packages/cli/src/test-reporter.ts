/**
 * A reporter of node:test that writes one JSON document when all tests are done, which `kit test` reads.
 *
 * @module
 */
import { resolve } from "node:path";

/** The part of node:test's events that is used here. */
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

/** How much of what a file prints is looked at. */
const KEPT = 16_384;

interface Failure {
  readonly name: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly message: string;
}

/** Counts tests, not the suites and files around them. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string, void> {
  let [passed, failed, skipped] = [0, 0, 0];
  const failures: Failure[] = [];
  /** Names of what is under way, the outermost first: events come in the order of the tests. */
  const names: string[] = [];
  /** What files printed, the end of it: a file that does not load says why there and nowhere else. */
  const printed = new Map<string, string>();
  for await (const { type, data } of events) {
    const nesting = data.nesting ?? 0;
    if (type === "test:start") {
      names.length = nesting;
      names[nesting] = data.name ?? "";
    }
    if (type === "test:stderr") {
      // Named as it was given to Node here, and by its full path where a test failed.
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

/** `{ skip: "" }` skips as well as `{ skip: true }`. */
function isSkipped(reason: string | boolean | undefined): boolean {
  return reason !== undefined && reason !== false;
}

/** What the test threw: node:test wraps it. Of a file that ended by itself it knows only that. */
function messageOf(error: unknown, printed: string | undefined): string {
  const cause = property(error, "cause") ?? error;
  const message = property(cause, "message");
  const text = typeof message === "string" ? message : String(cause);
  return (text === "test failed" ? (thrown(printed) ?? text) : text).trim();
}

/** The error that ended a process, without its stack. */
function thrown(printed = ""): string | undefined {
  return /^[\w$]*(?:Error|Exception)\b[^]*?(?=\n {4}at |\n\n|$(?![^]))/m.exec(printed)?.[0];
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (Reflect.get(value, name) as unknown) : undefined;
}
