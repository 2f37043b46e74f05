import { durationForm, readDuration, writeDuration } from "./duration.ts";
import { suggestion } from "./nearest.ts";
import { ErrorResponse, truncate } from "./error-response.ts";

/** Maximum value of a limit in a query. */
const greatestLimit = 1_000_000;

/** Query of a request. An unknown or repeated parameter is an error, so that a misspelled parameter is not ignored. */
export class Query {
  readonly #values: ReadonlyMap<string, string>;

  constructor(query: string, known: readonly string[]) {
    const values = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(query)) {
      if (!known.includes(name)) {
        const takes = known.length === 0 ? "this endpoint has no parameters" : suggestion(name, known);
        throw invalid(`there is no parameter \`${truncate(name)}\`; ${takes}`);
      }
      if (values.has(name)) throw invalid(`the parameter \`${name}\` is given twice; give it once`);
      values.set(name, value);
    }
    this.#values = values;
  }

  text(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** Returns a duration such as `5m` in milliseconds. */
  duration(name: string, longestMs: number = Infinity): number | undefined {
    const text = this.#values.get(name);
    if (text === undefined) return undefined;
    const ms = readDuration(text);
    if (ms === undefined)
      throw invalid(`\`${name}\` must be a duration, ${durationForm}; not "${truncate(text)}"`);
    if (ms > longestMs)
      throw invalid(
        `\`${name}\` may be at most ${writeDuration(longestMs)}, because older data is not kept; not ${text}`,
      );
    return ms;
  }

  /** Returns the time that the parameter `since` names, in milliseconds since 1970. */
  since(): number | undefined {
    const ms = this.duration("since");
    return ms === undefined ? undefined : Date.now() - ms;
  }

  /** Returns the smallest of the given limits, or `otherwise` if the query contains none of these parameters. */
  limit(names: readonly string[], otherwise: number): number {
    const given = names.flatMap((name) => {
      const limit = this.whole(name, 1, greatestLimit);
      return limit === undefined ? [] : [limit];
    });
    return given.length === 0 ? otherwise : Math.min(...given);
  }

  whole(name: string, least: number, most: number): number | undefined {
    const text = this.#values.get(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    throw invalid(`\`${name}\` must be a whole number from ${least} to ${most}, not "${truncate(text)}"`);
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.#values.get(name);
    if (text === undefined) return undefined;
    const value = values.find((candidate) => candidate === text);
    if (value === undefined)
      throw invalid(`\`${name}\` must be one of ${values.join(", ")}; not "${truncate(text)}"`);
    return value;
  }
}

function invalid(message: string): ErrorResponse {
  return new ErrorResponse(400, "VALIDATION_ERROR", message);
}
