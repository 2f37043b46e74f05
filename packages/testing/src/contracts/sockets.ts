/** Contract tests of WebSockets: handshakes that break a rule, and messages that break a rule. */
import { explain } from "@kit/core/codec";
import type { CompiledProtocols, MessageKind } from "@kit/types";

import { outputShape } from "../matching/output-shape.ts";
import { queryText } from "../client.ts";
import type { TestResponse } from "../test-response.ts";
import type { HeaderTexts } from "../header-texts.ts";
import { connectSocket, sendHandshake, subprotocolHeader } from "../web-socket.ts";
import { credentialTests } from "./credentials.ts";
import { NO_FIXTURE } from "./each.ts";
import { expectAnswered, expectError, expectRefused, fail, replyOf } from "./expect.ts";
import { filled, headersOf, type Slots, slotsOf } from "./request.ts";
import type { Running } from "./running.ts";
import type { AcceptedRow, RefusedRow, RouteTable, TestContext, TestedSocket } from "./tables.ts";

/** Milliseconds for which a test waits until the application closes a socket. */
const CLOSE_MS = 2000;

/** Text that WebSockets without `Text` refuse. The application closes the socket when its handler reads the text. */
const NOT_JSON = "not JSON";

/** Text that no application takes as plain text, because databases cannot store it. */
const NOT_STORABLE = "\0";

/** Plain text and bytes for applications whose contract has such messages. */
const PLAIN_TEXT = "text";
const SOME_BYTES: Uint8Array = Uint8Array.of(0, 128, 255);

/** Close codes with which an application refuses a message (RFC 6455, 7.4.1). */
const REFUSED = 1008;
const OTHER_KIND = 1003;
const NO_JSON = 1007;
const FAILED = 1011;

/** End of a WebSocket, with what the client received before. */
interface Closed {
  /** Messages of the application: text, or the bytes of a binary message. */
  readonly received: readonly (string | Uint8Array)[];
  /** `undefined` if the application did not close the socket in time. */
  readonly code: number | undefined;
  readonly reason: string;
}

type Each = (
  name: string,
  run: (app: Running, context: TestContext) => Promise<void>,
  options?: { readonly row?: AcceptedRow | RefusedRow },
) => unknown;

/** Declared error of a handshake that needs the rows of a fixture. */
class NeedsFixture extends Error {}

/** Declares the tests of a route with a WebSocket. */
export function socketTests(table: RouteTable, socket: TestedSocket, declare: Each): void {
  const each: Each = (name, run, options) =>
    declare(
      name,
      async (app, context) => {
        try {
          await run(app, context);
        } catch (error) {
          if (!(error instanceof NeedsFixture)) throw error;
          context.skip(NO_FIXTURE);
        }
      },
      options,
    );
  each("answers a request that is no handshake with 426", async (app) => {
    const { headers } = await app.fixture(table.route);
    const target = filled(pathOf(table), table.request?.params);
    const answer = await app.client.request("GET", target, { headers: { ...table.headers, ...headers } });
    expectError(table, answer, 426, "UPGRADE_REQUIRED");
  });
  if (table.auth !== undefined) credentialTests(table, table.auth, each, shakeBare);
  if (socket.protocols !== undefined) protocolTests(table, socket.protocols, each);
  const { in: received } = socket.kinds ?? { in: onlyJson };
  const takes = (name: string, messages?: readonly (string | Uint8Array)[]): unknown =>
    each(name, async (app, context) => {
      const fixture = await app.fixture(table.route);
      const slots = slotsOf(table, fixture, []);
      expectTaken(table, socket, await talk(app, table, slots, fixture.headers, messages), context);
    });
  if (received.includes("json")) takes("takes a valid message");
  if (received.includes("text")) takes("takes a text message", [PLAIN_TEXT]);
  if (received.includes("bytes")) takes("takes a binary message", [SOME_BYTES]);
  for (const row of table.accepts ?? []) {
    const [slot, path, what, given] = row;
    each(
      `takes ${nameOf(row)} ${path}: ${what}`,
      async (app, context) => {
        const fixture = await app.fixture(table.route);
        const slots = slotsOf(table, fixture, [{ slot, path, given }]);
        expectTaken(table, socket, await talk(app, table, slots, fixture.headers), context);
      },
      { row },
    );
  }
  for (const row of table.refuses ?? []) {
    const [slot, path, what, given, where] = row;
    each(
      `refuses ${nameOf(row)} ${path}: ${what}`,
      async (app, context) => {
        if (slot !== "body") {
          const headers = await app.headers(table.route);
          const answer = await shake(app, table, slotsOf(table, {}, [{ slot, path, given }]), headers);
          expectRefused(table, answer, path, where === "within");
          return;
        }
        const fixture = await app.fixture(table.route);
        const slots = slotsOf(table, fixture, [{ slot, path, given }]);
        expectClosed(table, await talk(app, table, slots, fixture.headers), path, context);
      },
      { row },
    );
  }
  const refuses = (name: string, message: string | Uint8Array, expected: number): unknown =>
    each(name, async (app, context) => {
      const fixture = await app.fixture(table.route);
      const slots = slotsOf(table, fixture, []);
      const { code, reason } = await talk(app, table, slots, fixture.headers, [message]);
      if (mayBeUnread(code)) notProved(table, code, context);
      else if (code !== expected) fail(unexpected(table, code, reason, String(expected)));
    });
  if (received.includes("json")) refuses("refuses text that is not JSON", NOT_JSON, NO_JSON);
  else if (received.includes("text"))
    refuses("refuses text that databases cannot store", NOT_STORABLE, REFUSED);
  else refuses("refuses a text message", PLAIN_TEXT, OTHER_KIND);
  if (!received.includes("bytes")) refuses("refuses a binary message", SOME_BYTES, OTHER_KIND);
}

const onlyJson: readonly MessageKind[] = ["json"];

/** Returns a text that the application refuses, so that its handler ends. */
function lastMessage({ kinds }: TestedSocket): string {
  return kinds?.in.includes("text") === true ? NOT_STORABLE : NOT_JSON;
}

/** Declares the tests of the subprotocols of a route. */
function protocolTests(table: RouteTable, { names, optional }: CompiledProtocols, each: Each): void {
  const offer = async (app: Running, offered: string | undefined): Promise<TestResponse> => {
    const fixture = await app.fixture(table.route);
    const slots = slotsOf(table, fixture, []);
    const headers = { ...headersOf(table, slots, fixture.headers, await app.defaultHeaders()) };
    delete headers[subprotocolHeader];
    if (offered !== undefined) headers[subprotocolHeader] = offered;
    return sendHandshake(app.client.url, targetOf(table, slots), headers);
  };
  for (const name of names) {
    each(`chooses the subprotocol ${name} if the client offers it`, async (app) => {
      const answer = await offer(app, `${unknownProtocol(names)}, ${name}`);
      expectOpened(app, table, answer);
      const chosen = answer.headers.get(subprotocolHeader);
      if (chosen !== name) fail(`${table.route} chose the subprotocol ${String(chosen)}, expected ${name}`);
    });
  }
  each("refuses an unknown subprotocol", async (app) => {
    const answer = await offer(app, unknownProtocol(names));
    expectError(table, answer, 400, "UNSUPPORTED_SUBPROTOCOL");
  });
  each(`${optional ? "takes" : "refuses"} a client without a subprotocol`, async (app) => {
    const answer = await offer(app, undefined);
    if (optional) expectOpened(app, table, answer);
    else expectError(table, answer, 400, "UNSUPPORTED_SUBPROTOCOL");
  });
}

/** Returns a subprotocol that the contract does not name. */
function unknownProtocol(names: readonly string[]): string {
  let name = "unknown";
  while (names.includes(name)) name += "-x";
  return name;
}

/**
 * Checks that the application accepted a valid handshake. A declared error fails the test only if the route has a fixture.
 *
 * @throws {NeedsFixture} If the response is a declared error, and the route has no fixture.
 */
function expectOpened(app: Running, table: RouteTable, answer: TestResponse): void {
  if (answer.status === 101) return;
  app.checkCredentials(table, answer);
  if (answer.status < 400 || replyOf(table, answer) !== undefined)
    fail(`${table.route} did not open a WebSocket`, answer);
  expectAnswered(table, answer, app.hasFixture(table.route));
  throw new NeedsFixture();
}

/** Returns the headers of a handshake, with the first subprotocol of the contract unless the fixture offers others. */
function handshakeHeaders(
  table: RouteTable,
  slots: Slots,
  given: HeaderTexts,
  defaults: HeaderTexts = {},
): HeaderTexts {
  const first = table.socket?.protocols?.names[0];
  const offer = first === undefined ? {} : { [subprotocolHeader]: first };
  return { ...offer, ...headersOf(table, slots, given, defaults) };
}

function nameOf([slot]: AcceptedRow | RefusedRow): string {
  return slot === "body" ? "message" : slot;
}

function pathOf({ route }: RouteTable): string {
  return route.split(" ")[1] ?? "";
}

function targetOf(table: RouteTable, slots: Slots): string {
  return filled(pathOf(table), slots.params) + queryText((slots.query ?? {}) as Record<string, unknown>);
}

/** Sends a handshake with the headers of the client, and returns the response. */
async function shake(
  app: Running,
  table: RouteTable,
  slots: Slots,
  given: Readonly<Record<string, string>>,
): Promise<TestResponse> {
  const headers = handshakeHeaders(table, slots, given, await app.defaultHeaders());
  return sendHandshake(app.client.url, targetOf(table, slots), headers);
}

/** Sends a handshake, and returns the response. A handshake that is accepted has the status 101. */
function shakeBare(
  app: Running,
  table: RouteTable,
  slots: Slots,
  given: Readonly<Record<string, string>>,
): Promise<TestResponse> {
  return sendHandshake(app.client.url, targetOf(table, slots), handshakeHeaders(table, slots, given));
}

/**
 * Opens a WebSocket, sends the given messages or else the body of `slots`, and then text that the application refuses. The
 * application closes the socket because of the first message, or else because of the text.
 */
async function talk(
  app: Running,
  table: RouteTable,
  slots: Slots,
  given: Readonly<Record<string, string>>,
  messages: readonly (string | Uint8Array)[] = slots.body === undefined ? [] : [JSON.stringify(slots.body)],
): Promise<Closed> {
  const answer = await shake(app, table, slots, given);
  expectOpened(app, table, answer);
  const headers = handshakeHeaders(table, slots, given, await app.defaultHeaders());
  const socket = connectSocket(app.client.url, targetOf(table, slots), headers);
  const received: (string | Uint8Array)[] = [];
  const { promise, resolve } = Promise.withResolvers<Closed>();
  const timer = setTimeout(() => {
    resolve({ received, code: undefined, reason: "" });
    socket.close();
  }, CLOSE_MS);
  socket.addEventListener("open", () => {
    for (const message of [...messages, lastMessage(table.socket!)]) socket.send(message);
  });
  socket.addEventListener("message", ({ data }) => {
    received.push(typeof data === "string" ? data : new Uint8Array(data as ArrayBuffer));
  });
  socket.addEventListener("close", ({ code, reason }) => {
    clearTimeout(timer);
    resolve({ received, code, reason });
  });
  return promise;
}

/** Checks that the application accepted the message, and that messages of the application satisfy the contract. */
function expectTaken(table: RouteTable, socket: TestedSocket, closed: Closed, context: TestContext): void {
  const { code, reason, received } = closed;
  const isRule = reason.startsWith("$");
  const isRefused = code === REFUSED || code === OTHER_KIND || code === NO_JSON;
  if (isRule && isRefused && !refusesLast(socket, code, reason))
    fail(`${table.route} refused a message that its contract allows: ${reason}`);
  if (isRule && code === FAILED)
    fail(`The handler of ${table.route} sent a message that breaks its contract: ${reason}`);
  if (code === FAILED)
    fail(
      `${table.route} closed the WebSocket because its handler failed; the log of the application has the error`,
    );
  for (const message of received) expectSent(table, socket, message);
  // The handler may have ended the socket because of the message. Only a socket that stays open was not read.
  if (code === undefined) notProved(table, code, context);
}

/** Returns true if an application that keeps its contract closes a socket so because of the last message. */
function refusesLast(socket: TestedSocket, code: number, reason: string): boolean {
  const received = socket.kinds?.in ?? onlyJson;
  if (received.includes("json")) return code === NO_JSON;
  if (received.includes("text")) return code === REFUSED;
  return code === OTHER_KIND && reason === "$: expected a binary message";
}

/** Checks that a message of the application satisfies the contract. */
function expectSent(table: RouteTable, { out, kinds }: TestedSocket, message: string | Uint8Array): void {
  const { out: sent } = kinds ?? { out: onlyJson };
  const what = typeof message === "string" ? "text" : "bytes";
  if (sent.includes(what)) return;
  if (out === null || typeof message !== "string") {
    const kind = what === "text" ? "a text message" : "a binary message";
    fail(`${table.route} sent ${kind}, which its contract does not declare`);
  }
  let value: unknown;
  try {
    value = JSON.parse(message);
  } catch {
    value = message;
  }
  const [first] = explain(outputShape(out), value, "wire");
  if (first === undefined) return;
  fail(
    `A message of ${table.route} does not match its contract: ${first.path}: expected ${first.expected}, received ${first.received}`,
  );
}

/** Checks that the application refused the message because of the value at `path`, or below it. */
function expectClosed(table: RouteTable, { code, reason }: Closed, path: string, context: TestContext): void {
  if (mayBeUnread(code)) notProved(table, code, context);
  else if (code !== REFUSED || !reason.startsWith(path))
    fail(unexpected(table, code, reason, `1008 and ${path}`));
}

/** Returns true if the handler has possibly not read the message: a handler that reads no messages does not see them. */
function mayBeUnread(code: number | undefined): code is 1000 | undefined {
  return code === undefined || code === 1000;
}

/** Skips a test whose result depends on a message that the handler has possibly not read. */
function notProved({ route }: RouteTable, code: number | undefined, context: TestContext): void {
  const end = code === undefined ? "did not close the WebSocket" : "closed the WebSocket itself";
  context.skip(`not proved: the handler of ${route} ${end}, so it possibly did not read the message`);
}

function unexpected({ route }: RouteTable, code: number, reason: string, expected: string): string {
  return `${route} closed the WebSocket with ${code} ${reason}, expected ${expected}`;
}
