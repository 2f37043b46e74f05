// Program for Bun: calls `app.fetch` with the cases of conformance/http.json whose names are in its standard input, a
// JSON list, and prints the responses. `fetch.test.ts` starts it and checks the responses.

import { text } from "node:stream/consumers";

import { createApp } from "@kit/core";

import { optionsOf } from "./application.ts";
import { readCases } from "./case.ts";
import { bytesOf, requestOf } from "./fetch-request.ts";

const names = new Set(JSON.parse(await text(process.stdin)) as string[]);
const { bodyLimit, cases } = readCases();
const app = createApp(optionsOf(bodyLimit));
/** Bytes of each response in Base64. `null` if Bun cannot make the request. */
const responses: Record<string, string | null> = {};
for (const one of cases.filter(({ name }) => names.has(name))) {
  const request = requestOf(one);
  if (request === undefined) {
    responses[one.name] = null;
    continue;
  }
  const { bytes } = await bytesOf(await app.fetch(request));
  responses[one.name] = bytes.toString("base64");
}
await app.close({ graceMs: 0 });
// The applications log to the standard output, too.
process.stdout.write(`\nresponses ${JSON.stringify(responses)}\n`);
