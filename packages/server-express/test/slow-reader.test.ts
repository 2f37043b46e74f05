import { testSlowReader } from "../../server-node/test/slow-reader.ts";
import { expressServer } from "../src/index.ts";

testSlowReader("express", expressServer);
