// Requests that show the differences of two contracts: at the bounds of all rules of both.

import type { Contract, FileRules, Format } from "./contracts.ts";

/** A request with a description. */
export interface Sample {
  readonly name: string;
  readonly make: (url: string) => Request;
}

const boundary = "b";

/**
 * Returns requests of clients of the old contract with the formats, the numbers and sizes of files, and the sizes of bodies at which two
 * contracts may differ.
 */
export function* requestsOf(before: Contract, after: Contract): Generator<Sample> {
  const contracts = [before, after];
  const limits = new Set(contracts.map(({ limit }) => limit ?? 1024 * 1024));
  for (const format of contracts.flatMap(({ formats }) => formats)) {
    switch (format.kind) {
      case "json":
      case "form":
        yield* titled(format.kind, [...limits]);
        break;
      case "multipart":
        yield* uploads(before, after, [...limits]);
        break;
      default:
        for (const size of [0, 5, ...limits]) yield sample(format.media, "a".repeat(size));
        yield sample(format.media, new Uint8Array([0xff, 0xfe, 0x80]));
        if (format.media.startsWith("text/")) yield sample(`${format.media}; charset=latin1`, "a");
    }
  }
}

function sample(type: string, body: string | Uint8Array<ArrayBuffer>): Sample {
  const size = body.length;
  return {
    name: `${type} with ${size} bytes${size < 400 ? ` ${JSON.stringify(typeof body === "string" ? body : [...body])}` : ""}`,
    make: (url) => new Request(url, { method: "POST", headers: { "content-type": type }, body }),
  };
}

function* titled(kind: "json" | "form", limits: readonly number[]): Generator<Sample> {
  const texts = [undefined, ...[0, 3, 4, 8, 9].map((length) => "a".repeat(length))];
  for (const title of texts) {
    if (kind === "json") yield sample("application/json", JSON.stringify({ title }));
    else yield sample("application/x-www-form-urlencoded", title === undefined ? "" : `title=${title}`);
  }
  for (const limit of limits) {
    const long = kind === "json" ? '{"title":"a"}'.padEnd(limit, " ") : "title=a&pad=".padEnd(limit, "a");
    yield sample(kind === "json" ? "application/json" : "application/x-www-form-urlencoded", long);
  }
}

type Multipart = Extract<Format, { readonly kind: "multipart" }>;

function isMultipart(format: Format): format is Multipart {
  return format.kind === "multipart";
}

/** Returns uploads with the parts that the old contract declares, for the combinations of the rules of both contracts. */
function* uploads(before: Contract, after: Contract, limits: readonly number[]): Generator<Sample> {
  const old = before.formats.find(isMultipart);
  if (old === undefined) return;
  const both = [old, ...after.formats.filter(isMultipart)];
  const names = Object.keys(old.files);
  const rulesOf = (name: string): FileRules[] => both.flatMap(({ files }) => files[name] ?? []);
  const plainOf = (name: string, { files }: Multipart): Part[][] => plain(name, rulesOf(name), files[name]);
  const titles = old.title === undefined ? [undefined] : [undefined, "a"];
  for (const title of titles) {
    // Each part takes each of its forms while the others have a form that both contracts accept, if there is one.
    for (const first of both) {
      for (const name of names) {
        for (const form of formsOf(rulesOf(name))) {
          const others = names.filter((other) => other !== name).map((other) => plainOf(other, first));
          for (const rest of combinations(others)) yield upload(title, [...parts(name, form), ...rest]);
        }
      }
    }
  }
  const own = combinations(names.map((name) => plainOf(name, old)));
  for (const title of old.title === undefined ? [] : ["", "aaaa", "aaaaaaaaa"])
    for (const rest of own) yield upload(title, rest);
  for (const limit of limits) for (const rest of own) yield upload(titles.at(-1), rest, limit);
}

/** Number, size and media type of the files of a part. */
interface Form {
  readonly count: number;
  readonly bytes: number;
  readonly mime: string;
}

function formsOf(rules: readonly FileRules[]): Form[] {
  const sizes = new Set(rules.flatMap(({ bytes }) => (bytes === undefined ? [50] : [bytes, bytes + 1])));
  const types = ["text/csv", "text/plain", "application/x-a", "application/x-b"];
  const allowed = new Set(rules.map(({ mime }) => mimeOf(mime)));
  const forms: Form[] = [{ count: 0, bytes: 0, mime: "" }];
  for (const count of [1, 2, 3, 4]) {
    for (const mime of types) forms.push({ count, bytes: 1, mime });
    for (const bytes of sizes) for (const mime of allowed) forms.push({ count, bytes, mime });
  }
  return forms;
}

/** Returns a media type that a file may have. */
function mimeOf(mime: readonly string[] | undefined): string {
  return (mime?.[0] ?? "text/csv").replace("*", "csv");
}

/** Returns numbers of files of a part that a contract may accept, with a type that its rules allow. */
function plain(name: string, rules: readonly FileRules[], own: FileRules | undefined): Part[][] {
  const mime = mimeOf((own ?? rules[0])?.mime);
  return [0, 1, 2].map((count) => parts(name, { count, bytes: 1, mime }));
}

interface Part {
  readonly name: string;
  readonly bytes: number;
  readonly mime: string;
}

function parts(name: string, { count, bytes, mime }: Form): Part[] {
  return Array.from({ length: count }, () => ({ name, bytes, mime }));
}

function combinations(lists: readonly (readonly Part[][])[]): Part[][] {
  return lists.reduce<Part[][]>(
    (found, list) => found.flatMap((before) => list.map((next) => [...before, ...next])),
    [[]],
  );
}

/** Returns a multipart body. A part that no contract declares fills the body up to `size`. */
function upload(title: string | undefined, files: readonly Part[], size = 0): Sample {
  const field =
    title === undefined
      ? ""
      : `--${boundary}\r\ncontent-disposition: form-data; name="title"\r\n\r\n${title}\r\n`;
  const texts = files.map(file);
  const body = (rest: string): string => `${field}${texts.join("")}${rest}--${boundary}--\r\n`;
  const pad = (bytes: number): string => file({ name: "pad", bytes, mime: "text/csv" });
  const left = size - body(pad(0)).length;
  const described = sample(`multipart/form-data; boundary=${boundary}`, body(left < 0 ? "" : pad(left)));
  const shown = files.map(({ name, bytes, mime }) => `${name}: ${mime} with ${bytes} bytes`).join(", ");
  return {
    ...described,
    name: `an upload of ${Math.max(size, body("").length)} bytes with the title ${String(title)} and ${shown}`,
  };
}

function file({ name, bytes, mime }: Part): string {
  const head = `content-disposition: form-data; name="${name}"; filename="x"\r\ncontent-type: ${mime}`;
  return `--${boundary}\r\n${head}\r\n\r\n${"a".repeat(bytes)}\r\n`;
}
