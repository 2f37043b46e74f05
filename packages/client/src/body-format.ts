import type { Codec, NamedCodecs } from "./codec.ts";

/** Request body of a route that is not JSON. */
export interface RequestFormat {
  /** Format, by the name of its type in lower case. */
  readonly format: "form" | "multipart" | "raw" | "text" | "bytes" | "lines";
  /** Media types or ranges of the request. */
  readonly types: readonly string[];
  /** Names of the parts that are sent as JSON. Present only if the format is `multipart`. */
  readonly json?: readonly string[];
  /** Name of the part that is sent after all others. Absent if their order does not matter. */
  readonly last?: string;
}

/** Response body that is not JSON. */
export interface ResponseFormat {
  /** Format, by the name of its type in lower case. */
  readonly format: "text" | "bytes" | "lines" | "events";
  /** Media type of the response. */
  readonly type: string;
  /** Codec of a line. Absent if a line needs no conversion. */
  readonly line?: Codec;
  /** Codecs of the data of events, by name. `null` if the data needs no conversion, `false` if the event has no data. */
  readonly events?: { readonly [name: string]: Codec | null | false };
}

/** Request body in the form in which `fetch` sends it. */
export interface EncodedBody {
  /** Body. `undefined` if the call has none. */
  readonly body: NonNullable<RequestInit["body"]> | undefined;
  /** Content type. `undefined` if `fetch` sets the header itself. */
  readonly contentType: string | undefined;
}

/** Response of a call that has arrived, with what its reader needs. */
export interface Arrived {
  readonly response: Response;
  readonly route: string;
  readonly types: NamedCodecs;
  /** Sends the request again with further headers. The returned response has a status below 400. */
  readonly again: (headers: Readonly<Record<string, string>>) => Promise<Response>;
  /** Signal of the caller, which ends an iteration. */
  readonly signal: AbortSignal | undefined;
  /** Milliseconds between reconnections, and the maximum number of failures in a row. */
  readonly reconnect: { readonly limit: number; readonly delayMs: number; readonly maxDelayMs: number };
}

/**
 * Functions for bodies that are not JSON. `@kit/client/bodies` exports them, and generated clients import them only if the API
 * has such bodies.
 */
export interface BodyFormats {
  encode(format: RequestFormat, body: unknown, contentType: string | undefined): Promise<EncodedBody>;
  read(format: ResponseFormat, arrived: Arrived): Promise<unknown>;
}
