import type { Shape } from "@kit/core/codec";
import type { CompiledApplication } from "@kit/types";

import type { ErrorFormat } from "./error-format.ts";

/** Slot of a contract: a part of the request with its own type. */
export type Slot = "params" | "query" | "headers" | "cookies" | "body";

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
  /** Format of a body that is not JSON, such as `multipart`. */
  readonly format?: string;
  /** Messages of a WebSocket. */
  readonly socket?: { readonly in: Shape; readonly out: Shape };
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
