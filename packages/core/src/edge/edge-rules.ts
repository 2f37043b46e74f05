import type { ResponseRules } from "@kit/types";

import type { Cors } from "./cors.ts";

/** Rules for every response of an application, from the options `cors` and `securityHeaders`. */
export class EdgeRules implements ResponseRules {
  readonly defaults: readonly string[];
  readonly #cors: Cors | null;

  private constructor(cors: Cors | null, defaults: readonly string[]) {
    this.#cors = cors;
    this.defaults = defaults;
  }

  /** Creates the rules. Returns `null` if no option sets headers, so that requests cost nothing. */
  static of(cors: Cors | null, defaults: readonly string[]): EdgeRules | null {
    return cors === null && defaults.length === 0 ? null : new EdgeRules(cors, defaults);
  }

  headers(header: (name: string) => string | undefined): readonly string[] {
    return this.#cors === null ? [] : this.#cors.headers(header);
  }

  isPreflight(method: string, header: (name: string) => string | undefined): boolean {
    return this.#cors !== null && this.#cors.isPreflight(method, header);
  }
}
