// Tests that SIGTERM under load loses no request whose handler has started. `cargo xtask soak stopping` runs the same test many times.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Project } from "./support/project.ts";

const files = new Map([
  ["package.json", '{ "name": "marks", "private": true, "type": "module" }'],
  [
    "src/marks.routes.ts",
    `import type { RouteContract } from "@kit/types";
export interface Mark { mark: string }
export interface MarkRoutes {
  "GET /marks/:mark": RouteContract<{ mark: string }, void, void, Mark>;
}
`,
  ],
  [
    "src/main.ts",
    `import { openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { MarkRoutes } from "./marks.routes.ts";

const journal = openSync(process.env["JOURNAL"]!, "a");
const handlers = defineHandlers<MarkRoutes>({
  "GET /marks/:mark": async ({ params }) => {
    writeSync(journal, params.mark + "\\n");
    await sleep(params.mark.endsWith("7") ? 40 : 0);
    return { mark: params.mark };
  },
});
const app = createApp({ server: nativeServer(), routes: [{ handlers }] });
const { url } = await app.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" });
console.log("Listening on " + url);
`,
  ],
]);

let project: Project;
before(async () => {
  project = await Project.of(files);
  await project.kitOk("build");
});
after(() => project.remove());

/** Requests of all clients: those with a response, and those without. */
interface Requests {
  readonly answered: Set<string>;
  readonly unanswered: Set<string>;
}

/** Sends requests on one connection until the server closes it, `atOnce` of them together. Returns true if there was a response. */
async function sendRequests(
  port: number,
  name: string,
  atOnce: number,
  requests: Requests,
): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  let text = "";
  let wake: (() => void) | undefined;
  const state = { ended: false };
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    wake?.();
  });
  socket.on("close", () => {
    state.ended = true;
    wake?.();
  });
  let requestCount = 0;
  for (let number = 0; !state.ended; number += atOnce) {
    const marks = Array.from({ length: atOnce }, (_, index) => `${name}-${number + index}`);
    socket.write(marks.map((mark) => `GET /marks/${mark} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
    requestCount += marks.length;
    const has = (mark: string): boolean => text.includes(`{"mark":"${mark}"}`);
    while (!state.ended && !has(marks.at(-1)!)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
    for (const mark of marks) (has(mark) ? requests.answered : requests.unanswered).add(mark);
    text = state.ended ? text : "";
  }
  return requestCount > atOnce;
}

test("SIGTERM under load loses no request whose handler has started", { timeout: 60_000 }, async () => {
  for (let round = 0; round < 4; round += 1) {
    const journal = join(project.root, `journal-${round}`);
    const app = await project.start({ mode: "production", env: { JOURNAL: journal } });
    const requests: Requests = { answered: new Set(), unanswered: new Set() };
    const load = { goesOn: true };
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let turn = 0; load.goesOn; turn += 1) {
        // A connection without any response was opened too late.
        if (!(await sendRequests(app.port, `${client}-${turn}`, client % 2 === 0 ? 1 : 3, requests)))
          await sleep(5);
      }
    });
    await sleep(120 + round * 23);
    const { code } = await app.stop();
    load.goesOn = false;
    await Promise.all(clients);
    assert.equal(code, 0);
    const begun = readFileSync(journal, "utf8").trim().split("\n");
    assert.ok(begun.length > 20, `the load was none: ${begun.length} requests`);
    const lost = begun.filter((mark) => !requests.answered.has(mark));
    assert.deepEqual(lost, [], `of ${begun.length} requests`);
    assert.equal(new Set(begun).size, begun.length, "a request was begun twice");
  }
});
