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
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    length += chunk.length;
    // Leaving the loop cancels the stream.
    if (length > limit) return "too large";
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.length;
  }
  return bytes;
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
