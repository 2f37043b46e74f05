import type { ApiError } from "./error.ts";
import type { RequestOptions } from "./options.ts";

declare const generated: unique symbol;
/** Not there when it runs: a text that is no literal would keep a declared code from being told apart by `===`. */
declare enum Other {
  Code = "a code that the contract does not declare",
}

/** One endpoint as a client sees it. `.kit/client/index.ts` has one for each. */
export interface Route<Input extends object, Output, Failures extends ApiError = never> {
  readonly input: Input;
  readonly output: Output;
  readonly failures: Failures;
}

/** What generated routes extend: they need the codecs that were generated with them. */
export interface Generated {
  readonly [generated]: true;
}

/** The code of an error that the contract does not declare: some text. */
export type OtherCode = Other.Code;

/** An error that a route declares with `@throws`. */
export type Failure<Code extends string, Status extends number, Details = unknown> = ApiError<
  Code,
  Status,
  Details
>;

/**
 * Name of the rule that a value breaks. Where JSON Schema has a keyword for the rule, the name is that keyword.
 *
 * `required`: the value is missing. `template`: a template literal type of TypeScript. `unknown`: the contract has no value there. `maxDepth`: the
 * value is nested too deeply. `maxFailures`: there are more failures than are listed. `characters`: text that no database keeps. `json` and
 * `encoding`: the text could not be read.
 */
export type ValidationRule =
  | "required"
  | "type"
  | "enum"
  | "const"
  | "minLength"
  | "maxLength"
  | "pattern"
  | "format"
  | "template"
  | "contentEncoding"
  | "minimum"
  | "maximum"
  | "exclusiveMinimum"
  | "exclusiveMaximum"
  | "multipleOf"
  | "minItems"
  | "maxItems"
  | "uniqueItems"
  | "anyOf"
  | "unknown"
  | "maxDepth"
  | "maxFailures"
  | "characters"
  | "json"
  | "encoding";

/** A value that a rule names: the number of `minLength`, the text of `pattern`, a value of `enum`. */
export type ValidationLimitValue = string | number | boolean | null;

/** A place of the input that the server refused, as `details.fields` of a `VALIDATION_ERROR` lists it. */
export interface InvalidField {
  /** JSONPath of the value: `$.items[0].quantity`. */
  readonly path: string;
  /** Type and rules in English: `string, 1 to 200 characters`. */
  readonly expected: string;
  /** The value; `null` if it is missing, absent if it cannot be shown. */
  readonly value?: unknown;
  /** The first rule that the value breaks, for messages in other words and languages. */
  readonly rule: ValidationRule;
  /** The argument of that rule: `1` of `minLength`, a list of values of `enum`; absent if the rule has none. */
  readonly limit?: ValidationLimitValue | readonly ValidationLimitValue[];
}

/** What any call may end with, declared or not. */
export type CommonFailure =
  | Failure<
      "VALIDATION_ERROR",
      400,
      | {
          readonly fields: readonly InvalidField[];
        }
      | undefined
    >
  | Failure<"INTERNAL_SERVER_ERROR", 500>
  | Failure<"REQUEST_TIMEOUT" | "SERVICE_UNAVAILABLE", 503>
  | Failure<"NETWORK_ERROR" | "TIMEOUT", 0>
  | Failure<"UNEXPECTED_RESPONSE", number>
  | Failure<OtherCode, number>;

/** What a call ended with. */
export type Result<Output, Failures> =
  | { readonly ok: true; readonly data: Output; readonly response: Response }
  | { readonly ok: false; readonly error: Failures };

/** A call under way. Awaited, it gives the answer's value or throws an {@link ApiError}. */
export interface ApiCall<Output, Failures> extends Promise<Output> {
  /**
   * The answer or the error, as a value: nothing is thrown but what aborting the call throws.
   *
   * @example
   * ```ts
   * const result = await api.get("/notes/:id", { params: { id } }).result();
   * if (result.ok) show(result.data);
   * else if (result.error.code === "NOTE_NOT_FOUND") showNothing();
   * else throw result.error;
   * ```
   */
  result(): Promise<Result<Output, Failures>>;
}

/** A value as plain JSON has it: what a client gets that knows a contract, but not what was generated of it. */
export type Wire<T> = T extends Date | bigint | Uint8Array
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : unknown extends T
      ? unknown
      : { [K in keyof T]: Wire<T[K]> };

interface Contract {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly response: unknown;
}

/** A body is there where the contract has one, whatever may be left out of it. */
type Body<T> = [T] extends [void] ? unknown : { body: T };

/** A member of a contract as a part of the call: absent where it is `void`, and not needed where nothing in it is. */
type Part<Name extends string, T> = [T] extends [void]
  ? unknown
  : {} extends T
    ? { [K in Name]?: T }
    : { [K in Name]: T };

/** A generated route as it is, or what a contract says of one. */
type Endpoint<C> =
  C extends Route<infer _Input, infer _Output, infer _Failures>
    ? C
    : C extends Contract
      ? Route<
          Part<"params", C["params"]> & Part<"query", C["query"]> & Body<C["body"]> & object,
          [C["response"]] extends [void] ? undefined : Wire<C["response"]>,
          never
        >
      : never;

/** What a route of an API is called with: `InputOf<Routes, "GET /notes/:id">`. */
export type InputOf<Routes, Key extends keyof Routes> = Endpoint<Routes[Key]>["input"];
/** What a route of an API answers: `OutputOf<Routes, "GET /notes/:id">`. */
export type OutputOf<Routes, Key extends keyof Routes> = Endpoint<Routes[Key]>["output"];
/** What a call of a route may end with: `ErrorOf<Routes, "GET /notes/:id">`. */
export type ErrorOf<Routes, Key extends keyof Routes> = Endpoint<Routes[Key]>["failures"] | CommonFailure;

type PathsOf<Key, Method extends string> = Key extends `${Method} ${infer Path}` ? Path : never;

type Arguments<Input> = {} extends Input
  ? [request?: Input & RequestOptions]
  : [request: Input & RequestOptions];

/** Calls the routes of one method. */
type Caller<Routes, Method extends string> = <Path extends PathsOf<keyof Routes, Method>>(
  path: Path,
  ...request: Arguments<InputOf<Routes, `${Method} ${Path}` & keyof Routes>>
) => ApiCall<
  OutputOf<Routes, `${Method} ${Path}` & keyof Routes>,
  ErrorOf<Routes, `${Method} ${Path}` & keyof Routes>
>;

/** The routes of an API as functions. */
export interface Client<Routes> {
  readonly get: Caller<Routes, "GET">;
  readonly head: Caller<Routes, "HEAD">;
  readonly post: Caller<Routes, "POST">;
  readonly put: Caller<Routes, "PUT">;
  readonly patch: Caller<Routes, "PATCH">;
  readonly delete: Caller<Routes, "DELETE">;
  readonly options: Caller<Routes, "OPTIONS">;
}
