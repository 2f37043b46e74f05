// Runs the cases of conformance/http.json over HTTP/2 on the native server and the Rust server. Cases with raw bytes belong to HTTP/1.1.
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import { after, before, describe, test } from "node:test";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { Authority } from "../../packages/server-node/test/certificates.ts";
import { check, type Exchange } from "./answer.ts";
import { bodyOf, type Case, readCases } from "./case.ts";
import { columns, type Served } from "./columns.ts";

quietStdout();
const { bodyLimit, cases } = readCases();

/** Cases that have no form in HTTP/2. */
const ofHttp1: ReadonlySet<string> = new Set([
  // A target is a path, and `:authority` is the host.
  "the host of an absolute target takes the place of the header",
  "an absolute target",
  "an absolute target without a path",
]);

for (const { name, serve } of columns.filter(
  (column) => column.name === "native" || column.name === "rust",
)) {
  describe(`${name} over HTTP/2`, { concurrency: 8 }, () => {
    const authority = new Authority();
    let app: Served;
    let session: ClientHttp2Session;
    before(async () => {
      const [cert, key] = [authority.path("server.pem"), authority.path("server.key")];
      const identity = authority.sign();
      writeFileSync(cert, identity.cert);
      writeFileSync(key, identity.key);
      app = await serve({ bodyBytes: bodyLimit, tls: { cert, key, http2: true } });
      session = connect(`https://localhost:${app.port}`, { ca: authority.certificate });
      await once(session, "connect");
      assert.equal(session.alpnProtocol, "h2");
    });
    after(async () => {
      session.destroy();
      await app[Symbol.asyncDispose]();
      authority[Symbol.dispose]();
    });
    for (const one of cases) {
      if (one.request.raw !== undefined || ofHttp1.has(one.name)) continue;
      // HTTP/2 has no header `transfer-encoding`.
      const { "transfer-encoding": _, ...headers } = one.headers ?? {};
      test(one.name, async () => check({ ...one, headers }, await send(session, one)));
    }
  });
}

/** Sends the request of a case. Returns the response in the form of HTTP/1.1, whose length is too large if the stream was reset. */
async function send(session: ClientHttp2Session, { request }: Case): Promise<Exchange> {
  const { method = "GET", target = "/", headers = {}, chunks } = request;
  const { host = "localhost", ...others } = headers;
  const body = bodyOf(request);
  const hasBody = chunks !== undefined || body.length > 0;
  const stream = session.request(
    {
      ":method": method,
      ":path": target,
      ":authority": host,
      ...others,
      ...(chunks === undefined && body.length > 0 && { "content-length": body.length }),
    },
    { endStream: !hasBody },
  );
  const parts: Buffer[] = [];
  let head: IncomingHttpHeaders & { ":status"?: number | undefined } = {};
  let isCut = false;
  stream.on("response", (found) => (head = found));
  stream.on("data", (part: Buffer) => parts.push(part));
  stream.on("error", () => (isCut = true));
  const ended = new Promise((resolve) => stream.once("close", resolve));
  if (hasBody) stream.end(body);
  await ended;
  const { ":status": status = 0, ...fields } = head;
  const content = Buffer.concat(parts);
  if (isCut) fields["content-length"] ??= String(content.length + 1);
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    [value ?? ""].flat().map((text) => `${name}: ${text}\r\n`),
  );
  const bytes = Buffer.concat([Buffer.from(`HTTP/1.1 ${status} \r\n${lines.join("")}\r\n`), content]);
  return { bytes, closed: true };
}
