import type { Shape } from "@kit/core/codec";
import type { CompiledApplication, MessageKinds } from "@kit/types";

import type { ErrorFormat } from "./error-format.ts";

/** Slot of a contract: a part of the request with its own type. */
export type Slot = "params" | "query" | "headers" | "cookies" | "body";

/** Format of a request body that is not JSON, or a member of a union of formats. */
export interface ContractFormat {
  /** Name of the format, such as `multipart`. `json` only in a union. */
  readonly format: string;
  /** Media types or ranges of requests with the format, in lower case. */
  readonly types: readonly string[];
  /** Shape of the JSON value, of the fields, of the parts that are no files, or of one line. Absent if there are none. */
  readonly value?: Shape;
}

/** Contract of a route. The generated `tests/contracts.ts` contains one for each route. */
export interface ContractParts {
  /** Method and complete path pattern, for example `GET /notes/:id`. */
  readonly route: string;
  /** Statuses of the responses without an error. */
  readonly successes: readonly number[];
  /** Errors that the contract declares, for example `404 NOTE_NOT_FOUND`. */
  readonly errors: readonly string[];
  readonly params?: Shape;
  readonly query?: Shape;
  readonly headers?: Shape;
  readonly cookies?: Shape;
  /** Shape of the body. Absent if the body is not JSON. */
  readonly body?: Shape;
  /** Formats of a body that is not JSON. A contract with a union of formats has more than one. */
  readonly formats?: readonly ContractFormat[];
  /** Messages of a WebSocket: shapes of those in JSON, and the kinds of messages if not all of them are JSON. */
  readonly socket?: {
    readonly in: Shape | null;
    readonly out: Shape | null;
    readonly kinds?: MessageKinds;
  };
  /** Data of the events that the route sends, by name; `null` for events without data. */
  readonly events?: Readonly<Record<string, Shape | null>>;
  /**
   * True if the configuration excludes the route from contract tests. If so, the items of its contract do not
   * count as untested.
   */
  readonly skipped?: true;
}

/** Default export of the generated `tests/contracts.ts`. */
export interface Contracts {
  /** Application in the form that `kit build` generates: its routes with their validators. */
  readonly application: CompiledApplication;
  /** Format of error bodies. Absent for kit's envelope. */
  readonly errors?: ErrorFormat;
  readonly routes: readonly ContractParts[];
}
