/**
 * Reporter for node:test that writes the results of all tests as one JSON document, which `kit test` reads.
 *
 * @module
 */
import { resolve } from "node:path";

import { syntaxPlace } from "./source-imports/syntax-place.ts";
import { unsupportedSyntax, withPlace } from "./source-imports/unsupported-syntax.ts";

/** Properties of node:test's events that this module uses. */
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

/** Maximum length of the stored output of one test file, in characters. */
const KEPT = 16_384;

interface Failure {
  readonly name: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly message: string;
}

/** Writes the number of passed, failed and skipped tests, and the failures. Suites and files do not count as tests. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string, void> {
  let [passed, skipped] = [0, 0];
  const failures: Failure[] = [];
  /**
   * Tests and suites that did not run or did not finish, because the suite or test around them ended, for example by a hook that failed.
   * node:test reports them before the suite or test around them.
   */
  let cancelled: { readonly failure: Failure; readonly isSuite: boolean; readonly nesting: number }[] = [];
  /** Names of the running suites and of the running test, the outermost first. node:test sends the events in the order of the tests. */
  const names: string[] = [];
  /**
   * Last part of the output of each test file. The last part contains the reason if a file cannot be loaded, which the events
   * do not contain.
   */
  const printed = new Map<string, string>();
  for await (const { type, data } of events) {
    const nesting = data.nesting ?? 0;
    if (type === "test:start") {
      names.length = nesting;
      names[nesting] = data.name ?? "";
    }
    if (type === "test:stderr") {
      // This event has the path that Node was started with. The event of a failure has the full path.
      const file = resolve(data.file ?? "");
      printed.set(file, `${printed.get(file) ?? ""}${data.message ?? ""}`.slice(-KEPT));
    }
    if (type !== "test:pass" && type !== "test:fail") continue;
    const isSuite = data.details?.type === "suite";
    const kind = property(data.details?.error, "failureType");
    const isCancelled = type === "test:fail" && kind === "cancelledByParent";
    const within = isCancelled ? [] : cancelled.filter((other) => other.nesting > nesting);
    if (within.length > 0) cancelled = cancelled.filter((other) => other.nesting <= nesting);
    // Hundreds of tests that did not run would hide the reason.
    const isLeftOut = isSkipped(data.skip) || isSkipped(data.todo);
    const isReason = type === "test:fail" && isSuite && kind !== "subtestsFailed" && !isLeftOut;
    if (!isReason) failures.push(...within.map(({ failure }) => failure));
    if (isLeftOut) {
      if (!isSuite) skipped += 1;
      continue;
    }
    if (type === "test:pass" && !isSuite) passed += 1;
    if (type === "test:pass" || kind === "subtestsFailed") continue;
    const failure = {
      name: [...names.slice(0, nesting), data.name ?? ""].join(" > "),
      file: data.file,
      line: data.line,
      message: messageOf(data.details?.error, printed.get(resolve(data.file ?? ""))),
    };
    if (isCancelled) {
      cancelled.push({ failure, isSuite, nesting });
      continue;
    }
    const tests = isReason ? within.filter((other) => !other.isSuite).length : 0;
    const note = tests === 0 ? "" : ` (${tests} ${tests === 1 ? "test" : "tests"} did not finish)`;
    failures.push({ ...failure, message: `${failure.message}${note}` });
  }
  failures.push(...cancelled.map(({ failure }) => failure));
  yield JSON.stringify({ passed, failed: failures.length, skipped, failures });
}

/**
 * Returns true if a test is skipped. The reason may be missing: `{ skip: "" }` and `{ skip: true }` mean the
 * same.
 */
function isSkipped(reason: string | boolean | undefined): boolean {
  return reason !== undefined && reason !== false;
}

/**
 * Returns the message of the error that a test has thrown, which is the cause of node:test's own error. If
 * the process of a test file has exited early, returns a message from its output.
 */
function messageOf(error: unknown, printed: string | undefined): string {
  const cause = property(error, "cause") ?? error;
  const unsupported = unsupportedSyntax(cause);
  if (unsupported !== undefined) return unsupported;
  const message = property(cause, "message");
  const text = typeof message === "string" ? message : String(cause);
  return (text === "test failed" ? (thrown(printed) ?? text) : text).trim();
}

/** Returns the error that a process has printed before its end, without the stack. A syntax error gets its location. */
function thrown(printed = ""): string | undefined {
  const found = /^[\w$]*(?:Error|Exception)\b[^]*?(?=\n {4}at |\n\n|$(?![^]))/m.exec(printed);
  if (found === null) return undefined;
  const [text] = found;
  if (!text.startsWith("SyntaxError")) return text;
  // Node prints the location in a line of its own, above the code and the error.
  const lines = printed.slice(0, found.index).split("\n");
  const start = lines.findLastIndex((line) => syntaxPlace(line) !== undefined);
  return withPlace(text, syntaxPlace(lines.slice(Math.max(start, 0)).join("\n")));
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (Reflect.get(value, name) as unknown) : undefined;
}
