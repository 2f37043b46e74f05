// Runs the cases of conformance/http.json over TLS on every server. The client of the cases speaks plain HTTP, so a small proxy in this
// process adds TLS to its bytes.

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { after, before, describe, test } from "node:test";
import { connect } from "node:tls";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { Authority } from "../../packages/server-node/test/certificates.ts";
import { check, send } from "./answer.ts";
import { readCases } from "./case.ts";
import { columns, type Served } from "./columns.ts";
import { exceptionsOf, Tally } from "./servers.ts";

quietStdout();
const { bodyLimit, cases } = readCases();
const exceptions = exceptionsOf("http", cases);

const authority = new Authority();
const tls = { cert: authority.path("server.pem"), key: authority.path("server.key") };
const { cert, key } = authority.sign();
writeFileSync(tls.cert, cert);
writeFileSync(tls.key, key);
after(() => authority[Symbol.dispose]());

/** Starts a proxy that passes bytes on to a server with TLS. */
async function addTls(port: number, ca: string): Promise<Server> {
  const proxy = createServer({ allowHalfOpen: true }, (plain) => {
    const encrypted = connect({ port, host: "127.0.0.1", ca, ALPNProtocols: ["http/1.1"] });
    encrypted.on("error", () => plain.destroy()).on("close", () => plain.destroySoon());
    plain.on("error", () => encrypted.destroy());
    encrypted.pipe(plain);
    // A connection of TLS has no closed sending side: the server would end the connection before its response.
    plain.pipe(encrypted, { end: false });
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  return proxy;
}

const overTls = new Tally(
  cases.length,
  columns.map(({ name }) => name),
);

for (const { name, serve } of columns) {
  describe(`${name} over TLS`, { concurrency: 8 }, () => {
    let app: Served;
    let proxy: Server;
    before(async () => {
      app = await serve({ bodyBytes: bodyLimit, tls });
      proxy = await addTls(app.port, authority.certificate);
    });
    after(async () => {
      await app[Symbol.asyncDispose]();
      proxy.close();
    });
    for (const one of cases) {
      test(one.name, async () => {
        const answer = await send((proxy.address() as AddressInfo).port, one);
        await overTls.hold(name, exceptions.get(one.name, name), () => check(one, answer));
      });
    }
  });
}

after(() => overTls.print("http.json over TLS"));
