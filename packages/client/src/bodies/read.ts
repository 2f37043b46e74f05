import { decode, type Codec } from "../codec.ts";
import { ApiError } from "../error.ts";
import { isRetryable, wait } from "../retry.ts";
import { eventsOf, type ReceivedEvent, type StreamState } from "./event-stream.ts";
import type { Arrived, ResponseFormat } from "../body-format.ts";
import { JSON_LINES, linesOf } from "./lines.ts";

/** Returns the data of a response in a format: a string, bytes, or an async iterable that reads the response. */
export async function read(format: ResponseFormat, arrived: Arrived): Promise<unknown> {
  const { response, route } = arrived;
  const type = response.headers.get("content-type") ?? "nothing";
  const isStream = format.format === "lines" || format.format === "events";
  if (isStream && response.status !== 204 && !type.toLowerCase().startsWith(format.type)) {
    await response.body?.cancel();
    throw new ApiError(
      "UNEXPECTED_RESPONSE",
      response.status,
      `The response of ${route} has the content type ${type}`,
      {
        headers: response.headers,
      },
    );
  }
  switch (format.format) {
    case "text":
      return await response.text();
    case "bytes":
      return new Uint8Array(await response.arrayBuffer());
    case "lines":
      return readLines(format, arrived);
    default:
      return readEvents(format, arrived);
  }
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
      `The response of ${route} has a line that is not JSON`,
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
        response = await arrived.again(state.id === "" ? {} : { "last-event-id": state.id });
        break;
      } catch (error) {
        if (signal?.aborted) return;
        const isPassing =
          error instanceof ApiError && (error.code === "NETWORK_ERROR" || isRetryable(error.status));
        if (!isPassing) throw error;
        lost = error;
      }
    }
  }
}

/** Returns the milliseconds before a reconnection: the time that the server asked for, doubled after each failure in a row. */
function delayBefore(
  failures: number,
  { retryMs }: StreamState,
  { maxDelayMs }: Arrived["reconnect"],
): number {
  return Math.max(retryMs, Math.min(retryMs * 2 ** (failures - 1), maxDelayMs));
}
