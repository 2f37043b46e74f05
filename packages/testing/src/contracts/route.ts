import { isDeepStrictEqual } from "node:util";

import type { CompiledRoute } from "@kit/types";

import type { Slot } from "../coverage/contracts.ts";
import { itemsOf, SLOTS } from "../coverage/items.ts";
import type { TestResponse } from "../test-response.ts";
import { missing, stepsOf, valueAt } from "../values/values-at-paths.ts";
import { decodedBody, formatTests, LARGEST_BODY, LIMIT_TOO_LARGE } from "./bodies.ts";
import { acceptTests, withFormat } from "./choices.ts";
import { credentialTests } from "./credentials.ts";
import { downloadTests } from "./downloads.ts";
import { expectAnswered, expectError, expectLifecycle, expectRefused, fail } from "./expect.ts";
import { listTests } from "./lists.ts";
import { watchPassed } from "./passed-requests.ts";
import { type RandomRoute, sendRandom, withBody } from "./random.ts";
import { type RandomKind, type Randomness, randomnessOf } from "./randomness.ts";
import type { RunnerAt } from "./places.ts";
import { socketTests } from "./sockets.ts";
import { cookieHeader, filled, rawQuery, send, type Slots, slotsOf, textsOf } from "./request.ts";
import type { Running } from "./running.ts";
import {
  type AcceptedRow,
  type ContractTests,
  type RefusedRow,
  type RouteTable,
  type TestContext,
  type TestRunner,
  titleOf,
} from "./tables.ts";

/** Value for properties that the contract does not declare. */
const UNDECLARED = "undeclared by the contract";

/** Number of nested lists that overflows the stack of every recursive JSON parser. */
const NESTED_LISTS = 100_000;

/** Test that sends requests to the application. */
type Run = (running: Running, context: TestContext) => Promise<void>;

/**
 * Options of a test: the row whose line is the location of the test, and a timeout in milliseconds for runners with
 * timeouts.
 */
interface EachOptions {
  readonly row?: AcceptedRow | RefusedRow;
  readonly timeout?: number;
}

/** Declares a test that sends requests to the application. */
type Each = (name: string, run: Run, options?: EachOptions) => unknown;

/** Route with the generated file that contains its tests. */
export interface TestedRoute {
  readonly tests: ContractTests;
  readonly table: RouteTable;
  readonly runnerAt: RunnerAt;
}

/** Timeout of a test with random requests. The default of vitest is five seconds, and these tests may take longer. */
const RANDOM_TIMEOUT_MS = 60_000;
const RANDOM_REQUEST_MS = 1000;

/** Declares the tests of one route. */
export function routeTests({ tests, table, runnerAt }: TestedRoute, running: () => Running): void {
  const { test } = runnerAt();
  const { skip, untested, request } = table;
  if (skip !== undefined) {
    test("is left out", async (context) => context.skip(skip));
    return;
  }
  const random = randomnessOf(process.env);
  if (random?.replay !== undefined && random.replay.title !== titleOf(table)) return;
  if (random?.replay === undefined) wrongMethod(test, table, running);
  if (untested !== undefined) {
    test("is tested", async () => fail(`${table.route}: ${untested}`));
    return;
  }
  const found = tests.contracts.application.routes.find((route) => route.ref === table.route);
  if (found === undefined || request === undefined) {
    throw new Error(
      `The generated tests are out of date: the application has no route ${table.route}. Run \`kit build\``,
    );
  }
  const compiled = withFormat(found, table.choice);
  const each: Each = (name, run, { row, timeout } = {}) =>
    runnerAt(row).test(
      name,
      async (context: TestContext) => {
        const app = running();
        if (app.isClosed(table.route))
          return context.skip("the application refuses the headers of the tests");
        await run(app, context);
      },
      timeout,
    );

  if (random?.replay !== undefined) {
    randomTest(tests, { table, compiled }, random.replay.kind, random, each);
    return;
  }
  if (table.socket !== undefined) {
    socketTests(table, table.socket, each);
    return;
  }
  each("answers a valid request", async (app) => {
    const fixture = await app.fixture(table.route);
    const { headers } = fixture;
    const answer = await send(app, table, slotsOf(table, fixture, []), { headers });
    app.checkCredentials(table, answer);
    expectAnswered(table, answer, app.hasFixture(table.route));
  });
  const { lifecycle } = compiled;
  if (lifecycle !== undefined) {
    each("announces its end in headers", async (started) => {
      const fixture = await started.fixture(table.route);
      const { headers } = fixture;
      const answer = await send(started, table, slotsOf(table, fixture, []), { headers });
      expectLifecycle(table, Object.keys(lifecycle), answer);
    });
  }
  if (table.list !== undefined) listTests(table, table.list, each);
  if (table.auth !== undefined) credentialTests(table, table.auth, each);
  for (const row of table.accepts ?? [])
    each(named("takes", row), (app) => takes(table, compiled, row, app), { row });
  for (const row of table.refuses ?? [])
    each(named("refuses", row), (app) => refuses(table, row, app), { row });
  for (const slot of ["query", "body"] as const) {
    const paths = (table.closed ?? []).filter(([of]) => of === slot).map(([, path]) => path);
    if (paths.length > 0)
      each(`drops undeclared properties of ${slot}`, (app) => drops(table, compiled, slot, paths, app));
  }
  if (table.format !== undefined) formatTests(table, table.format, each);
  else if (request.body !== undefined) bodyTests(table, compiled, each);
  acceptTests(table, each);
  downloadTests(table, each);
  if (random === undefined) return;
  for (const kind of ["valid", "spoiled"] as const) {
    randomTest(tests, { table, compiled }, kind, random, each);
  }
}

/** Declares a test that sends random requests. Declares none if the route has no slot. */
function randomTest(
  { contracts }: ContractTests,
  route: Pick<RandomRoute, "table" | "compiled">,
  kind: RandomKind,
  random: Randomness,
  each: Each,
): void {
  const { table } = route;
  const contract = contracts.routes.find((one) => one.route === table.route);
  const parts = contract && withBody(contract, table.choice);
  if (parts === undefined || SLOTS.every((slot) => parts[slot] === undefined)) return;
  // Some routes have no rule that a request can break, for example if their only input is a string in the path.
  if (kind === "spoiled" && itemsOf({ routes: [parts] }).every((item) => item.kind !== "rule")) return;
  const verb = kind === "valid" ? "takes" : "refuses";
  const name =
    random.replay === undefined ? `${verb} ${random.runs} random requests` : `${verb} a random request again`;
  each(
    name,
    async (app, context) => {
      const outcome = await sendRandom(
        { ...route, parts, bodyBytes: app.bodyLimit(route.table.route) },
        kind,
        random,
        app,
      );
      if ("skipped" in outcome) context.skip(outcome.skipped);
    },
    { timeout: RANDOM_TIMEOUT_MS + random.runs * RANDOM_REQUEST_MS },
  );
}

function named(verb: string, [slot, path, what]: AcceptedRow | RefusedRow): string {
  return `${verb} ${slot} ${path}: ${what}`;
}

function wrongMethod(test: TestRunner["test"], table: RouteTable, running: () => Running): void {
  const { wrongMethod: wrong } = table;
  if (wrong === undefined) return;
  test(`refuses ${wrong.method}`, async (context) => {
    const path = filled(table.route.split(" ")[1] ?? "", table.request?.params);
    const headers = { ...table.headers, ...(await running().headers(table.route)) };
    const { answer, isOfFramework } = await watchPassed(wrong.method, () =>
      running().client.request(wrong.method, path, { headers }),
    );
    if (isOfFramework) {
      return context.skip(
        `\`server.routes\` has passed ${wrong.method} on to the framework, which answered ${answer.status}`,
      );
    }
    expectError(table, answer, 405, "METHOD_NOT_ALLOWED");
    const allow = answer.headers.get("allow");
    if (allow !== wrong.allow)
      fail(`${table.route}: the header \`Allow\` is ${allow}, expected ${wrong.allow}`, answer);
  });
}

async function takes(
  table: RouteTable,
  compiled: CompiledRoute,
  row: AcceptedRow,
  app: Running,
): Promise<void> {
  const [slot, path, , given, filledIn] = row;
  const fixture = await app.fixture(table.route);
  const slots = slotsOf(table, fixture, [{ slot, path, given }]);
  expectAnswered(table, await send(app, table, slots, { headers: fixture.headers }), false);
  if (row.length < 5) return;
  const whole =
    slot === "body" && table.format !== undefined
      ? decodedBody(compiled, table.format, slots)
      : decoded(compiled, slot, slots);
  const found = valueAt(whole, stepsOf(path));
  if (!isDeepStrictEqual(found, filledIn)) {
    fail(
      `If a request has no ${path}, the handler of ${table.route} should get the default ${JSON.stringify(filledIn)}, but gets ${JSON.stringify(found)}`,
    );
  }
}

async function refuses(table: RouteTable, row: RefusedRow, app: Running): Promise<void> {
  const [slot, path, , given, where] = row;
  // Invalid requests get no fixture, because no handler runs for them. Only the headers of the fixture are needed.
  const headers = await app.headers(table.route);
  const answer = await send(app, table, slotsOf(table, {}, [{ slot, path, given }]), { headers });
  expectRefused(table, answer, path, where === "within");
}

/** Checks that a request with undeclared properties is valid, and that the handler does not get these properties. */
async function drops(
  table: RouteTable,
  compiled: CompiledRoute,
  slot: "query" | "body",
  paths: readonly string[],
  app: Running,
): Promise<void> {
  const fixture = await app.fixture(table.route);
  const valid = slotsOf(table, fixture, []);
  // Each call of `slotsOf` would create new unique strings. The two requests must have equal ones, so the second is made from the first.
  const of = { ...table, request: valid, fresh: {} };
  const more = slotsOf(
    of,
    {},
    paths.map((path) => ({ slot, path: `${path}.undeclared`, given: UNDECLARED })),
  );
  expectAnswered(table, await send(app, table, more, { headers: fixture.headers }), false);
  const [expected, found] = [decoded(compiled, slot, valid), decoded(compiled, slot, more)];
  if (!isDeepStrictEqual(found, expected)) {
    fail(
      `The handler of ${table.route} gets properties that its contract does not declare: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`,
    );
  }
}

/** Returns what a handler gets as its `query`, `headers`, `cookies` or `body` for a valid request. */
function decoded({ query, headers, cookies, body }: CompiledRoute, slot: Slot, slots: Slots): unknown {
  switch (slot) {
    case "query":
      return query?.decode(query.query(rawQuery(slots)));
    case "headers": {
      const texts = textsOf(slots.headers);
      return headers?.decode(headers.headers((name) => texts[name]));
    }
    case "cookies":
      return cookies?.decode(cookies.cookies(cookieHeader(slots.cookies)));
    default:
      // `JSON.stringify` removes properties that are `undefined`, as sending the body does.
      return body?.decode(JSON.parse(JSON.stringify(slots.body)));
  }
}

/** Declares tests of bodies that kit refuses before the validation of their values. */
function bodyTests(table: RouteTable, compiled: CompiledRoute, each: Each): void {
  const valid = JSON.stringify(table.request?.body);
  const text = async (app: Running, body: string, type = "application/json"): Promise<TestResponse> =>
    send(app, table, slotsOf(table, {}, []), {
      text: body,
      headers: { ...(await app.headers(table.route)), "content-type": type },
    });
  each("refuses a body that is cut off", async (app) =>
    expectRefused(table, await text(app, `{ "cut": ${valid.slice(0, -1)}`), "$", false),
  );
  each("refuses a missing body", async (app) => {
    const slots = slotsOf(table, {}, [{ slot: "body", path: "$", given: missing }]);
    const answer = await send(app, table, slots, { headers: await app.headers(table.route) });
    expectRefused(table, answer, "$", false);
  });
  const other = table.choice === undefined ? "text/plain" : "application/x-kit-other";
  each(`refuses ${other}`, async (app) => {
    expectError(table, await text(app, valid, other), 415, "UNSUPPORTED_MEDIA_TYPE");
  });
  each("refuses a body of deeply nested lists", async (app, context) => {
    // A body of type `unknown` accepts nested lists.
    if (compiled.body?.is([[[[]]]]) === true) return context.skip("the contract allows nested lists");
    const answer = await text(app, `${"[".repeat(NESTED_LISTS)}${"]".repeat(NESTED_LISTS)}`);
    if (answer.status === 413) expectError(table, answer, 413, "PAYLOAD_TOO_LARGE");
    else expectRefused(table, answer, "$", true);
  });
  each("refuses a body that is too large", async (app, context) => {
    const limit = app.bodyLimit(table.route);
    if (limit > LARGEST_BODY) return context.skip(LIMIT_TOO_LARGE);
    const answer = await text(app, valid.padEnd(limit + 1));
    expectError(table, answer, 413, "PAYLOAD_TOO_LARGE");
  });
}
