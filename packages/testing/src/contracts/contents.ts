import { missing } from "../values/values-at-paths.ts";
import { jsonOf } from "../values/wire.ts";
import type { TestedFile, TestedFormat } from "./tables.ts";

/** Request body that is not JSON, with its content type. `fetch` sets the type of forms, which are absent here. */
export interface Content {
  readonly body?: FormData | URLSearchParams | Blob;
  readonly type?: string;
}

/** Smallest PNG image: one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=",
  "base64",
);

/** First bytes of files, as characters of Latin-1. kit refuses files of these types with other bytes. */
const STARTS: Readonly<Record<string, string>> = {
  "image/jpeg": "\xff\xd8\xff",
  "image/gif": "GIF89a",
  "image/webp": "RIFF\0\0\0\0WEBP",
  "image/bmp": "BM",
  "image/avif": "\0\0\0\x1cftypavif",
  "application/pdf": "%PDF-1.7",
  "video/webm": "\x1a\x45\xdf\xa3",
};

/**
 * Returns the body of a request. `value` has the fields of a form, the parts of a multipart body, the list of lines, a text
 * or bytes. If it is left out, the body is a short text or short bytes, and files are short too.
 */
export function contentOf(format: TestedFormat, value: unknown): Content {
  const { kind, files = [], json = [] } = format;
  const given = value === missing ? undefined : value;
  switch (kind) {
    case "form":
      return { body: formOf(given) };
    case "multipart":
      return {
        body: multipartOf(inOrder(files, { ...filesOf(files), ...(given as object | undefined) }), json),
      };
    case "lines": {
      const lines = (given ?? []) as readonly unknown[];
      return contentOfBytes(lines.map((line) => `${jsonOf(line)}\n`).join(""), "application/jsonl");
    }
    default: {
      const type = concreteType(format.types);
      const body = given instanceof Uint8Array || typeof given === "string" ? given : bytesOf(type);
      return contentOfBytes(body, type);
    }
  }
}

/** Returns a body with exactly these bytes. */
export function contentOfBytes(bytes: string | Uint8Array, type: string | undefined): Content {
  const body = new Blob([typeof bytes === "string" ? bytes : new Uint8Array(bytes)]);
  return type === undefined ? { body } : { body, type };
}

/** Returns valid files for all parts that a request must have. */
export function filesOf(files: readonly TestedFile[]): Record<string, File | File[]> {
  const needed = files.filter((file) => file.optional === undefined);
  return Object.fromEntries(
    needed.map((file) => {
      const one = fileOf(file);
      const count = Math.max(1, file.minItems ?? 1);
      return [file.name, file.many === true ? Array.from({ length: count }, () => one) : one];
    }),
  );
}

/** Returns a valid file for a part. */
export function fileOf({ types, maxBytes = Infinity }: TestedFile): File {
  const type = concreteType(types ?? ["*/*"]);
  return new File([bytesOf(type).slice(0, maxBytes)], "file", { type });
}

/** Returns a media type that fits the first of the media types or ranges. */
function concreteType([first = "*/*"]: readonly string[]): string {
  if (first === "*/*") return "application/octet-stream";
  return first === "image/*" ? "image/png" : first.replace("*", "x-test");
}

function bytesOf(type: string): Uint8Array<ArrayBuffer> {
  if (type === "image/png") return new Uint8Array(PNG);
  const start = STARTS[type];
  if (start !== undefined) return new Uint8Array(Buffer.from(start, "latin1"));
  return new TextEncoder().encode(/[/+]json$/.test(type) ? "{}" : "text");
}

/** Returns the parts of a body, with the files that the handler streams after all other parts. */
function inOrder(files: readonly TestedFile[], parts: Record<string, unknown>): object {
  const last = files.filter(({ name, streamed }) => streamed === true && name in parts);
  for (const { name } of last) {
    const value = parts[name];
    delete parts[name];
    parts[name] = value;
  }
  return parts;
}

function formOf(fields: unknown): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, item] of itemsOf(fields)) form.append(name, String(item));
  return form;
}

function multipartOf(parts: object, json: readonly string[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts) as [string, unknown][]) {
    if (json.includes(name) && value !== undefined && value !== missing) form.append(name, jsonOf(value));
  }
  for (const [name, item] of itemsOf(parts)) {
    if (json.includes(name)) continue;
    if (item instanceof Blob) form.append(name, item);
    else form.append(name, String(item));
  }
  return form;
}

function itemsOf(fields: unknown): [name: string, item: unknown][] {
  return Object.entries((fields ?? {}) as object).flatMap(([name, value]: [string, unknown]) => {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    const sent = items.filter((item) => item !== undefined && item !== missing);
    return sent.map((item): [string, unknown] => [name, item]);
  });
}
