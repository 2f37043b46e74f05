import { CollectedBytes } from "../bodies/collected-bytes.ts";

/** Body of a request: its bytes, or `too large` if the body exceeds the limit. */
export type FetchBody = Uint8Array<ArrayBuffer> | "too large";

const empty = new Uint8Array(0);

/**
 * Reads the body of a request to its end or to the limit. The rest is not read.
 *
 * @throws {TypeError} If the body was read before.
 */
export async function readFetchBody(request: Request, limit: number): Promise<FetchBody> {
  requireUnreadBody(request);
  const { body } = request;
  if (body === null) return empty;
  if (declaresMore(request, limit)) {
    await body.cancel();
    return "too large";
  }
  const collected = new CollectedBytes();
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    // Leaving the loop cancels the stream.
    if (collected.length + chunk.length > limit) return "too large";
    collected.add(chunk);
  }
  // A copy, because the sender may still have a single chunk.
  return new Uint8Array(collected.take());
}

/** Returns true if the declared length of a body exceeds the limit. */
export function declaresMore(request: Request, limit: number): boolean {
  return Number(request.headers.get("content-length")) > limit;
}

/**
 * Checks that the body of a request is not read yet.
 *
 * @throws {TypeError} If the body was read before.
 */
export function requireUnreadBody(request: Request): void {
  if (!request.bodyUsed) return;
  throw new TypeError(
    "app.fetch: the body of the request was already read; pass a request whose body is not read yet, or call `request.clone()` before you read the body",
  );
}
