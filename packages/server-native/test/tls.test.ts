// TLS of the native server. `tls-fallback.test.ts` has the same tests on node:http.
import { testTls } from "../../server-node/test/tls.ts";
import { nativeServer } from "../src/index.ts";

testTls("native", nativeServer);
