import type { Arrived, ResponseFormat } from "./body-format.ts";
import { decode } from "./codec.ts";
import type { Codecs } from "./codecs.ts";
import { ApiError, errorOf } from "./error.ts";
import { readHeaders } from "./header.ts";
import type { RetryOptions } from "./options.ts";
import { discard, received } from "./received.ts";

/** User, query and fragment of an address. These may be secret, and messages are logged. */
const SECRETS = /[?#].*|^([^/\\:?#]*:[/\\]*|[/\\]{2,})(?:[^/\\?#]*@|[^/\\]*@.*)/gs;

/** Call whose response has arrived. */
export interface ArrivedCall {
  readonly method: string;
  readonly route: string;
  readonly codecs: Codecs | undefined;
  /** True if the caller wants the body as a stream. */
  readonly isStream: boolean;
  readonly signal: AbortSignal | undefined;
  readonly retry: RetryOptions | false | undefined;
  /** Sends the request again with further headers. */
  readonly again: Arrived["again"];
}

/** Returns the data of a response. Throws an {@link ApiError} for an error response. */
export async function read(response: Response, call: ArrivedCall): Promise<unknown> {
  const { status, headers, type } = response;
  const { route, codecs } = call;
  if (status >= 400) return await failed(response, route, codecs);
  const replies = codecs?.replies?.[route];
  const reply = replies !== undefined && Object.hasOwn(replies, status) ? replies[status] : undefined;
  const isOpaque = type === "opaqueredirect";
  if (isOpaque || (replies === undefined ? status >= 300 && status !== 304 : reply === undefined)) {
    // If the response of the contract may be anything, the caller gets the redirect itself.
    if (!isOpaque && !call.isStream && replies === undefined && codecs?.raw.includes(route)) return response;
    await discard(response);
    const to = status < 300 ? undefined : headers.get("location")?.replace(SECRETS, "$1");
    const reason = codecs
      ? `The contract of ${route} does not declare`
      : `Without generated code, ${route} cannot return`;
    const problem = isOpaque
      ? `Browsers hide the redirect of ${route} from scripts`
      : `${reason} the status ${status}${to === undefined ? "" : `, a redirect to ${to}`}`;
    throw new ApiError("UNEXPECTED_RESPONSE", status, problem, { headers });
  }
  if (reply === undefined) return await readBody(response, call, codecs?.responses[route]);
  if (call.isStream) return streamOf(response);
  if (reply.body === null) await discard(response);
  return {
    status,
    data: reply.body === null ? undefined : await readBody(response, call, reply.body),
    headers: readHeaders(reply.headers ?? {}, headers),
  };
}

/** Throws the {@link ApiError} of an error response. */
export async function failed(response: Response, route: string, codecs: Codecs | undefined): Promise<never> {
  const details = codecs?.details?.[route];
  throw errorOf(
    response,
    await received(response, response.text()),
    (code, value) =>
      details !== undefined && Object.hasOwn(details, code)
        ? decode(details[code]!, value, codecs!.types)
        : value,
    codecs?.errors,
  );
}

/** Returns the format of a response with this status. `undefined` if the response is JSON. */
export function formatOf(
  codecs: Codecs | undefined,
  route: string,
  status: number,
): ResponseFormat | undefined {
  const replies = codecs?.replies?.[route];
  return replies === undefined ? codecs?.responseFormats?.[route] : replies[status]?.format;
}

function streamOf(response: Response): ReadableStream<Uint8Array> {
  return response.body ?? new ReadableStream({ start: (controller) => controller.close() });
}

async function readBody(
  response: Response,
  call: ArrivedCall,
  codec: Codecs["responses"][string] | undefined,
): Promise<unknown> {
  const { method, route, codecs, retry } = call;
  if (call.isStream) return streamOf(response);
  const format = formatOf(codecs, route, response.status);
  if (method === "HEAD" || (response.status === 204 && format?.format !== "events")) return undefined;
  if (format !== undefined) {
    const { limit = Infinity, maxDelayMs = 10_000, delayMs = 1000 } = retry || {};
    return await codecs!.bodyFormats!.read(format, {
      response,
      route,
      types: codecs!.types,
      again: call.again,
      signal: call.signal,
      reconnect: { limit: retry === false ? 0 : limit, delayMs, maxDelayMs },
    });
  }
  const isJson = /^application\/([\w.-]+\+)?json\b/i.test(response.headers.get("content-type") ?? "");
  // Without codecs, the content type of a route's response is unknown.
  if (!isJson && (codecs === undefined || codecs.raw.includes(route))) return response;
  const text = await received(response, response.text());
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
