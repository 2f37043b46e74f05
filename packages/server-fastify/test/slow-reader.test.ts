import { testSlowReader } from "../../server-node/test/slow-reader.ts";
import { fastifyServer } from "../src/index.ts";

testSlowReader("fastify", fastifyServer, 2);
