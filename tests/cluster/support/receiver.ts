// Program that receives OTLP over HTTP, and answers each other request with the number of messages that it received.

import { createServer } from "node:http";

let received = 0;

createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    if (request.method === "POST") received += 1;
    response.setHeader("content-type", request.method === "POST" ? "application/x-protobuf" : "text/plain");
    response.end(request.method === "POST" ? "" : String(received));
  });
}).listen(Number(process.env["PORT"]), "127.0.0.1");
