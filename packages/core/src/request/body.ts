import type { AppError } from "@kit/errors";
import type { ServerExchange, ValidationFailure, Validator } from "@kit/types";

import { isJsonType } from "../bodies/media-type.ts";
import { findJsonError, lineAndColumn } from "./json-syntax.ts";
import { invalidSlot, unsupportedMediaType } from "./refusals.ts";

/**
 * Returns a JSON body as a string. If the body cannot be read, throws a validation error with the path `$`, which is
 * the body itself.
 */
export function readJsonText(exchange: ServerExchange, validator: Validator<unknown>): string {
  if (exchange.bodyLength === 0) {
    throw bodyError(validator, {
      expected: "JSON",
      received: "nothing",
      value: null,
      rule: "required",
      suggestion: "Send a JSON body with the header `content-type: application/json`",
    });
  }
  const contentType = exchange.header("content-type");
  if (contentType !== "application/json" && !isJson(contentType)) throw unsupportedType(contentType);
  const text = exchange.bodyText();
  if (text === undefined) {
    refuseContentEncoding(exchange);
    throw bodyError(validator, {
      expected: "JSON in UTF-8",
      received: "bytes that are not valid UTF-8",
      rule: "encoding",
      limit: "utf-8",
      suggestion: "Encode the body as UTF-8",
    });
  }
  return text;
}

/** Parses the string of a JSON body. */
export function parseJsonText(
  exchange: ServerExchange,
  validator: Validator<unknown>,
  text: string,
): unknown {
  try {
    return JSON.parse(text);
  } catch {
    refuseContentEncoding(exchange);
    const { offset, expected } = findJsonError(text);
    const { line, column } = lineAndColumn(text, offset);
    const place = `position ${offset} (line ${line}, column ${column})`;
    throw bodyError(validator, {
      expected: `JSON: ${expected} at ${place}`,
      received: "text that is not JSON",
      rule: "json",
      suggestion: `Fix the JSON at ${place}`,
    });
  }
}

/** Returns true for `application/json` and `application/<name>+json`. A charset must be UTF-8. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const [type, ...parameters] = contentType.split(";");
  if (!isJsonType(type!.trim().toLowerCase())) return false;
  return parameters.every((parameter) => {
    const [name, value] = parameter.split("=", 2);
    if (name!.trim().toLowerCase() !== "charset") return true;
    return /^(?:utf-?8|"utf-?8")$/i.test((value ?? "").trim());
  });
}

function unsupportedType(contentType: string | undefined): AppError {
  const found =
    contentType === undefined ? "The request has no content type" : "The request's content type is not JSON";
  return unsupportedMediaType(`${found}; send application/json in UTF-8`);
}

/**
 * Refuses a compressed body. Called only after the body turned out not to be JSON, because reading a header is too
 * expensive for a valid request.
 */
function refuseContentEncoding(exchange: ServerExchange): void {
  const encoding = exchange.header("content-encoding")?.trim().toLowerCase();
  if (encoding === undefined || encoding === "" || encoding === "identity") return;
  throw unsupportedMediaType("Compressed bodies are not accepted; send the body without compression");
}

function bodyError(validator: Validator<unknown>, failure: Omit<ValidationFailure, "path">): AppError {
  return invalidSlot("body", validator, [{ path: "$", ...failure }]);
}
