// OpenTelemetry collector of the soak test. The collector accepts all data and stores nothing. The tests of
// packages/otel check the data.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  request
    .resume()
    .once("end", () => response.writeHead(200, { "content-type": "application/x-protobuf" }).end());
});
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify(server.address() as AddressInfo)));
process.once("SIGTERM", () => process.exit());
