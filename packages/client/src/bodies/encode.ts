import { encode as jsonOf } from "../codec.ts";
import { textOf } from "../request.ts";
import type { EncodedBody, RequestFormat } from "../body-format.ts";

/**
 * Returns the body of a request in the form in which `fetch` sends it. `contentType` is the media type that the caller
 * chose. Throws a `TypeError` if the contract allows several media types and the caller chose none.
 */
export async function encode(
  format: RequestFormat,
  body: unknown,
  contentType: string | undefined,
): Promise<EncodedBody> {
  switch (format.format) {
    case "oneof":
      return await encodeChosen(format, body as TypedBody);
    case "json":
      return { body: jsonOf(body), contentType: "application/json" };
    case "form":
      return { body: body instanceof URLSearchParams ? body : formOf(body), contentType: undefined };
    case "multipart":
      // `fetch` adds the content type, because the type contains the boundary that `fetch` makes up.
      return {
        body: body instanceof FormData ? body : multipartOf(body, format),
        contentType: undefined,
      };
    case "lines":
      return { body: await linesOf(body), contentType: "application/jsonl" };
    case "text":
      return { body: String(body), contentType: `${typeOf(format, body, contentType)}; charset=utf-8` };
    default:
      return {
        body: body as NonNullable<RequestInit["body"]>,
        contentType: typeOf(format, body, contentType),
      };
  }
}

/** Body of a union of formats. */
interface TypedBody {
  readonly type: string;
  readonly value: unknown;
}

async function encodeChosen(
  { types, choices = [] }: RequestFormat,
  { type, value }: TypedBody,
): Promise<EncodedBody> {
  const isIn = (range: string): boolean =>
    range === type || (range.endsWith("/*") && type.startsWith(range.slice(0, -1)));
  const choice = choices.find((one) => one.types.some(isIn));
  if (choice === undefined)
    throw new TypeError(`the body needs the property \`type\`: one of the media types ${types.join(", ")}`);
  return await encode(choice, value, type);
}

function typeOf({ types }: RequestFormat, body: unknown, given: string | undefined): string {
  const own = body instanceof Blob && body.type !== "" ? body.type : undefined;
  const [first = "", ...others] = types;
  const only = others.length === 0 && !first.includes("*") ? first : undefined;
  const type = given ?? only ?? own;
  if (type === undefined) {
    throw new TypeError(`the call needs \`contentType\`: one of the media types ${types.join(", ")}`);
  }
  return type;
}

function formOf(fields: unknown): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, item] of itemsOf(fields)) form.append(name, textOf(item));
  return form;
}

function multipartOf(given: unknown, { json = [], last }: RequestFormat): FormData {
  const form = new FormData();
  const parts = last === undefined ? given : { ...(given as object), [last]: undefined };
  for (const [name, value] of Object.entries(parts as object)) {
    // A part with a file name would be a file, so a part of JSON is a text field.
    if (json.includes(name) && value !== undefined) form.append(name, jsonOf(value));
  }
  for (const [name, item] of itemsOf(parts)) {
    if (json.includes(name)) continue;
    if (item instanceof Blob) form.append(name, item);
    else form.append(name, textOf(item));
  }
  if (last !== undefined) {
    for (const [name, item] of itemsOf({ [last]: (given as Record<string, unknown>)[last] }))
      form.append(name, item as Blob);
  }
  return form;
}

/** Returns the fields of a form: a list becomes several fields with one name, and `undefined` is left out. */
function itemsOf(fields: unknown): [name: string, item: unknown][] {
  return Object.entries(fields as object).flatMap(([name, value]: [string, unknown]) => {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return items.filter((item) => item !== undefined).map((item): [string, unknown] => [name, item]);
  });
}

async function linesOf(body: unknown): Promise<NonNullable<RequestInit["body"]>> {
  if (!(typeof body === "object" && body !== null && Symbol.asyncIterator in body)) {
    return Array.from(body as Iterable<unknown>, lineOf).join("");
  }
  const values = body as AsyncIterable<unknown>;
  if (sendsStreams()) return streamOf(values);
  const lines: string[] = [];
  for await (const value of values) lines.push(lineOf(value));
  return lines.join("");
}

/**
 * Returns true if `fetch` can send streams. Browsers send streams over HTTP/2 only or not at all, and a page does not know
 * the version of HTTP before the request. Without streams, `fetch` may send the text `[object ReadableStream]`.
 */
function sendsStreams(): boolean {
  if ("document" in globalThis || "WorkerGlobalScope" in globalThis) return false;
  let readsDuplex = false;
  const init = {
    method: "POST",
    body: new ReadableStream(),
    get duplex() {
      readsDuplex = true;
      return "half";
    },
  };
  return !new Request("http://localhost", init as RequestInit).headers.has("content-type") && readsDuplex;
}

function lineOf(value: unknown): string {
  return `${jsonOf(value)}\n`;
}

function streamOf(values: AsyncIterable<unknown>): ReadableStream<Uint8Array> {
  const iterator = values[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(lineOf(value)));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
