/** Body of a contract with `Multipart<T>`: fields and files, checked together. */
import type { CompiledBody, ServerExchange, ValidationFailure } from "@kit/types";

import { limitFailures } from "../codec/explain.ts";
import { memberPath } from "../codec/path.ts";
import type { BodyResult } from "./body-result.ts";
import { readFiles } from "./file-rules.ts";
import type { MediaType } from "./media-type.ts";
import { isBoundary, type MultipartPart, parseMultipart } from "./multipart.ts";
import { mistake, type MultipartMistake } from "./part-head.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads and checks a multipart body. */
export function readMultipart(exchange: ServerExchange, format: CompiledBody, type: MediaType): BodyResult {
  const boundary = boundaryOf(type);
  const parts = typeof boundary === "string" ? parseMultipart(exchange.bodyBytes(), boundary) : boundary;
  return Array.isArray(parts) ? checkParts(format, parts, []) : { failures: [brokenFraming(parts)] };
}

/** Returns the boundary between the parts of a body with this content type. */
export function boundaryOf({ parameters }: MediaType): string | MultipartMistake {
  const boundary = parameters.get("boundary");
  if (isBoundary(boundary)) return boundary;
  const received = boundary === undefined ? "no boundary" : "another boundary";
  return mistake("a content type with a parameter `boundary` of 1 to 70 characters", received);
}

/** Returns the failure for a mistake in the framing of a body. */
export function brokenFraming({ expected, received }: MultipartMistake): ValidationFailure {
  const suggestion = "Send the body as FormData, or let a library write it";
  return { path: "$", expected: `multipart/form-data: ${expected}`, received, rule: "multipart", suggestion };
}

/** Result of {@link checkParts}. */
export type CheckedParts =
  | { readonly value: object; readonly mayBeUnstorable: boolean }
  | { readonly failures: readonly ValidationFailure[] };

/**
 * Checks all fields and files whose content is known, and returns the object for the handler. `failures` are the
 * failures of other parts.
 */
export function checkParts(
  format: CompiledBody,
  parsed: readonly MultipartPart[],
  failures: ValidationFailure[],
): CheckedParts {
  const parts = new Map<string, MultipartPart[]>();
  for (const part of parsed) {
    const others = parts.get(part.name);
    if (others === undefined) parts.set(part.name, [part]);
    else others.push(part);
  }
  const known = (format.files ?? []).filter(({ streamed }) => streamed !== true);
  const files = known.map(
    (file) => [file.name, readFiles(file, parts.get(file.name) ?? [], failures)] as const,
  );
  const fields = readFields(format, parts, failures);
  if (failures.length > 0) return { failures: limitFailures(failures) };
  for (const [name, value] of files) {
    if (value !== undefined) setPart(fields.value, name, value);
  }
  return fields;
}

/** Sets a property. A client cannot choose the name, but the contract may declare `__proto__`. */
export function setPart(parts: object, name: string, value: unknown): void {
  Object.defineProperty(parts, name, { value, enumerable: true, writable: true, configurable: true });
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
