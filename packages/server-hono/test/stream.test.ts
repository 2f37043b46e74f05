import { testStreams } from "../../server-node/test/streams.ts";
import { honoServer } from "../src/index.ts";

testStreams("hono", honoServer);
