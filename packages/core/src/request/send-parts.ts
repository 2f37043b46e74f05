import type { OpenDescriptor } from "../files/open-descriptor.ts";
import { type BodyPart, FileChunks, lengthOfParts } from "./file-chunks.ts";
import { RawResponse } from "./raw-response.ts";
import type { RequestState } from "./request-state.ts";

/** Maximum number of bytes that are read before the head of the response is sent. A longer body is a stream. */
const wholeBytes = 64 * 1024;

/** Response with parts of a file. */
export interface PartsResponse {
  readonly status: number;
  readonly contentType: string;
  readonly parts: readonly BodyPart[];
}

/** Sends a body. Returns true if the body closes the file. */
export async function sendParts(
  state: RequestState,
  file: OpenDescriptor,
  { status, contentType, parts }: PartsResponse,
): Promise<boolean> {
  const length = lengthOfParts(parts);
  const [only] = parts;
  if (only === undefined) {
    state.respondRaw(status, new RawResponse(new Uint8Array(0), { contentType }));
    return false;
  }
  if (state.method === "GET" && parts.length === 1 && length <= wholeBytes && "first" in only) {
    const body = await file.read(only.first, length);
    // A read that is interrupted returns fewer bytes. The stream below reads the rest, or notices that the file is shorter.
    if (body.length === length) {
      if (!state.isAnswered) state.respondRaw(status, new RawResponse(body, { contentType }));
      return false;
    }
  }
  if (state.isAnswered) return false;
  state.respondRaw(status, new RawResponse(new FileChunks(file, parts), { contentType, length }));
  return true;
}
