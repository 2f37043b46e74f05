import { durationForm, readDuration, writeDuration } from "../duration.ts";
import { suggestion } from "../nearest.ts";

/** Why a question has no answer. */
export class NoAnswer extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Most of what a list may be asked for. */
const greatestLimit = 1_000_000;

/** The query of a request, read by name. What is not among `known`, or is there twice, is an error: it would silently do nothing. */
export class Question {
  readonly #values: ReadonlyMap<string, string>;

  constructor(query: string, known: readonly string[]) {
    const values = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(query)) {
      if (!known.includes(name)) {
        const takes = known.length === 0 ? "this takes no query" : suggestion(name, known);
        throw invalid(`there is no parameter \`${shown(name)}\`; ${takes}`);
      }
      if (values.has(name)) throw invalid(`\`${name}\` is there twice`);
      values.set(name, value);
    }
    this.#values = values;
  }

  text(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** Milliseconds. */
  duration(name: string, longestMs: number = Infinity): number | undefined {
    const text = this.#values.get(name);
    if (text === undefined) return undefined;
    const ms = readDuration(text);
    if (ms === undefined)
      throw invalid(`\`${name}\` must be a duration, ${durationForm}; not "${shown(text)}"`);
    if (ms > longestMs)
      throw invalid(
        `\`${name}\` may be at most ${writeDuration(longestMs)}, which is as long as is kept; not ${text}`,
      );
    return ms;
  }

  /** Milliseconds since 1970. */
  since(): number | undefined {
    const ms = this.duration("since");
    return ms === undefined ? undefined : Date.now() - ms;
  }

  /** The least of the limits under these names. */
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
    throw invalid(`\`${name}\` must be a whole number from ${least} to ${most}, not "${shown(text)}"`);
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const text = this.#values.get(name);
    if (text === undefined) return undefined;
    const value = values.find((candidate) => candidate === text);
    if (value === undefined)
      throw invalid(`\`${name}\` must be one of ${values.join(", ")}; not "${shown(text)}"`);
    return value;
  }
}

/** A part of what was asked, for a message. */
export function shown(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function invalid(message: string): NoAnswer {
  return new NoAnswer(400, "VALIDATION_ERROR", message);
}
