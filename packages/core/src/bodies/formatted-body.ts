/** Request bodies that are not JSON: forms, multipart bodies, text, bytes and lines. */
import type { CompiledBody, ServerExchange } from "@kit/types";

import type { BodyResult } from "./body-result.ts";
import { isInRanges, isUtf8, type MediaType, parseMediaType } from "./media-type.ts";
import { BodyOfChunks } from "./body-of-chunks.ts";
import { readLines } from "./lines.ts";
import { uploadOf } from "./file-rules.ts";
import { readMultipart } from "./multipart-body.ts";
import { readUploads, type UploadErrors } from "./uploads.ts";

/**
 * Reads and checks a body. `errors` creates the errors for what is found after the call: lines and uploads are checked when
 * the handler reads them. `openChunks` returns the body of a route that reads it in chunks. The result is a promise only if
 * the body has an upload.
 */
export function readFormattedBody(
  exchange: ServerExchange,
  format: CompiledBody,
  openChunks: () => AsyncIterable<Uint8Array>,
  errors: UploadErrors,
): BodyResult | Promise<BodyResult> {
  const isEmpty = exchange.bodyLength === 0;
  if (isEmpty && format.format === "multipart") {
    const suggestion = "Send the body as multipart/form-data";
    return {
      failures: [
        {
          path: "$",
          expected: "multipart/form-data",
          received: "nothing",
          value: null,
          rule: "required",
          suggestion,
        },
      ],
    };
  }
  // Clients send an empty body without a content type.
  const type = isEmpty ? undefined : acceptedType(exchange, format);
  if (typeof type === "string") return { unsupported: type };
  switch (format.format) {
    case "raw":
    case "bytes":
      return { value: isEmpty ? new Uint8Array(0) : exchange.bodyBytes(), mayBeUnstorable: false };
    case "chunks": {
      const name = typeof type === "object" ? type.type : "application/octet-stream";
      return { value: new BodyOfChunks(isEmpty ? noChunks() : openChunks(), name), mayBeUnstorable: false };
    }
    case "multipart":
      return uploadOf(format) === undefined
        ? readMultipart(exchange, format, type!)
        : readUploads(openChunks(), format, type!, errors);
    case "text":
    case "form":
    case "lines":
      break;
    case "json":
    case "oneof":
      throw new TypeError(
        `Bug in kit: the pipeline should have read the body in the format ${format.format}`,
      );
  }
  const validator = format.validator!;
  if (format.format === "lines") {
    return {
      value: readLines(isEmpty ? noChunks() : openChunks(), validator, errors.refuse),
      mayBeUnstorable: false,
    };
  }
  const text = isEmpty ? "" : exchange.bodyText();
  if (text === undefined) {
    const received = "bytes that are not valid UTF-8";
    return {
      failures: [{ path: "$", expected: "text in UTF-8", received, rule: "encoding", limit: "utf-8" }],
    };
  }
  if (format.format === "text") return { value: text, mayBeUnstorable: text.includes("\0") };
  const value = format.form!(text);
  if (!validator.is(value)) return { failures: validator.failures(value) };
  return { value: validator.decode(value), mayBeUnstorable: text.includes("%00") || text.includes("\0") };
}

async function* noChunks(): AsyncGenerator<never, void, undefined> {
  // An empty body has no chunks.
}

/** Media type of a body whose request names none. */
const anyType: MediaType = { type: "application/octet-stream", parameters: new Map() };

/** Returns the media type of a request, or the reason why the format does not accept the request. */
function acceptedType(exchange: ServerExchange, { format, mediaTypes }: CompiledBody): MediaType | string {
  const encoding = exchange.header("content-encoding")?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== "" && encoding !== "identity")
    return "Compressed bodies are not accepted; send the body without compression";
  const header = exchange.header("content-type");
  // A body without a content type is any type (RFC 9110, 8.3).
  if (header === undefined && mediaTypes.includes("*/*")) return anyType;
  const type = parseMediaType(header ?? "");
  if (type !== undefined && isInRanges(type.type, mediaTypes)) {
    const isText = format === "text" || format === "form" || format === "lines";
    return isText && !isUtf8(type) ? `The body has another charset; send ${type.type} in UTF-8` : type;
  }
  const found =
    header === undefined
      ? "The request has no content type"
      : type === undefined
        ? "The request's content type is not a media type"
        : "The request has another content type";
  return `${found}; send ${mediaTypes.join(" or ")}`;
}
