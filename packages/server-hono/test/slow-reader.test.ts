import { testSlowReader } from "../../server-node/test/slow-reader.ts";
import { honoServer } from "../src/index.ts";
import { throughHono } from "./through-hono.ts";

testSlowReader("hono", honoServer);
testSlowReader("hono with middleware", throughHono, 2);
