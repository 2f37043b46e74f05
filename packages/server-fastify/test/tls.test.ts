import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { test } from "node:test";

import { fastify } from "fastify";

import { Authority } from "../../server-node/test/certificates.ts";
import { serve } from "../../server-node/test/support.ts";
import { testTls } from "../../server-node/test/tls.ts";
import { fastifyServer } from "../src/index.ts";

testTls("fastify", fastifyServer);

test("serves routes and hooks of the instance over TLS, and closes in the order of Fastify", async () => {
  using authority = new Authority();
  const { cert, key } = authority.sign();
  const tls = { cert: authority.path("server.pem"), key: authority.path("server.key") };
  writeFileSync(tls.cert, cert);
  writeFileSync(tls.key, key);
  const events: string[] = [];
  const web = fastify();
  web.get("/legacy", ({ protocol }) => ({ protocol }));
  web.addHook("onRequest", async ({ url }) => void events.push(url));
  web.addHook("preClose", async () => void events.push("preClose"));
  web.addHook("onClose", async () => void events.push("onClose"));
  const begun = Promise.withResolvers<void>();
  const get = async (): Promise<object> => {
    begun.resolve();
    await new Promise((resolve) => setTimeout(resolve, 100));
    events.push("handler ended");
    return { text: "late" };
  };
  const app = await serve(fastifyServer({ app: web }), { get }, { port: 0, host: "127.0.0.1", tls });
  const ask = async (path: string): Promise<string> => {
    const sent = request({ port: app.port, host: "127.0.0.1", path, ca: authority.certificate }).end();
    const [response] = (await once(sent, "response")) as [
      NodeJS.ReadableStream & { toArray(): Promise<Buffer[]> },
    ];
    return Buffer.concat(await response.toArray()).toString();
  };
  assert.equal(await ask("/legacy"), '{"protocol":"https"}');
  const late = ask("/notes/1");
  await begun.promise;
  await app.close(20_000);
  assert.equal(await late, '{"text":"late"}');
  assert.deepEqual(events, ["/legacy", "/notes/1", "preClose", "handler ended", "onClose"]);
});
