/**
 * Part of a download that a call requests. The server may send the whole body instead. It has sent only the part if
 * `response.status` of `.result()` is 206.
 *
 * @example
 * ```ts
 * const rest = await api.get("/films/:id", { params, range: { first: received.length, tag } }).result();
 * ```
 */
export interface ByteRange {
  /** Position of the first byte, from 0. */
  readonly first: number;
  /** Position of the last byte. Default: the end of the body. */
  readonly last?: number;
  /** Header `etag` of an earlier response. If the body has changed since, the server sends the whole body. */
  readonly tag?: string;
}

/** Bytes of a request body. */
export type BytesBody = Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>;

/** Lines of a request body: values that are sent as JSON, one on each line. */
export type LinesBody<Line> = Iterable<Line> | AsyncIterable<Line>;

/** Event of a response, for events whose data has the types `Events`, by name. */
export type ApiEvent<Events extends object> = {
  [Name in keyof Events & string]: {
    /** Name of the event. */
    readonly event: Name;
    /** Data of the event. `undefined` if the contract declares none. */
    readonly data: Events[Name];
    /** Last id that the server sent, which a reconnection sends in the header `last-event-id`. Empty if there is none. */
    readonly id: string;
  };
}[keyof Events & string];

/**
 * Events of a response. The iteration reconnects after a lost connection. The iteration ends at `break`, at the abort of the
 * call's signal, and if the server answers a reconnection with 204.
 */
export type ApiEvents<Events extends object> = AsyncIterable<ApiEvent<Events>>;

/** Names of the formats of bodies that are not JSON. */
export type FormatName =
  | "form"
  | "multipart"
  | "raw"
  | "chunks"
  | "text"
  | "bytes"
  | "download"
  | "lines"
  | "events"
  | "json";
