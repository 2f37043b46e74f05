import { decode, type Codecs } from "./codec.ts";
import { ApiError, errorOf } from "./error.ts";
import { readHeaders } from "./header.ts";

/** Returns the data of a response. Throws an {@link ApiError} for an error response. */
export async function read(
  response: Response,
  method: string,
  route: string,
  codecs: Codecs | undefined,
): Promise<unknown> {
  const { status, headers, type } = response;
  if (status >= 400) {
    const details = codecs?.details?.[route];
    throw await errorOf(
      response,
      (code, value) =>
        details !== undefined && Object.hasOwn(details, code)
          ? decode(details[code]!, value, codecs!.types)
          : value,
      codecs?.errors,
    );
  }
  const replies = codecs?.replies?.[route];
  if (replies === undefined) return await readBody(response, method, route, codecs, codecs?.responses[route]);
  const reply = Object.hasOwn(replies, status) ? replies[status] : undefined;
  if (reply === undefined) {
    const problem =
      type === "opaqueredirect"
        ? `Browsers hide the redirect of ${route} from scripts`
        : `The contract of ${route} does not declare the status ${status}`;
    throw new ApiError("UNEXPECTED_RESPONSE", status, problem, { headers });
  }
  if (reply.body === null) await response.body?.cancel();
  return {
    status,
    data: reply.body === null ? undefined : await readBody(response, method, route, codecs, reply.body),
    headers: readHeaders(reply.headers ?? {}, headers),
  };
}

async function readBody(
  response: Response,
  method: string,
  route: string,
  codecs: Codecs | undefined,
  codec: Codecs["responses"][string] | undefined,
): Promise<unknown> {
  if (method === "HEAD" || response.status === 204) return undefined;
  const isJson = /^application\/([\w.-]+\+)?json\b/i.test(response.headers.get("content-type") ?? "");
  // Without codecs, the content type of a route's response is unknown.
  if (!isJson && (codecs === undefined || codecs.raw.includes(route))) return response;
  const text = await response.text();
  if (text === "" && !isJson) return undefined;
  let value: unknown;
  try {
    if (!isJson) throw new TypeError("the response is not JSON");
    value = JSON.parse(text);
  } catch (cause) {
    const { status, headers } = response;
    throw new ApiError("UNEXPECTED_RESPONSE", status, `The response of ${route} is not JSON`, {
      details: text.slice(0, 1000),
      headers,
      cause,
    });
  }
  return codec === undefined ? value : decode(codec, value, codecs!.types);
}
