// Tests that a difference between two servers is found, reduced to a small request, and reported with its seed
// and a shell command.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";

import { Random } from "./support/random.ts";
import { compare } from "./support/run.ts";
import { ServerUnderTest } from "./support/lane.ts";
import type { Sent } from "./support/request.ts";

/** Starts a server that responds with the length of the request body. With `odd`, its response to one kind of request is wrong. */
async function started(odd: boolean): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString();
    const length = odd && text.includes("z") ? text.length + 1 : text.length;
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ length }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

function requestOf(index: number): Sent {
  const random = new Random(1, index);
  const text = Array.from({ length: 12 }, () => random.pick([..."abcdefgh"])).join("");
  return {
    kind: "text",
    method: "POST",
    target: "/any?thing",
    headers: [
      ["host", "a"],
      ["x-own", "b"],
    ],
    body: Buffer.from(index === 700 ? `${text}'z${text}` : text),
    writes: index % 3 === 0,
  };
}

test("compare finds a difference among many requests and reduces it to a minimal request", async () => {
  const [right, wrong] = [await started(false), await started(true)];
  const lanes = [new ServerUnderTest("right", right.port), new ServerUnderTest("wrong", wrong.port)] as const;
  try {
    const result = await compare(lanes, requestOf, { seed: 1, count: 1000 });
    assert.deepEqual([result.sent, [...result.statuses]], [1000, [[400, 1000]]]);
    assert.equal(result.differences.length, 1);
    const [report = ""] = result.differences;
    assert.match(report, /^seed 1, request 700: text\n/);
    assert.match(report, /\ncurl -i --path-as-is "\$URL"'\/' -H 'content-type:' --data-binary 'z'\n/);
    assert.match(report, /right:\n[^]*\{"length":1\}\nwrong:\n[^]*\{"length":2\}/);
    const alone = await compare(lanes, requestOf, { seed: 1, first: 700, count: 1 });
    assert.deepEqual(alone.differences, result.differences);
  } finally {
    for (const lane of lanes) lane.close();
    for (const { server } of [right, wrong]) server.close();
  }
});
