import type { CompiledApplication, ServerExchange } from "@kit/types";

import * as phases from "../observe/phases.ts";
import { pathOf } from "../router/path-of.ts";
import type { RequestState } from "./request-state.ts";

/** Path of the OpenAPI document. */
export const documentPath = "/openapi.json";

/**
 * Serves `GET /openapi.json`. As with other static paths, the document takes precedence over parameters and
 * wildcards. Only a route with exactly the path `/openapi.json` takes precedence over the document.
 */
export class OpenApiDocument {
  readonly #read: () => Promise<string>;

  constructor(compiled: CompiledApplication) {
    this.#read = compiled.openapi;
  }

  /** Creates the document of an application. Returns `null` if the application has a route at `/openapi.json`. */
  static of(compiled: CompiledApplication): OpenApiDocument | null {
    const isTaken = compiled.routes.some((route) => route.path === documentPath);
    return isTaken ? null : new OpenApiDocument(compiled);
  }

  /** Returns true if the request is for the path of the document. */
  isAt({ target }: ServerExchange): boolean {
    if (!target.startsWith(documentPath)) return false;
    const rest = pathOf(target).slice(documentPath.length);
    return rest === "" || rest === "/";
  }

  /** Responds with the document. Never throws. */
  async answer(state: RequestState): Promise<void> {
    state.enter(phases.handler);
    try {
      state.respond(200, await this.#read());
    } catch (error) {
      state.fail(error);
    }
  }
}
