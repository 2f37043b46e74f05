// TLS of the native server on node:http.
import assert from "node:assert/strict";
import { test } from "node:test";

import { serve } from "../../server-node/test/support.ts";
import { testTls } from "../../server-node/test/tls.ts";
import { nativeServer } from "../src/index.ts";

process.env["KIT_SERVER"] = "node";
testTls("native on node:http", nativeServer);

test("the native engine refuses TLS by name", async () => {
  process.env["KIT_SERVER"] = "native";
  const server = nativeServer();
  process.env["KIT_SERVER"] = "node";
  await assert.rejects(serve(server, {}, { port: 0, tls: { cert: "a.pem", key: "a.key" } }), {
    name: "StartError",
    message:
      /^the server adapter `native` has no TLS here \(hyper 1\)\n {2}in the option `tls` of `listen`\nhelp: set `KIT_SERVER=node`, /,
  });
});
