// Runs every case of conformance/http.json on every server, over real connections.

import { after, before, describe, test } from "node:test";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { check, send } from "./answer.ts";
import { readCases } from "./case.ts";
import { columns, type Served } from "./columns.ts";
import { exceptionsOf, Tally } from "./servers.ts";

quietStdout();
const { bodyLimit, cases } = readCases();
const exceptions = exceptionsOf("http", cases);
const tally = new Tally(
  cases.length,
  columns.map(({ name }) => name),
);

for (const { name, serve } of columns) {
  describe(name, { concurrency: 8 }, () => {
    let app: Served;
    before(async () => {
      app = await serve({ bodyBytes: bodyLimit });
    });
    after(() => app[Symbol.asyncDispose]());
    for (const one of cases) {
      test(one.name, async () => {
        const answer = await send(app.port, one);
        await tally.hold(name, exceptions.get(one.name, name), () => check(one, answer));
      });
    }
  });
}

after(() => tally.print("http.json"));
