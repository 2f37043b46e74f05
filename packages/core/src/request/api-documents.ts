import type { CompiledApplication, ServerExchange } from "@kit/types";

import * as phases from "../observe/phases.ts";
import { pathOf } from "../router/path-of.ts";
import type { RequestState } from "./request-state.ts";

/** Path of the OpenAPI document. */
export const documentPath = "/openapi.json";
/** Path of the AsyncAPI document, which applications with WebSockets or events have. */
export const messagesPath = "/asyncapi.json";

/** Function that reads a document. */
type Read = () => Promise<string>;

/**
 * Serves `GET /openapi.json` and `GET /asyncapi.json`. As with other static paths, the documents take precedence over
 * parameters and wildcards. Only a route with exactly the path of a document takes precedence over this document.
 */
export class ApiDocuments {
  readonly #documents: ReadonlyMap<string, Read>;

  /** Creates the documents of an application. */
  constructor({ routes, openapi, asyncapi }: CompiledApplication) {
    const documents = [
      [documentPath, openapi] as const,
      ...(asyncapi === undefined ? [] : [[messagesPath, asyncapi] as const]),
    ];
    const free = documents.filter(([path]) => routes.every((route) => route.path !== path));
    this.#documents = new Map(free);
  }

  /** Paths at which the documents are served, such as `/openapi.json`. */
  get paths(): readonly string[] {
    return [...this.#documents.keys()];
  }

  /** Returns the function that reads the requested document, or `undefined` if the request is for another path. */
  find({ target }: ServerExchange): Read | undefined {
    if (!target.startsWith("/openapi.") && !target.startsWith("/asyncapi.")) return undefined;
    const path = pathOf(target);
    return this.#documents.get(path.endsWith("/") ? path.slice(0, -1) : path);
  }

  /** Responds with a document. Never throws. */
  async answer(state: RequestState, read: Read): Promise<void> {
    state.enter(phases.handler);
    try {
      state.respond(200, await read());
    } catch (error) {
      state.fail(error);
    }
  }
}
