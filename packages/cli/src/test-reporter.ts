/**
 * Reporter for node:test that writes the results of all tests as one JSON document, which `kit test` reads.
 *
 * @module
 */
import { resolve } from "node:path";

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
  let [passed, failed, skipped] = [0, 0, 0];
  const failures: Failure[] = [];
  /** Tests and suites that did not run, because a hook of the suite around them failed. node:test reports them before that suite. */
  let cancelled: { readonly failure: Failure; readonly isSuite: boolean }[] = [];
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
    if (isSkipped(data.skip) || isSkipped(data.todo)) {
      if (!isSuite) skipped += 1;
      continue;
    }
    if (type === "test:pass" && !isSuite) passed += 1;
    const kind = property(data.details?.error, "failureType");
    if (type === "test:pass" || kind === "subtestsFailed") continue;
    const failure = {
      name: [...names.slice(0, nesting), data.name ?? ""].join(" > "),
      file: data.file,
      line: data.line,
      message: messageOf(data.details?.error, printed.get(resolve(data.file ?? ""))),
    };
    if (kind === "cancelledByParent") {
      cancelled.push({ failure, isSuite });
      continue;
    }
    // Hundreds of tests that did not run would hide the reason.
    const within = cancelled.filter(
      (other) => isSuite && other.failure.name.startsWith(`${failure.name} > `),
    );
    cancelled = cancelled.filter((other) => !within.includes(other));
    const tests = within.filter((other) => !other.isSuite).length;
    const note = tests === 0 ? "" : ` (${tests} ${tests === 1 ? "test" : "tests"} did not run)`;
    failed += 1;
    failures.push({ ...failure, message: `${failure.message}${note}` });
  }
  failed += cancelled.length;
  failures.push(...cancelled.map(({ failure }) => failure));
  yield JSON.stringify({ passed, failed, skipped, failures });
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
  const message = property(cause, "message");
  const text = typeof message === "string" ? message : String(cause);
  return (text === "test failed" ? (thrown(printed) ?? text) : text).trim();
}

/** Returns the error that a process has printed before its end, without the stack. */
function thrown(printed = ""): string | undefined {
  return /^[\w$]*(?:Error|Exception)\b[^]*?(?=\n {4}at |\n\n|$(?![^]))/m.exec(printed)?.[0];
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (Reflect.get(value, name) as unknown) : undefined;
}
