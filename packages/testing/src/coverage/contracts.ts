import type { Shape } from "@kit/core/codec";
import type { CompiledApplication } from "@kit/types";

/** A contract as its parts: the generated `tests/contracts.ts` has one for each route. */
export interface ContractParts {
  /** `GET /notes/:id`, with the final path. */
  readonly route: string;
  /** The status of success. */
  readonly success: number;
  /** Declared with `@throws`: `404 NOTE_NOT_FOUND`. */
  readonly errors: readonly string[];
  readonly params?: Shape;
  readonly query?: Shape;
  readonly body?: Shape;
  /** The configuration leaves its contract tests out, so nobody misses anything of it. */
  readonly skipped?: true;
}

/** The default export of the generated `tests/contracts.ts`. */
export interface Contracts {
  /** What `kit build` made of the application. */
  readonly application: CompiledApplication;
  readonly routes: readonly ContractParts[];
}
