import type { Exchange } from "./answer.ts";
import { bodyOf, type Case } from "./case.ts";

/** Returns the request of a case. `undefined` if the Fetch standard cannot express the request. */
export function requestOf({ request }: Pick<Case, "request">): Request | undefined {
  const { method = "GET", target = "/", headers = {}, raw } = request;
  const url = `http://localhost${target}`;
  if (raw !== undefined || !target.startsWith("/") || !URL.canParse(url)) return undefined;
  const { pathname, search } = new URL(url);
  // `Request` resolves dot segments and escapes characters that a client could send over HTTP.
  if (pathname + search !== target) return undefined;
  const body = bodyOf(request);
  const withoutBody = body.length === 0 || method === "GET" || method === "HEAD";
  if (withoutBody && body.length > 0) return undefined;
  try {
    const sent = new Request(url, { method, headers, ...(!withoutBody && { body }) });
    // `Request` changes the case of some methods, and adds a content type to strings.
    return sent.method === method && Object.keys(headers).every((name) => sent.headers.has(name))
      ? sent
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a response as the bytes that HTTP/1.1 would send. */
export async function bytesOf(response: Response): Promise<Exchange> {
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${response.status} \r\n${lines.join("")}\r\n`;
  let closed = false;
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) chunks.push(chunk);
  } catch {
    closed = true;
  }
  return { bytes: Buffer.concat([Buffer.from(head, "latin1"), ...chunks]), closed };
}
