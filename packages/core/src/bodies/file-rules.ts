/** Rules of the files of a multipart body: their number, sizes and types. */
import type { CompiledBody, CompiledFilePart, ValidationFailure } from "@kit/types";

import { count } from "../codec/describe.ts";
import { memberPath } from "../codec/path.ts";
import { contradictingType } from "./file-signatures.ts";
import { isInRanges } from "./media-type.ts";
import type { MultipartPart } from "./multipart.ts";
import type { PartHead } from "./part-head.ts";

/** Media type of a file whose part has no content type (RFC 7578, 4.4, lets clients choose). */
const defaultType = "application/octet-stream";

/** Returns the part that the handler reads while it arrives. `undefined` if the body has no such part. */
export function uploadOf({ files }: CompiledBody): CompiledFilePart | undefined {
  return files?.find(({ streamed }) => streamed === true);
}

/**
 * Returns the file or the files of a part. `undefined` if an optional file is absent, or if a rule is broken. Adds the
 * broken rules to `failures`.
 */
export function readFiles(
  file: CompiledFilePart,
  parts: readonly MultipartPart[],
  failures: ValidationFailure[],
): File | File[] | undefined {
  const sent = parts.filter((part) => !isUnchosen(part, part.bytes.length));
  if (sent.length === 0 && (file.optional || (file.many && (file.minItems ?? 0) === 0))) {
    return file.many && !file.optional ? [] : undefined;
  }
  const wrongNumber = checkNumber(file, sent.length);
  if (wrongNumber !== undefined) {
    failures.push(wrongNumber);
    return undefined;
  }
  const before = failures.length;
  for (const [index, part] of sent.entries()) {
    const path = pathOfFile(file, index);
    const { length } = part.bytes;
    if (part.fileName !== undefined && isTooLarge(file, length))
      failures.push(tooLarge(file, path, `a file of ${count(length, "byte")}`));
    checkFile(file, part, part.bytes, path, failures);
  }
  if (failures.length > before) return undefined;
  const files = sent.map(
    ({ bytes, fileName, mediaType }) =>
      new File([bytes as Uint8Array<ArrayBuffer>], fileName ?? "", { type: mediaType ?? defaultType }),
  );
  return file.many ? files : files[0];
}

/** Returns the media type that a client has declared for a file. */
export function typeOf({ mediaType }: PartHead): string {
  return mediaType ?? defaultType;
}

/** Returns true for the empty file without a name that browsers send if nothing was chosen in `<input type="file">`. */
export function isUnchosen({ fileName }: PartHead, length: number): boolean {
  return fileName === "" && length === 0;
}

/** Returns the path of a file, which has an index in a list of files. */
export function pathOfFile({ name, many }: CompiledFilePart, index: number): string {
  const path = memberPath("$", name);
  return many ? `${path}[${index}]` : path;
}

/** Returns the failure if a body has too few or too many parts with the name of a file part. */
export function checkNumber(file: CompiledFilePart, found: number): ValidationFailure | undefined {
  const path = memberPath("$", file.name);
  if (found === 0 && !file.many) {
    const suggestion = `Send a file in the part ${file.name}`;
    const expected = expectedFile(file);
    return { path, expected, received: "nothing", value: null, rule: "required", suggestion };
  }
  const received = count(found, "file");
  if (!file.many)
    return found === 1 ? undefined : { path, expected: "one file", received, rule: "maxItems", limit: 1 };
  const { minItems = 0, maxItems = Infinity } = file;
  if (found >= minItems && found <= maxItems) return undefined;
  const isFew = found < minItems;
  const limit = isFew ? minItems : maxItems;
  const expected = `${isFew ? "at least" : "at most"} ${count(limit, "file")}`;
  return { path, expected, received, rule: isFew ? "minItems" : "maxItems", limit };
}

/** Returns true if a file has more bytes than the contract allows. */
export function isTooLarge({ maxBytes }: CompiledFilePart, length: number): boolean {
  return maxBytes !== undefined && length > maxBytes;
}

/** Returns the failure for a file with too many bytes. */
export function tooLarge(
  { maxBytes = 0 }: CompiledFilePart,
  path: string,
  received: string,
): ValidationFailure {
  const expected = `a file of at most ${count(maxBytes, "byte")}`;
  return { path, expected, received, rule: "maxBytes", limit: maxBytes };
}

/** Adds a failure if a part is not a file, or if the file has another type. `start` has the first bytes of the file. */
export function checkFile(
  file: CompiledFilePart,
  head: PartHead,
  start: Uint8Array,
  path: string,
  failures: ValidationFailure[],
): void {
  if (head.fileName === undefined) {
    const suggestion = "Send the part with a file name";
    const expected = expectedFile(file);
    failures.push({ path, expected, received: "text", rule: "type", limit: "file", suggestion });
    return;
  }
  if (file.mediaTypes === undefined) return;
  const declared = typeOf(head);
  const isAllowed = isInRanges(declared, file.mediaTypes);
  const found = isAllowed ? contradictingType(declared, start) : undefined;
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
