import { testAdapter } from "../../server-node/test/contract.ts";
import { fastifyServer } from "../src/index.ts";

testAdapter("fastify", fastifyServer);
