import { AssertionError } from "node:assert";

import type { CompiledRoute } from "@kit/types";
import { explain, type Shape } from "@kit/core/codec";
import { parameterNames, parseRoutePath } from "@kit/core/router";
import * as fc from "fast-check";

import type { ContractParts, Slot } from "../coverage/contracts.ts";
import { formatOf } from "../coverage/formats.ts";
import { SLOTS } from "../coverage/items.ts";
import { arbitrary, NoValueError, invalidate, violations } from "../values/index.ts";
import { jsonOf } from "../values/wire.ts";
import { receivedBody } from "./bodies.ts";
import { expectAnswered, expectRefused } from "./expect.ts";
import { commandOf, type RandomKind, type Randomness } from "./randomness.ts";
import { cookieHeader, rawQuery, send, type Slots, slotsOf, textOf, textsOf } from "./request.ts";
import type { Running } from "./running.ts";
import { type FormatChoice, type RouteTable, type TestedFormat, titleOf } from "./tables.ts";

/**
 * Maximum number of requests that are sent to find a smaller request with the same failure. Each of them
 * takes as long as a normal request.
 */
const MOST_SHRINKS = 300;

/** Route, with the data that random requests to this route need. */
export interface RandomRoute {
  readonly table: RouteTable;
  readonly parts: ContractParts;
  readonly compiled: CompiledRoute;
  /** Maximum size of a body in bytes. */
  readonly bodyBytes: number;
}

/** Request that breaks exactly one rule, with the path of the invalid value. */
interface InvalidRequest {
  readonly slots: Slots;
  readonly path: string;
}

/** Number of requests that were sent, or the reason why none could be generated. */
export type Outcome = { readonly sent: number } | { readonly skipped: string };

/**
 * Returns the contract with the shape of the body that random requests have: of the format `choice` of a union, or of the only format. JSON
 * Lines are a list. Bytes and texts have no shape; their requests have the body of a valid request.
 */
export function withBody(contract: ContractParts, choice: FormatChoice | undefined): ContractParts {
  const { formats, ...rest } = contract;
  if (formats === undefined) return contract;
  const found = choice === undefined ? formats[0] : formatOf(formats, choice.type);
  if (found?.value === undefined) return rest;
  const { format, value } = found;
  return { ...rest, body: format === "lines" ? { kind: "array", element: value } : value };
}

/**
 * Sends random requests until a response breaks the contract, and then looks for the smallest request that fails.
 *
 * @throws {AssertionError} if a response breaks the contract. The message describes the mistake and has the
 *   command that sends the request again.
 */
export async function sendRandom(
  route: RandomRoute,
  kind: RandomKind,
  { runs, seed, replay }: Randomness,
  app: Running,
): Promise<Outcome> {
  const check = (slots: unknown): Promise<void> =>
    kind === "valid"
      ? checkValid(route, slots as Slots, app)
      : checkInvalid(route, slots as InvalidRequest, app);
  let [sent, sinceFailure] = [0, Number.NaN];
  const drawn: fc.Arbitrary<unknown> = kind === "valid" ? requests(route) : invalidRequests(route);
  const property = fc.asyncProperty(drawn, async (slots) => {
    fc.pre(slots !== undefined);
    if (sinceFailure >= MOST_SHRINKS) return;
    sinceFailure += 1;
    sent += 1;
    try {
      await check(slots);
    } catch (error) {
      if (Number.isNaN(sinceFailure)) sinceFailure = 0;
      throw error;
    }
  });
  let found: fc.RunDetails<[unknown]>;
  try {
    found = await fc.check(property, {
      seed,
      numRuns: replay === undefined ? runs : 1,
      ...(replay === undefined ? {} : { path: replay.path, endOnFailure: true }),
    });
  } catch (error) {
    if (error instanceof NoValueError) return { skipped: error.message };
    throw error;
  }
  if (!found.failed) return { sent };
  // fast-check has skipped every generated value, so no request was sent.
  if (found.counterexample === null) return { skipped: `cannot generate a request of the kind \`${kind}\`` };
  const { errorInstance, counterexamplePath, numShrinks } = found;
  if (errorInstance instanceof NoValueError) return { skipped: errorInstance.message };
  const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const path = replay?.path ?? counterexamplePath ?? "0";
  const smaller = numShrinks === 0 ? "" : `, made smaller in ${numShrinks} steps`;
  const how = `found by random requests, seed ${seed}${smaller}`;
  const error = new AssertionError({
    // The message is complete before the error is created, because some runners print the stack, which starts with that message.
    message: `${why}\n${how}\n${commandOf(seed, { title: titleOf(route.table), kind, path })}`,
    stackStartFn: sendRandom,
  });
  // The message of an AssertionError is already part of this one. Another error, such as a refused connection, has a stack that helps.
  if (!(errorInstance instanceof AssertionError)) error.cause = errorInstance;
  throw error;
}

/** Checks that a valid request succeeds, or gets an error that its contract declares. */
async function checkValid({ table }: RandomRoute, slots: Slots, app: Running): Promise<void> {
  const fixture = await app.fixture(table.route);
  const whole = slotsOf({ ...table, request: slots, fresh: {} }, fixture, []);
  expectAnswered(table, await send(app, table, whole, { headers: fixture.headers }), false);
}

/** Checks that the response to an invalid request reports a failure at the path of the invalid value. */
async function checkInvalid(
  { table }: RandomRoute,
  { slots, path }: InvalidRequest,
  app: Running,
): Promise<void> {
  const headers = await app.headers(table.route);
  expectRefused(table, await send(app, table, slots, { headers }), path, false);
}

function requests(route: RandomRoute): fc.Arbitrary<Slots> {
  const { parts } = route;
  const slots: Partial<Record<Slot, fc.Arbitrary<unknown>>> = {};
  for (const slot of SLOTS) {
    const shape = parts[slot];
    if (shape === undefined) continue;
    // A path or query cannot represent every value. The text that is sent may decode to another value, which must be valid too.
    slots[slot] = arbitrary(shape).filter(
      (value) =>
        canBeSent(route, slot, value) && explain(shape, received(route, slot, value), "wire", 1).length === 0,
    );
  }
  return fc.record(slots);
}

function invalidRequests(route: RandomRoute): fc.Arbitrary<InvalidRequest | undefined> {
  return requests(route).chain((slots) => {
    const ways = SLOTS.flatMap((slot) => {
      const shape = route.parts[slot];
      if (shape === undefined) return [];
      return violations(shape, slots[slot]).map((violation) =>
        violation.given.map((given) =>
          invalidRequest(route, slots, slot, shape, { ...violation, value: given }),
        ),
      );
    });
    return ways.length === 0 ? fc.constant(undefined) : fc.oneof(...ways);
  });
}

/**
 * Returns the request with one value replaced. Returns `undefined` if the new request cannot be sent, or if the value that kit receives
 * does not break exactly this rule.
 */
function invalidRequest(
  route: RandomRoute,
  slots: Slots,
  slot: Slot,
  shape: Shape,
  {
    path,
    steps,
    value,
  }: { readonly path: string; readonly steps: readonly (string | number)[]; readonly value: unknown },
): InvalidRequest | undefined {
  const changed = invalidate(shape, slots[slot], { path, steps }, value);
  if (changed === undefined || !canBeSent(route, slot, changed.value)) return undefined;
  const failures = explain(shape, received(route, slot, changed.value), "wire");
  if (failures.length === 0 || failures.some((failure) => failure.path !== path)) return undefined;
  return { slots: { ...slots, [slot]: changed.value }, path };
}

/** Returns the value that the validator of a slot receives if `value` is sent in this slot. */
function received({ compiled, table }: RandomRoute, slot: Slot, value: unknown): unknown {
  switch (slot) {
    case "params":
      return compiled.params?.params(parameterNames(compiled.path).map((name) => textOf(value, name)));
    case "query":
      return compiled.query?.query(rawQuery({ query: value }));
    case "headers": {
      const texts = textsOf(value);
      return compiled.headers?.headers((name) => texts[name]);
    }
    case "cookies":
      return compiled.cookies?.cookies(cookieHeader(value));
    case "body":
      return table.format === undefined
        ? (JSON.parse(JSON.stringify(value)) as unknown)
        : receivedBody(compiled, table.format, value);
  }
}

/** Returns true if a body can represent the lines, the fields of a form, or the parts of a multipart body that are no files. */
function canBeContent({ kind, json = [] }: TestedFormat, value: unknown): boolean {
  if (kind === "lines") return Array.isArray(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  // `fetch` writes each line break of a part as CRLF.
  const isPart = (item: unknown): boolean =>
    isText(item) && String(item).isWellFormed() && (kind === "form" || !/[\r\n]/.test(String(item)));
  return Object.entries(value).every(([name, item]: [string, unknown]) => {
    if (item === undefined || json.includes(name)) return true;
    // A body cannot represent an empty list.
    return Array.isArray(item) ? item.length > 0 && item.every(isPart) : isPart(item);
  });
}

/** Maximum length of a random header. Servers refuse requests with more header bytes with 431. */
const LONGEST_HEADER = 2000;

/** Returns true if `fetch` can send a text as a header, so that the server reads the same text. */
function isHeaderText(text: string): boolean {
  return text.length <= LONGEST_HEADER && /^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(text);
}

function isText(item: unknown): boolean {
  return item !== null && typeof item !== "object";
}

/** Returns true if a request can represent the value of a slot, for example a path parameter that is not empty. */
function canBeSent(
  { table, compiled: { path }, bodyBytes }: RandomRoute,
  slot: Slot,
  value: unknown,
): boolean {
  if (slot === "body") {
    if (table.format !== undefined) return canBeContent(table.format, value);
    // The server refuses a larger body with 413 before it checks the values.
    return value === undefined || Buffer.byteLength(jsonOf(value)) <= bodyBytes;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const values = Object.values(value).filter((item) => item !== undefined);
  // A query cannot represent an empty list.
  if (slot === "query") {
    return values.every((item) =>
      Array.isArray(item) ? item.length > 0 && item.every(isText) : isText(item),
    );
  }
  if (slot === "headers") return Object.values(textsOf(value)).every(isHeaderText);
  if (!values.every(isText)) return false;
  // `encodeURIComponent` throws for a surrogate without its partner.
  if (slot === "cookies") return values.every((item) => String(item).isWellFormed());
  // A path has no empty segments, and the segments `.` and `..` would be resolved as directories.
  return parseRoutePath(path).every(({ kind, text: name }) => {
    if (kind === "static") return true;
    const text = textOf(value, name);
    const segments = kind === "wildcard" ? text.split("/") : [text];
    return segments.every((segment) => !["", ".", ".."].includes(segment));
  });
}
