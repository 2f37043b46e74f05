import { testAdapter } from "../../server-node/test/contract.ts";
import { honoServer } from "../src/index.ts";

testAdapter("hono", honoServer);
