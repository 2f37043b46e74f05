import type { CompiledApplication, ServerExchange } from "@kit/types";

import * as phases from "../observe/phases.ts";
import { pathOf, type RequestState } from "./request-state.ts";

/** Where the OpenAPI document is. */
export const documentPath = "/openapi.json";

/**
 * `GET /openapi.json`. As with any route, the static path beats parameters and wildcards; only a route that the
 * application registers at exactly this path goes before it.
 */
export class OpenApiDocument {
  readonly #read: () => Promise<string>;

  constructor(compiled: CompiledApplication) {
    this.#read = compiled.openapi;
  }

  /** The document of an application, unless it serves that path itself. */
  static of(compiled: CompiledApplication): OpenApiDocument | null {
    const isTaken = compiled.routes.some((route) => route.path === documentPath);
    return isTaken ? null : new OpenApiDocument(compiled);
  }

  /** Whether the request's path is the document's. */
  isAt({ target }: ServerExchange): boolean {
    if (!target.startsWith(documentPath)) return false;
    const rest = pathOf(target).slice(documentPath.length);
    return rest === "" || rest === "/";
  }

  /** Answers with the document. Never throws. */
  async answer(state: RequestState): Promise<void> {
    state.enter(phases.handler);
    try {
      state.answer(200, await this.#read());
    } catch (error) {
      state.fail(error);
    }
  }
}
