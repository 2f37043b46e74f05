// Tests of `kit dev` with an application that speaks TLS.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { test } from "node:test";

import { Authority } from "../../server-node/test/certificates.ts";
import { type Answer, app, Dev, sendRequest } from "./support/dev.ts";

const skip = process.platform === "win32" && "sockets are handed over on Unix only";

function ask(url: string, ca: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(`${url}/notes/1`, { agent: false, ca }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    }).on("error", reject);
  });
}

for (const [server, from] of [
  ["nativeServer", "server-native"],
  ["expressServer", "server-express"],
] as const) {
  test(`serves edits of an application with TLS on ${from}`, { skip }, async (t) => {
    const authority = new Authority();
    t.after(() => authority[Symbol.dispose]());
    const files = { ...authority.signFiles(), redirectFrom: 0 };
    const cert = readFileSync(files.cert);
    const main = (title: string): string =>
      app(title, server, from).replace(
        'host: "127.0.0.1" }',
        `host: "127.0.0.1", tls: ${JSON.stringify(files)} }`,
      );
    const dev = await Dev.start(t, main("first"));
    await dev.until(() => /serving .*https:/.test(dev.output), "it did not serve");
    const url = /serving \S*?(https:\/\/[\w.:]+)/.exec(dev.output)![1]!;
    await dev.until(() => dev.output.includes("browsers must trust the certificate"), "it said nothing");
    const serves = (what: RegExp, status: number): Promise<void> =>
      dev.until(async () => {
        // A process that ends breaks its connections.
        const found = await ask(url, authority.certificate).catch(() => undefined);
        return found?.status === status && what.test(found.text);
      }, `it did not answer with ${what}`);
    await serves(/"first"/, 200);
    await dev.project.write("src/main.ts", main("second"));
    await serves(/"second"/, 200);
    // Without an application, the stand-in responds with the same certificate.
    await dev.project.write("src/main.ts", `${main("third")}\nsetTimeout(() => process.exit(3), 100);\n`);
    await serves(/The application ended/, 503);
    await dev.project.write("src/main.ts", main("fourth"));
    await serves(/"fourth"/, 200);
    assert.equal(dev.output.split("browsers must trust").length, 2);
    // Without the certificate, the stand-in still responds, so that no client waits.
    const remove = `process.getBuiltinModule("node:fs").rmSync(${JSON.stringify(files.cert)})`;
    await dev.project.write(
      "src/main.ts",
      `${main("fifth")}\nsetTimeout(() => { ${remove}; process.exit(3); }, 100);\n`,
    );
    await dev.until(async () => {
      const found = await sendRequest(url.replace("https:", "http:")).catch(() => undefined);
      return found?.status === 503 && found.text.includes("The application ended");
    }, "the stand-in did not respond");
    await assert.rejects(ask(url, authority.certificate), { code: /^(?:EPROTO|ERR_SSL_)/ });
    assert.match(dev.output, /warning: browsers see no explanation, because .*\.pem/);
    writeFileSync(files.cert, cert);
    await dev.project.write("src/main.ts", main("sixth"));
    await serves(/"sixth"/, 200);
  });
}

test("explains over TLS if the application also listens on an address without TLS", { skip }, async (t) => {
  const authority = new Authority();
  t.after(() => authority[Symbol.dispose]());
  const files = authority.signFiles();
  // Each application knows its address before the one with TLS is ready.
  const main = app("both").replace(
    'await app.listen({ port: 0, host: "127.0.0.1" });',
    `
let found: () => void;
const isFound = new Promise<void>((resolve) => (found = resolve));
const secure = createApp({
  server: nativeServer(),
  routes: [{ handlers }],
  plugins: [{ name: "waits", onReady: () => isFound }],
});
const listening = secure.listen({ port: 0, host: "127.0.0.1", tls: ${JSON.stringify(files)} });
const plain = createApp({
  server: nativeServer(),
  routes: [{ handlers }],
  plugins: [{ name: "waits", onReady: async () => { found(); await listening; } }],
});
await plain.listen({ port: 0, host: "127.0.0.1" });
setTimeout(() => process.exit(3), 100);
`,
  );
  const dev = await Dev.start(t, main.replace(/^const app = .*$/m, ""));
  await dev.until(() => /serving .*https:/.test(dev.output), "it did not serve");
  const url = /serving \S*?(https:\/\/[\w.:]+)/.exec(dev.output)![1]!;
  await dev.until(async () => {
    const found = await ask(url, authority.certificate).catch(() => undefined);
    return found?.status === 503;
  }, "it did not explain over TLS");
});
