import { testStreams } from "../../server-node/test/streams.ts";
import { nativeServer } from "../src/index.ts";

testStreams("native", nativeServer);
