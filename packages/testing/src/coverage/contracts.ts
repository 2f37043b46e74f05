import type { Shape } from "@kit/core/codec";
import type { CompiledApplication } from "@kit/types";

/** Part of a request that has a contract. */
export type Slot = "params" | "query" | "body";

/** Contract of a route. The generated `tests/contracts.ts` contains one for each route. */
export interface ContractParts {
  /** Method and complete path pattern, for example `GET /notes/:id`. */
  readonly route: string;
  /** Status of a successful response. */
  readonly success: number;
  /** Errors that are declared with `@throws`, for example `404 NOTE_NOT_FOUND`. */
  readonly errors: readonly string[];
  readonly params?: Shape;
  readonly query?: Shape;
  readonly body?: Shape;
  /**
   * True if the configuration excludes the route from contract tests. What its contract contains does not count as
   * untested then.
   */
  readonly skipped?: true;
}

/** Default export of the generated `tests/contracts.ts`. */
export interface Contracts {
  /** Application in the form that `kit build` generates: its routes with their validators. */
  readonly application: CompiledApplication;
  readonly routes: readonly ContractParts[];
}
