import type { CustomFetchOptions } from "openid-client";

/** Maximum size of an answer of the provider, in bytes. */
const mostBytes = 1024 * 1024;

/**
 * Fetches a URL of the provider. An answer that is too large is an error.
 *
 * @throws {TypeError} If the provider cannot be reached.
 */
export async function boundedFetch(url: string, options: CustomFetchOptions): Promise<Response> {
  const response = await fetch(url, options as RequestInit);
  if (response.body === null) return response;
  let bytes = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= mostBytes) controller.enqueue(chunk);
      else controller.error(new TypeError(`${url} sent more than ${mostBytes} bytes`));
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(bounded), { status, statusText, headers });
}
