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
