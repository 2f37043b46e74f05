import { AssertionError } from "node:assert";

import type { CompiledRoute } from "@kit/types";
import { explain, type Shape } from "@kit/core/codec";
import * as fc from "fast-check";

import type { ContractParts } from "../coverage/contracts.ts";
import { arbitrary, NoValueError, spoil, spoilings } from "../values/index.ts";
import { expectAnswered, expectRefused } from "./expect.ts";
import { commandOf, type RandomKind, type Randomness } from "./randomness.ts";
import { rawQuery, send, type Slots, slotsOf, textOf } from "./request.ts";
import type { Running } from "./running.ts";
import type { RouteTable, Slot } from "./tables.ts";

const SLOTS = ["params", "query", "body"] as const;

/** Requests that are sent to make a failure smaller: each costs what a request costs. */
const MOST_SHRINKS = 300;

/** A route as the tests of random requests see it. */
export interface RandomRoute {
  readonly table: RouteTable;
  readonly parts: ContractParts;
  readonly compiled: CompiledRoute;
}

/** A request with one rule broken. */
interface Spoiled {
  readonly slots: Slots;
  readonly path: string;
}

/** What came of random requests; otherwise why there were none. */
export type Outcome = { readonly sent: number } | { readonly none: string };

/**
 * Sends random requests of a kind until one is not answered as the contract says; that one is made as small as it can be.
 *
 * @throws What is wrong with the answer, and the command that sends the request again.
 */
export async function sendRandom(
  route: RandomRoute,
  kind: RandomKind,
  { runs, seed, replay }: Randomness,
  app: Running,
): Promise<Outcome> {
  const check = (slots: unknown): Promise<void> =>
    kind === "valid" ? holdValid(route, slots as Slots, app) : holdSpoiled(route, slots as Spoiled, app);
  let [sent, sinceFailure] = [0, Number.NaN];
  const drawn: fc.Arbitrary<unknown> = kind === "valid" ? requests(route) : spoiledRequests(route);
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
    if (error instanceof NoValueError) return { none: error.message };
    throw error;
  }
  if (!found.failed) return { sent };
  // Nothing was sent where whatever was drawn could not be.
  if (found.counterexample === null) return { none: `no ${kind} request of it could be made` };
  const { errorInstance, counterexamplePath, numShrinks } = found;
  if (errorInstance instanceof NoValueError) return { none: errorInstance.message };
  const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const path = replay?.path ?? counterexamplePath ?? "0";
  const smaller = numShrinks === 0 ? "" : `, made smaller in ${numShrinks} steps`;
  const how = `found by random requests, seed ${seed}${smaller}`;
  const error = new AssertionError({
    // The whole message at once: some runners print the stack, which has the message that an error was made with.
    message: `${why}\n${how}\n${commandOf(seed, { route: route.table.route, kind, path })}`,
    stackStartFn: sendRandom,
  });
  // Of what is wrong with an answer all is said; a request that failed has a reason of its own.
  if (!(errorInstance instanceof AssertionError)) error.cause = errorInstance;
  throw error;
}

/** A valid request is taken, or answered with an error that its contract declares. */
async function holdValid({ table }: RandomRoute, slots: Slots, app: Running): Promise<void> {
  const fixture = await app.fixture(table.route);
  const whole = slotsOf({ ...table, request: slots, fresh: {} }, fixture, []);
  expectAnswered(table, await send(app.client, table, whole, { headers: fixture.headers }), false);
}

/** A spoiled one is refused with the place that is wrong. */
async function holdSpoiled({ table }: RandomRoute, { slots, path }: Spoiled, app: Running): Promise<void> {
  const headers = await app.headers(table.route);
  expectRefused(table, await send(app.client, table, slots, { headers }), path, false);
}

function requests({ parts, compiled }: RandomRoute): fc.Arbitrary<Slots> {
  const slots: Partial<Record<Slot, fc.Arbitrary<unknown>>> = {};
  for (const slot of SLOTS) {
    const shape = parts[slot];
    if (shape === undefined) continue;
    // What a path or a query cannot say is no request; where its text says something else, that must be right too.
    slots[slot] = arbitrary(shape).filter(
      (value) =>
        canBeSent(slot, compiled.path, value) &&
        explain(shape, received(compiled, slot, value), "wire", 1).length === 0,
    );
  }
  return fc.record(slots);
}

function spoiledRequests(route: RandomRoute): fc.Arbitrary<Spoiled | undefined> {
  return requests(route).chain((slots) => {
    const ways = SLOTS.flatMap((slot) => {
      const shape = route.parts[slot];
      if (shape === undefined) return [];
      return spoilings(shape, slots[slot]).map((spoiling) =>
        spoiling.given.map((given) =>
          spoiledRequest(route, slots, slot, shape, { ...spoiling, value: given }),
        ),
      );
    });
    return ways.length === 0 ? fc.constant(undefined) : fc.oneof(...ways);
  });
}

/** The request with that change; nothing where it cannot be sent, or says something valid then. */
function spoiledRequest(
  { compiled }: RandomRoute,
  slots: Slots,
  slot: Slot,
  shape: Shape,
  {
    path,
    steps,
    value,
  }: { readonly path: string; readonly steps: readonly (string | number)[]; readonly value: unknown },
): Spoiled | undefined {
  const spoiled = spoil(shape, slots[slot], { path, steps }, value);
  if (spoiled === undefined || !canBeSent(slot, compiled.path, spoiled.value)) return undefined;
  const failures = explain(shape, received(compiled, slot, spoiled.value), "wire");
  if (failures.length === 0 || failures.some((failure) => failure.path !== path)) return undefined;
  return { slots: { ...slots, [slot]: spoiled.value }, path };
}

/** What the validator of a slot is given when that is sent. */
function received({ params, query, path }: CompiledRoute, slot: Slot, value: unknown): unknown {
  if (slot === "query") return query?.query(rawQuery({ query: value }));
  if (slot === "body") return JSON.parse(JSON.stringify(value)) as unknown;
  const names = path.split("/").flatMap((part) => (/^[:*]/.test(part) ? [part.slice(1)] : []));
  return params?.params(names.map((name) => textOf(value, name)));
}

function isText(item: unknown): boolean {
  return item !== null && typeof item !== "object";
}

/** Whether a value of a slot has a form in a request. */
function canBeSent(slot: Slot, path: string, value: unknown): boolean {
  if (slot === "body") return true;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const values = Object.values(value).filter((item) => item !== undefined);
  // No query says that a list is empty.
  if (slot === "query") {
    return values.every((item) =>
      Array.isArray(item) ? item.length > 0 && item.every(isText) : isText(item),
    );
  }
  if (!values.every(isText)) return false;
  // A path has no empty segments, and two that mean directories.
  return path.split("/").every((part) => {
    if (!/^[:*]/.test(part)) return true;
    const text = textOf(value, part.slice(1));
    const segments = part.startsWith("*") ? text.split("/") : [text];
    return segments.every((segment) => !["", ".", ".."].includes(segment));
  });
}
