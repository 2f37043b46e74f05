import { testAdapter } from "../../server-node/test/contract.ts";
import { testStreams } from "../../server-node/test/streams.ts";
import { throughHono } from "./through-hono.ts";

testAdapter("hono", throughHono);
testStreams("hono", throughHono);
