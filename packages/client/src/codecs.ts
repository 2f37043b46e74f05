import type { BodyFormats, RequestFormat, ResponseFormat } from "./body-format.ts";
import type { Codec, NamedCodecs } from "./codec.ts";
import type { ErrorPlaces } from "./error.ts";
import type { MessageKinds, OpenSocket } from "./socket-types.ts";

/** Codecs of one reply. */
export interface ReplyCodec {
  /** Codec of the body. Absent if the body needs no conversion, `null` if the reply has no body. */
  readonly body?: Codec | null;
  /** Format of a body that is not JSON. Absent if the body is JSON. */
  readonly format?: ResponseFormat;
  /** Types of the declared headers: `string`, `date`, `number|boolean`, and `number[]` for a list. */
  readonly headers?: { readonly [name: string]: string };
}

/** Codecs of all types and responses of an API. */
export interface Codecs {
  /** Codecs of types, by name. */
  readonly types: NamedCodecs;
  /** Codecs of responses, by `METHOD /path`. */
  readonly responses: { readonly [route: string]: Codec };
  /** Routes with responses that may be something other than JSON. */
  readonly raw: readonly string[];
  /** Routes whose contract declares the header `idempotency-key`. Absent if there are none. */
  readonly idempotencyKeys?: readonly string[];
  /** Replies of contracts that declare them, by `METHOD /path`, then by status. */
  readonly replies?: { readonly [route: string]: { readonly [status: number]: ReplyCodec } };
  /** Request bodies that are not JSON, by `METHOD /path`. */
  readonly requestFormats?: { readonly [route: string]: RequestFormat };
  /** Responses that are not JSON, by `METHOD /path`. */
  readonly responseFormats?: { readonly [route: string]: ResponseFormat };
  /** Functions for these bodies. Present if a route has such a body. */
  readonly bodyFormats?: BodyFormats;
  /** Function that opens WebSockets, and codecs of received messages, by `WS /path`. Present if a route has a WebSocket. */
  readonly sockets?: {
    readonly open: OpenSocket;
    readonly messages: { readonly [route: string]: Codec };
    /** Kinds of messages, for routes that do not have only JSON. Absent if there are none. */
    readonly kinds?: { readonly [route: string]: MessageKinds };
  };
  /** Codecs of the details of errors, by `METHOD /path`, then by code. */
  readonly details?: { readonly [route: string]: { readonly [code: string]: Codec } };
  /** Places of values in error bodies. Absent for kit's envelope. */
  readonly errors?: ErrorPlaces & { readonly validationStatus: 400 | 422 };
  /** Routes, `METHOD /path`, by the name that `@operation` gives them. */
  readonly operations?: { readonly [name: string]: string };
}
