// Sends every case of conformance/http-raw.json to every server, once in one piece and once byte by byte. `cargo test -p kit-http`
// gives the cases directly to the parser, divided at every byte.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";

import { columns, type Served } from "./columns.ts";
import { checkRaw, rawBytes, type RawAnswer, type RawCase, readRawCases } from "./raw-case.ts";
import { exceptionsOf, Tally } from "./servers.ts";

/** Time in milliseconds after which a server fails that neither responds nor closes the connection. */
const timeoutMs = 5000;
const further = "GET /further HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const furtherAnswer: RawAnswer = { status: 200, method: "GET", target: "/further", body: "" };
/** Maximum number of bytes of a case that is sent byte by byte. */
const mostPieces = 600;

const cases = readRawCases();
const exceptions = exceptionsOf("raw", cases);
const tally = new Tally(
  cases.length,
  columns.map(({ name }) => name),
);

/** Sends pieces of bytes one by one. Returns the data that the server sends before it closes the connection. */
async function exchange(port: number, pieces: Iterable<Buffer>): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  const chunks: Buffer[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    socket.destroy();
    reject(new Error(`the server neither answers nor closes: ${Buffer.concat(chunks).toString("latin1")}`));
  }, timeoutMs);
  // A server that has closed the connection may reset it while the client still sends.
  socket.on("error", () => undefined).on("data", (chunk) => chunks.push(chunk));
  socket.on("close", () => resolve());
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    await turn();
  }
  await promise.finally(() => clearTimeout(timer));
  return Buffer.concat(chunks).toString("latin1");
}

function* bytewise(bytes: Buffer): Generator<Buffer> {
  for (let index = 0; index < bytes.length; index += 1) yield bytes.subarray(index, index + 1);
}

async function run(one: RawCase, port: number, impatient: number): Promise<void> {
  const sent = rawBytes(one);
  const bytes = one.then === "open" ? Buffer.concat([sent, Buffer.from(further)]) : sent;
  const expected = [
    ...one.answers,
    ...(one.then === "open" ? [furtherAnswer] : []),
    ...(typeof one.timeout === "number" ? [{ status: one.timeout }] : []),
  ];
  const to = one.then === "wait" ? impatient : port;
  checkRaw(expected, await exchange(to, [bytes]));
  if (bytes.length <= mostPieces) checkRaw(expected, await exchange(to, bytewise(bytes)));
}

for (const { name, echo } of columns) {
  describe(name, { concurrency: 16 }, () => {
    let served: readonly [patient: Served, impatient: Served];
    before(async () => {
      // Node's keep-alive timeout also runs while the head of the next request arrives, so it must be long.
      const impatient = { headersTimeoutMs: 500, keepAliveTimeoutMs: 2500, bodyTimeoutMs: 500 };
      served = [await echo(), await echo(impatient)];
    });
    after(() => Promise.all(served.map((one) => one[Symbol.asyncDispose]())));
    const runCase = (one: RawCase): Promise<void> => run(one, served[0].port, served[1].port);
    for (const one of cases) {
      test(one.name, () => tally.hold(name, exceptions.get(one.name, name), () => runCase(one)));
    }
  });
}

test("conformance/http-raw.json has more than 140 cases", () => assert.ok(cases.length > 140));
after(() => tally.print("http-raw.json"));
