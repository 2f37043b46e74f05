import { ApiError } from "./error.ts";

/** Returns the body of a response. Throws an {@link ApiError} if the connection is lost before the end of the body. */
export async function received<T>({ headers, url }: Response, body: Promise<T>): Promise<T> {
  try {
    return await body;
  } catch (cause) {
    const message = `The connection was lost while the response of ${url} was read`;
    throw new ApiError("NETWORK_ERROR", 0, message, { headers, cause });
  }
}

/** Ends a response whose body nobody reads. A connection that is lost already is no error. */
export async function discard({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => {});
}
