import assert from "node:assert/strict";

import type { NormalizedResponse } from "./lane.ts";
import type { Sent } from "./request.ts";

/** Run of a test. `errors` are the types with an error format of their own, `bodies` the bodies that are not JSON. */
type Run = "Notes" | "types" | "errors" | "bodies";

/** Intended difference between the servers, with its reason. `docs/guide/rust-differences.md` describes the same differences. */
interface Difference {
  readonly name: string;
  /** Tests that have requests which show the difference. */
  readonly of: readonly Run[];
  readonly reason: string;
  /** Returns a response of a server after the difference has been removed from it. */
  readonly without: (said: NormalizedResponse, sent: Sent) => NormalizedResponse;
}

/** Intended differences. The list may only become shorter. */
export const DIFFERENCES: readonly Difference[] = [
  {
    name: "surrogates without a partner",
    of: ["Notes", "types", "errors"],
    reason:
      "If an error contains a string with an unpaired surrogate, the Rust server writes U+0000 instead, because Rust strings are UTF-8.",
    without: inErrors((body) => body.replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, "\\u0000")),
  },
  {
    name: "files in development",
    of: ["Notes", "types", "errors"],
    reason:
      "In development an error names files of the project that it happened in: `sourceFile`, `schemaFile`, `relatedTests`, and in `details.handler` the handler's file below `src/handlers/`, its function (`export`) and the line.",
    without: (said) => {
      if (said.status < 400) return said;
      const body = said.body
        .replaceAll(/"(?:sourceFile|schemaFile)":"[^"]*",/g, "")
        .replaceAll(/"handler":\{"file":"[^"]*","export":"[^"]*","line":\d+\},?/g, "")
        .replaceAll(/"relatedTests":\[[^\]]*\],?/g, "")
        .replaceAll(/,(?=\})/g, "");
      if (body === said.body) return said;
      return { ...said, headers: said.headers.filter((line) => !line.startsWith("content-length:")), body };
    },
  },
  {
    name: "unexpected errors in development",
    of: ["types", "errors"],
    reason:
      "In development, an unexpected error (500) has the message, causes and stack of the server's language.",
    without: (said) => {
      // Only development has the phase, or, in the error format of `echo-errors`, the name of the error.
      if (said.status !== 500 || !/"phase":|"details":\{"name":/.test(said.body)) return said;
      const body = JSON.parse(said.body) as Record<string, unknown>;
      const error = (body["error"] ?? body) as Record<string, unknown>;
      for (const name of ["message", "text", "details", "schema", "failures"]) delete error[name];
      const headers = said.headers.filter((line) => !line.startsWith("content-length:"));
      return { ...said, headers, body: JSON.stringify(body) };
    },
  },
  {
    name: "numbers beyond all",
    of: ["types", "errors"],
    reason:
      "If a type accepts any value, a number outside of the range of a double, such as `1e400`, is `null` for the handler, because `serde_json::Value` cannot represent it. The TypeScript server has `Infinity` there, and fails if that is a part of a response.",
    without: (said, { target, body }) => {
      const isLoose = target.startsWith("/loose") && said.status !== 400 && body !== undefined;
      return isLoose && holdsInfinity(body.toString()) ? { ...said, status: 0, headers: [], body: "" } : said;
    },
  },
  {
    name: "connections after bodies in chunks",
    of: ["bodies"],
    reason:
      "If a body in chunks has not arrived completely before the response, the connection closes after the response. The parts that have arrived at this moment depend on the server.",
    without: (said, { target }) =>
      /^\/(?:imports|videos|archives|avatars)/.test(target)
        ? { ...said, headers: said.headers.filter((line) => line !== "connection: close") }
        : said,
  },
  {
    name: "bodies that end too early",
    of: ["types"],
    reason:
      "If a client closes its sending side before the end of a body, the Rust server responds with 400 if it has begun to read the body. The TypeScript server closes the connection.",
    without: (said, { endsAfter }) => {
      const isCut = endsAfter !== undefined && endsAfter < 1;
      const isRefused = said.status === 400 && said.body.includes("The body ended too early");
      return isCut && (isRefused || said.status === 0) ? { status: 0, headers: [], body: "" } : said;
    },
  },
  {
    name: "name of the project in its OpenAPI document",
    of: ["Notes"],
    reason: "`/openapi.json` has the name and description of its own project.",
    without: (said, { target }) => {
      if (said.status !== 200 || !target.startsWith("/openapi.json")) return said;
      const headers = said.headers.filter((line) => !line.startsWith("content-length:"));
      return {
        ...said,
        headers,
        body: said.body.replace(/"title": ".*",\n    "version": ".*",\n    "description": ".*",/, ""),
      };
    },
  },
];

/** Returns true if JSON contains a number that is too large for a double, such as `1e400`. */
function holdsInfinity(text: string): boolean {
  let found = false;
  try {
    JSON.parse(text, (_, value: unknown) => {
      found ||= value === Infinity || value === -Infinity;
      return value;
    });
  } catch {
    return false;
  }
  return found;
}

function inErrors(change: (body: string) => string): Difference["without"] {
  return (said) => (said.status < 400 ? said : { ...said, body: change(said.body) });
}

/** Fails if a difference is in the list, but no request of the test has shown it. */
export function insistOnNeeded(test: Run, needed: ReadonlySet<string>): void {
  const unneeded = DIFFERENCES.filter(({ name, of }) => of.includes(test) && !needed.has(name));
  assert.deepEqual(
    unneeded.map(({ name }) => name),
    [],
    "they are alike in that now: take it out of support/differences.ts and the guide",
  );
}

/** Removes the intended differences from two responses. Returns the two responses, and the names of the differences that were found. */
export function withoutDifferences(
  sent: Sent,
  said: readonly [NormalizedResponse, NormalizedResponse],
): { readonly said: readonly [NormalizedResponse, NormalizedResponse]; readonly names: readonly string[] } {
  let [one, other] = said;
  const names: string[] = [];
  for (const { name, without } of DIFFERENCES) {
    const [mine, theirs] = [without(one, sent), without(other, sent)];
    if (JSON.stringify([mine, theirs]) !== JSON.stringify([one, other])) names.push(name);
    [one, other] = [mine, theirs];
  }
  return { said: [one, other], names };
}
