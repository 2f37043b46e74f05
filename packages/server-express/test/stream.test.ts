import { testStreams } from "../../server-node/test/streams.ts";
import { expressServer } from "../src/index.ts";

testStreams("express", expressServer);
