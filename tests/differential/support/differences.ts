import type { Said } from "./lane.ts";
import type { Sent } from "./request.ts";

/** Something that the two servers say differently, and why. `docs/guide/rust-server.md` lists the same. */
interface Difference {
  readonly name: string;
  readonly reason: string;
  /** What a server said without it. */
  readonly without: (said: Said, sent: Sent) => Said;
}

/** May only become shorter. */
export const DIFFERENCES: readonly Difference[] = [
  {
    name: "surrogates without a partner",
    reason:
      "An error that shows a text with half a surrogate pair has U+0000 in its place: texts of Rust are UTF-8, which has no form of it.",
    without: inErrors((body) => body.replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, "\\u0000")),
  },
  {
    name: "files in development",
    reason:
      "In development an error of the TypeScript server also names files of its project: `sourceFile`, `schemaFile` and `relatedTests`.",
    without: inErrors((body) =>
      body
        .replaceAll(/"(?:sourceFile|schemaFile)":"[^"]*",/g, "")
        .replaceAll(/"relatedTests":\[[^\]]*\],/g, ""),
    ),
  },
  {
    name: "name of the project in its OpenAPI document",
    reason: "`/openapi.json` has the name and the description of the project that it was made in.",
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

function inErrors(change: (body: string) => string): Difference["without"] {
  return (said) => (said.status < 400 ? said : { ...said, body: change(said.body) });
}

/** What the two said without what must differ, and which of the differences there were. */
export function withoutDifferences(
  sent: Sent,
  said: readonly [Said, Said],
): { readonly said: readonly [Said, Said]; readonly names: readonly string[] } {
  let [one, other] = said;
  const names: string[] = [];
  for (const { name, without } of DIFFERENCES) {
    const [mine, theirs] = [without(one, sent), without(other, sent)];
    if (JSON.stringify([mine, theirs]) !== JSON.stringify([one, other])) names.push(name);
    [one, other] = [mine, theirs];
  }
  return { said: [one, other], names };
}
