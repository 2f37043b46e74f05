import type { Codec, NamedCodecs } from "./codec.ts";

/** Request body of a route that is not JSON, or a member of a union of formats. */
export interface RequestFormat {
  /** Format, by the name of its type in lower case. `oneof` for a union of formats, and `json` only in a union. */
  readonly format: "form" | "multipart" | "raw" | "chunks" | "text" | "bytes" | "lines" | "json" | "oneof";
  /** Media types or ranges of the request. */
  readonly types: readonly string[];
  /** Names of the parts that are sent as JSON. Present only if the format is `multipart`. */
  readonly json?: readonly string[];
  /** Name of the part that is sent after all others. Absent if their order does not matter. */
  readonly last?: string;
  /** Formats of a union. Present only if the format is `oneof`; then the body is `{ type, value }`. */
  readonly choices?: readonly RequestFormat[];
}

/** Response body that is not JSON, or a member of a union of formats. */
export interface ResponseFormat {
  /** Format, by the name of its type in lower case. `oneof` for a union of formats, and `json` only in a union. */
  readonly format: "text" | "bytes" | "download" | "lines" | "events" | "json" | "oneof";
  /** Media type of the response. In a union, the media type of the first format. */
  readonly type: string;
  /** Codec of the value of JSON. Absent if the value needs no conversion. */
  readonly json?: Codec;
  /** Formats of a union. Present only if the format is `oneof`; then the data is `{ type, value }`. */
  readonly choices?: readonly ResponseFormat[];
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
  /** Returns true if the caller reads the response for as long as the caller wishes: lines and events. */
  isEndless(format: ResponseFormat, response: Response): boolean;
}
