// Checks that the response to an invalid request is not much larger than the request, whatever keys and values a client
// repeats.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import type { Serializer, Validator } from "@kit/types";

import { errorOf, json, serve, type Served } from "./support/serve.ts";
import { route } from "./support/compiled.ts";

/**
 * Limits from `docs/guide/errors.md`: a multiple of the request's size, plus a constant number of bytes. In development
 * a response also lists the failures in full.
 */
const bounds = { production: [4, 64 * 1024], development: [12, 128 * 1024] } as const;

const goldens = new URL("../../../crates/kit-emit/tests/goldens/kitchen-sink/", import.meta.url);
const types = ["Containers", "Choices", "Json", "Matrix", "OddNames", "Scalars", "Strings", "Tree"] as const;

async function load<T>(name: string): Promise<T> {
  const module = (await import(new URL("codecs.js", goldens).href)) as Record<string, T>;
  return module[name]!;
}

async function start(env: "production" | "development"): Promise<Served> {
  const routes = await Promise.all(
    types.map(async (type) => {
      const body = await load<Validator<unknown>>(`${type}Validator`);
      return [route(`POST /${type}`, { body }), () => undefined] as const;
    }),
  );
  const isUnknown = await load<Validator<unknown>>("ScalarsValidator");
  const echo: Serializer<unknown> = await load("ScalarsSerializer");
  const echoed = route("POST /echo", { body: isUnknown, response: echo });
  return serve([...routes, [echoed, ({ body }) => body]], { env, limits: { bodyBytes: 8 * 1024 * 1024 } });
}

/** Returns a deterministic generator of pseudorandom numbers. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

const characters = ["k", '"', "\\", "\u0001", "é", "😀", "\u2028", "`", "/"];
const ownKeys =
  "record mixed keyed layered ruled byMail plain dates items pair spread nested children unknown secret short pattern email quantity at name 1 class".split(
    " ",
  );

/** Returns a value with long, nested and repeated keys. */
function hostile(random: (below: number) => number, levels: number): unknown {
  const text = (): string =>
    characters[random(characters.length)]!.repeat(random(4) === 0 ? random(3_000) : random(300));
  const kind = levels === 0 ? random(4) : random(9);
  if (kind < 4) return [1e20, null, text(), -1.5e300][kind];
  if (kind < 6) {
    const item = hostile(random, levels - 1);
    return Array.from({ length: random(8) === 0 ? random(60) : random(3) }, () => item);
  }
  const count = random(8) === 0 ? random(60) : random(3);
  const key = random(2) === 0 ? text() : ownKeys[random(ownKeys.length)]!;
  const value = hostile(random, levels - 1);
  return Object.fromEntries(
    Array.from({ length: count + 1 }, (_, index) => [index === 0 ? key : `${key}${index}`, value]),
  );
}

/** Returns a JSON body of type `Scalars`. `inner` is the JSON of its property `unknown`. */
const scalars = (inner: string): string =>
  `{"unknown":${inner},"nothing":null,"flag":true,"number":1,"string":"s","big":"1","date":"2026-01-31T12:00:00Z","bytes":"","text":"it's \\"quoted\\"\\n\\u2028\`\${x}\`","seven":7,"yes":true,"huge":"12345678901234567890"}`;

const long = "k".repeat(1_000_000);
const bodies: Readonly<Record<string, unknown>> = {
  "a long key around many failures": { record: { [long]: 1 }, items: [{ [long]: 1 }] },
  "many failures below one long key": { [long]: Array.from({ length: 200 }, () => 1), record: 5 },
  "many long keys": {
    record: Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`${long.slice(0, 5000)}${index}`, 1]),
    ),
  },
  "long keys of control characters": { record: { ["\u0001".repeat(100_000)]: 1 } },
};

for (const env of ["production", "development"] as const) {
  describe(`the response to an invalid request in ${env}`, () => {
    const [factor, more] = bounds[env];

    async function sendRequest(served: Served, type: string, text: string): Promise<number> {
      const answer = await served.send(`POST /${type}`, json(text));
      assert.ok([204, 400].includes(answer.status), `${answer.status} ${answer.text?.slice(0, 500)}`);
      const size = Buffer.byteLength(answer.text ?? "");
      const request = Buffer.byteLength(text);
      assert.ok(
        size <= factor * request + more,
        `${request} bytes to ${type} were answered with ${size}: ${text.slice(0, 300)}`,
      );
      return size;
    }

    it("is limited in size if the request has long keys", async () => {
      const served = await start(env);
      for (const value of Object.values(bodies)) {
        for (const type of types) await sendRequest(served, type, JSON.stringify(value));
      }
      // One key of a megabyte that all failures share.
      const shared = `{"record":{"${long}":1}}`;
      assert.ok((await sendRequest(served, "Containers", shared)) < 8_000);
    });

    it("is limited in size if the request has long, nested and repeated keys at random", async () => {
      const served = await start(env);
      const random = randomOf(env.length);
      let refused = 0;
      for (let round = 0; round < 300; round += 1) {
        const text = JSON.stringify(hostile(random, 4));
        if (text.length > 500_000) continue;
        for (const type of types) refused += Number((await sendRequest(served, type, text)) > 0);
      }
      assert.ok(refused > 1000, `${refused} were refused`);
    });

    it("is 400 VALIDATION_ERROR, not 500, if a value of type unknown is nested too deeply", async () => {
      const served = await start(env);
      for (const [open, close] of [
        ["[", "]"],
        ['{"a":', "}"],
      ] as const) {
        const nested = (levels: number): string => `${open.repeat(levels)}1${close.repeat(levels)}`;
        assert.equal((await served.send("POST /echo", json(scalars(nested(256))))).status, 201);
        for (const levels of [257, 4_000, 5_000, 100_000]) {
          const answer = await served.send("POST /echo", json(scalars(nested(levels))));
          assert.equal(answer.status, 400, `${levels} levels`);
          const { fields } = errorOf(answer)["details"] as { fields: object[] };
          assert.deepEqual(fields, [
            { path: "$.unknown", expected: "at most 256 levels of nesting", rule: "maxDepth", limit: 256 },
          ]);
        }
      }
      assert.deepEqual(
        served.log.filter(({ level }) => level === "error" || level === "fatal"),
        [],
      );
    });
  });
}
