import { testTls } from "../../server-node/test/tls.ts";
import { expressServer } from "../src/index.ts";

testTls("express", expressServer);
