import { decode, type Codec } from "../codec.ts";
import { ApiError } from "../error.ts";
import { discard, received } from "../received.ts";
import { isRetryable, wait } from "../retry.ts";
import { eventsOf, type ReceivedEvent, type StreamState } from "./event-stream.ts";
import type { Arrived, ResponseFormat } from "../body-format.ts";
import { JSON_LINES, linesOf } from "./lines.ts";

/**
 * Returns the data of a response in a format: a string, bytes, or an async iterable that reads the response. For a union of
 * formats, returns `{ type, value }`.
 */
export async function read(format: ResponseFormat, arrived: Arrived): Promise<unknown> {
  const { response } = arrived;
  const { choices } = format;
  if (choices !== undefined) {
    const choice = choices.find(({ type }) => type === essenceOf(response));
    if (choice === undefined) return await refuseType(response, arrived);
    return { type: choice.type, value: await read(choice, arrived) };
  }
  if (format.format === "lines" || format.format === "events") await checkType(format, response, arrived);
  switch (format.format) {
    case "json":
      return parsed(format.json, await received(response, response.text()), arrived);
    case "text":
      return await received(response, response.text());
    case "bytes":
    case "download":
      return new Uint8Array(await received(response, response.arrayBuffer()));
    case "lines":
      return readLines(format, arrived);
    default:
      return readEvents(format, arrived);
  }
}

/** Returns true if the caller reads the response for as long as the caller wishes: lines and events. */
export function isEndless(format: ResponseFormat, response: Response): boolean {
  const chosen = format.choices?.find(({ type }) => type === essenceOf(response)) ?? format;
  return chosen.format === "lines" || chosen.format === "events";
}

/** Returns the media type of a response without parameters, in lower case. Empty if there is none. */
function essenceOf({ headers }: Response): string {
  return (headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** Throws an error if a response has another content type than its format. */
async function checkType(format: ResponseFormat, response: Response, arrived: Arrived): Promise<void> {
  if (response.status !== 204 && essenceOf(response) !== format.type) await refuseType(response, arrived);
}

async function refuseType(response: Response, { route }: Arrived): Promise<never> {
  const { status, headers } = response;
  const type = headers.get("content-type") ?? "nothing";
  await discard(response);
  throw new ApiError("UNEXPECTED_RESPONSE", status, `The response of ${route} has the content type ${type}`, {
    headers,
  });
}

/** Returns the body of a response. A response without a body, such as 204, has an empty one. */
function bodyOf({ body }: Response): ReadableStream<Uint8Array> {
  return body ?? new ReadableStream({ start: (controller) => controller.close() });
}

function parsed(codec: Codec | null | undefined, text: string, { response, route, types }: Arrived): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const { status, headers } = response;
    throw new ApiError(
      "UNEXPECTED_RESPONSE",
      status,
      `The response of ${route} has a value that is not JSON`,
      {
        details: text.slice(0, 1000),
        headers,
        cause,
      },
    );
  }
  return codec === null || codec === undefined ? value : decode(codec, value, types);
}

function lostConnection({ route, response }: Arrived, cause: unknown): ApiError {
  return new ApiError("NETWORK_ERROR", 0, `The connection of ${route} was lost while its response was read`, {
    headers: response.headers,
    cause,
  });
}

async function* readLines(
  format: ResponseFormat,
  arrived: Arrived,
): AsyncGenerator<unknown, void, undefined> {
  const lines = linesOf(bodyOf(arrived.response), JSON_LINES);
  try {
    for (;;) {
      let next: IteratorResult<string, void>;
      try {
        next = await lines.next();
      } catch (cause) {
        throw arrived.signal?.aborted ? cause : lostConnection(arrived, cause);
      }
      if (next.done === true) return;
      if (next.value !== "") yield parsed(format.line, next.value, arrived);
    }
  } finally {
    await lines.return();
  }
}

async function* readEvents(
  format: ResponseFormat,
  arrived: Arrived,
): AsyncGenerator<unknown, void, undefined> {
  const { signal, reconnect } = arrived;
  const state: StreamState = { id: "", retryMs: reconnect.delayMs };
  let { response } = arrived;
  let failures = 0;
  for (;;) {
    // 204 tells the client to stop (WHATWG HTML, 9.2.3).
    if (response.status === 204) return;
    const events = eventsOf(bodyOf(response), state);
    let lost: unknown;
    try {
      for (;;) {
        let next: IteratorResult<ReceivedEvent, void>;
        try {
          next = await events.next();
        } catch (cause) {
          lost = lostConnection(arrived, cause);
          break;
        }
        if (next.done === true) break;
        failures = 0;
        const known = Object.hasOwn(format.events ?? {}, next.value.event);
        const codec = known ? format.events?.[next.value.event] : undefined;
        // Events that the contract does not declare have no type, so they are left out.
        if (codec === undefined) continue;
        const data = codec === false ? undefined : parsed(codec, next.value.data, arrived);
        yield { event: next.value.event, data, id: next.value.id };
      }
    } finally {
      await events.return();
    }
    if (signal?.aborted) return;
    for (;;) {
      if (failures >= reconnect.limit) {
        if (lost !== undefined) throw lost;
        return;
      }
      failures += 1;
      try {
        await wait(delayBefore(failures, state, reconnect), signal);
        response = await arrived.again(state.id === "" ? {} : { "last-event-id": inUtf8(state.id) });
        await checkType(format, response, arrived);
        break;
      } catch (error) {
        if (signal?.aborted) return;
        const isPassing =
          error instanceof ApiError &&
          (["NETWORK_ERROR", "TIMEOUT"].includes(error.code) || isRetryable(error.status));
        if (!isPassing) throw error;
        lost = error;
      }
    }
  }
}

/** Least time between two reconnections if the one before failed, also if the server asks for none. */
const LEAST_DELAY_MS = 100;

/** Returns the milliseconds before a reconnection: the time that the server asked for, doubled after each failure in a row. */
function delayBefore(
  failures: number,
  { retryMs }: StreamState,
  { maxDelayMs }: Arrived["reconnect"],
): number {
  if (failures === 1) return retryMs;
  const grown = Math.max(retryMs, LEAST_DELAY_MS) * 2 ** (failures - 1);
  return Math.max(retryMs, Math.min(grown, maxDelayMs));
}

/** Returns the UTF-8 bytes of an id as the text of a header: `fetch` takes one letter for each byte. */
function inUtf8(id: string): string {
  return Array.from(new TextEncoder().encode(id), (byte) => String.fromCharCode(byte)).join("");
}
