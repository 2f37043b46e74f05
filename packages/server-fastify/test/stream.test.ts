import { testStreams } from "../../server-node/test/streams.ts";
import { fastifyServer } from "../src/index.ts";

testStreams("fastify", fastifyServer);
