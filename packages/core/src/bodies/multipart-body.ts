/** Body of a contract with `Multipart<T>`: fields and files, checked together. */
import type { CompiledBody, CompiledFilePart, ServerExchange, ValidationFailure } from "@kit/types";

import { count } from "../codec/describe.ts";
import { memberPath } from "../codec/path.ts";
import { contradictingType } from "./file-signatures.ts";
import { isInRanges, type MediaType } from "./media-type.ts";
import { isBoundary, type MultipartPart, parseMultipart } from "./multipart.ts";
import type { BodyResult } from "./body-result.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads and checks a multipart body. */
export function readMultipart(exchange: ServerExchange, format: CompiledBody, type: MediaType): BodyResult {
  const boundary = type.parameters.get("boundary");
  if (!isBoundary(boundary)) {
    const received = boundary === undefined ? "no boundary" : "another boundary";
    return framing("a content type with a parameter `boundary` of 1 to 70 characters", received);
  }
  const parsed = parseMultipart(exchange.bodyBytes(), boundary);
  if ("expected" in parsed) return framing(parsed.expected, parsed.received);
  const parts = new Map<string, MultipartPart[]>();
  for (const part of parsed) {
    const others = parts.get(part.name);
    if (others === undefined) parts.set(part.name, [part]);
    else others.push(part);
  }
  const failures: ValidationFailure[] = [];
  const files = (format.files ?? []).map(
    (file) => [file.name, readFiles(file, parts.get(file.name) ?? [], failures)] as const,
  );
  const fields = readFields(format, parts, failures);
  if (failures.length > 0) return { failures };
  for (const [name, value] of files) {
    // A client cannot choose the name, but the contract may declare `__proto__`.
    if (value !== undefined)
      Object.defineProperty(fields.value, name, {
        value,
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return fields;
}

function framing(expected: string, received: string): BodyResult {
  const suggestion = "Send the body as FormData, or let a library write it";
  return {
    failures: [
      { path: "$", expected: `multipart/form-data: ${expected}`, received, rule: "multipart", suggestion },
    ],
  };
}

interface Fields {
  readonly value: object;
  readonly mayBeUnstorable: boolean;
}

/** Reads and checks the parts that are no files. */
function readFields(
  { multipart, validator }: CompiledBody,
  parts: ReadonlyMap<string, readonly MultipartPart[]>,
  failures: ValidationFailure[],
): Fields {
  if (multipart === undefined || validator === undefined) return { value: {}, mayBeUnstorable: false };
  let mayBeUnstorable = false;
  let isReadable = true;
  const read = (name: string): string | string[] | undefined => {
    const texts: string[] = [];
    for (const { fileName, bytes } of parts.get(name) ?? []) {
      const path = memberPath("$", name);
      // Browsers send JSON as a Blob, which has the file name `blob`, so a file name is allowed.
      let text: string | undefined;
      try {
        text = utf8.decode(bytes);
      } catch {
        const received = fileName === undefined ? "bytes that are not valid UTF-8" : "a file";
        failures.push({ path, expected: "text in UTF-8", received, rule: "encoding", limit: "utf-8" });
        isReadable = false;
        continue;
      }
      mayBeUnstorable ||= text.includes("\0") || text.includes("\\u");
      texts.push(text);
    }
    return texts.length > 1 ? texts : texts[0];
  };
  const value = multipart(read);
  if (!isReadable) return { value: {}, mayBeUnstorable };
  if (validator.is(value)) return { value: validator.decode(value) as object, mayBeUnstorable };
  failures.push(...validator.failures(value));
  return { value: {}, mayBeUnstorable };
}

/** Returns the file or the files of a part. `undefined` if an optional file is absent. Adds the broken rules to `failures`. */
function readFiles(
  file: CompiledFilePart,
  parts: readonly MultipartPart[],
  failures: ValidationFailure[],
): File | File[] | undefined {
  const path = memberPath("$", file.name);
  // Browsers send an empty file without a name if nothing was chosen in `<input type="file">`.
  const sent = parts.filter((part) => part.fileName !== "" || part.bytes.length > 0);
  if (sent.length === 0 && (file.optional || (file.many && (file.minItems ?? 0) === 0))) {
    return file.many && !file.optional ? [] : undefined;
  }
  if (sent.length === 0 && !file.many) {
    const suggestion = `Send a file in the part ${file.name}`;
    failures.push({
      path,
      expected: expectedFile(file),
      received: "nothing",
      value: null,
      rule: "required",
      suggestion,
    });
    return undefined;
  }
  if (!file.many && sent.length > 1) {
    failures.push({
      path,
      expected: "one file",
      received: count(sent.length, "file"),
      rule: "maxItems",
      limit: 1,
    });
    return undefined;
  }
  const { minItems = 0, maxItems = Infinity } = file;
  if (sent.length < minItems || sent.length > maxItems) {
    const isFew = sent.length < minItems;
    const limit = isFew ? minItems : maxItems;
    const expected = `${isFew ? "at least" : "at most"} ${count(limit, "file")}`;
    const rule = isFew ? "minItems" : "maxItems";
    failures.push({ path, expected, received: count(sent.length, "file"), rule, limit });
    return undefined;
  }
  const before = failures.length;
  for (const [index, part] of sent.entries())
    checkFile(file, part, file.many ? `${path}[${index}]` : path, failures);
  if (failures.length > before) return undefined;
  const files = sent.map(
    ({ bytes, fileName, mediaType }) =>
      new File([bytes as Uint8Array<ArrayBuffer>], fileName ?? "", {
        type: mediaType ?? "application/octet-stream",
      }),
  );
  return file.many ? files : files[0];
}

function checkFile(
  file: CompiledFilePart,
  { fileName, mediaType, bytes }: MultipartPart,
  path: string,
  failures: ValidationFailure[],
): void {
  if (fileName === undefined) {
    const suggestion = "Send the part with a file name";
    failures.push({
      path,
      expected: expectedFile(file),
      received: "text",
      rule: "type",
      limit: "file",
      suggestion,
    });
    return;
  }
  if (file.maxBytes !== undefined && bytes.length > file.maxBytes) {
    const expected = `a file of at most ${count(file.maxBytes, "byte")}`;
    const received = `a file of ${count(bytes.length, "byte")}`;
    failures.push({ path, expected, received, rule: "maxBytes", limit: file.maxBytes });
  }
  if (file.mediaTypes === undefined) return;
  const declared = mediaType ?? "application/octet-stream";
  const isAllowed = isInRanges(declared, file.mediaTypes);
  const found = isAllowed ? contradictingType(declared, bytes) : undefined;
  if (isAllowed && found === undefined) return;
  const received = isAllowed
    ? `a file of the type ${declared} with the bytes of ${found}`
    : `a file of the type ${declared}`;
  const limit = file.mediaTypes;
  failures.push({ path, expected: `a file of the type ${limit.join(", ")}`, received, rule: "mime", limit });
}

function expectedFile({ mediaTypes, maxBytes }: CompiledFilePart): string {
  const type = mediaTypes === undefined ? "" : ` of the type ${mediaTypes.join(", ")}`;
  return `a file${type}${maxBytes === undefined ? "" : `, at most ${count(maxBytes, "byte")}`}`;
}
