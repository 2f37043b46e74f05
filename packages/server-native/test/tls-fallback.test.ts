// TLS of the native server on node:http.
import { testTls } from "../../server-node/test/tls.ts";
import { nativeServer } from "../src/index.ts";

process.env["KIT_SERVER"] = "node";
testTls("native on node:http", nativeServer);
