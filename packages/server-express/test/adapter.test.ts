import { testAdapter } from "../../server-node/test/contract.ts";
import { expressServer } from "../src/index.ts";

testAdapter("express", expressServer);
