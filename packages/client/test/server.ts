import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** Request that the test server received. */
export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Response to send, or `undefined` to close the connection. */
export type Reply =
  | {
      status?: number;
      headers?: Record<string, string | string[]>;
      body?: string;
      afterMs?: number;
      /** `lost` to close the connection after an incomplete body, `late` to send nothing more. */
      rest?: "lost" | "late";
    }
  | undefined;

/** Server on a free loopback port that sends the responses of a test and records its requests. */
export class TestServer implements AsyncDisposable {
  readonly url: string;
  readonly requests: ReceivedRequest[] = [];
  readonly #server: ReturnType<typeof createServer>;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(reply: (request: ReceivedRequest, count: number) => Reply): Promise<TestServer> {
    let started: TestServer | undefined;
    const server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        const received = {
          method: request.method ?? "",
          url: request.url ?? "",
          headers: request.headers,
          body,
        };
        started?.requests.push(received);
        const answer = reply(received, started?.requests.length ?? 0);
        if (answer === undefined) return void request.socket.destroy();
        const end = (): void => {
          const { status = 200, body: sent = "", rest } = answer;
          const length = rest === undefined ? {} : { "content-length": `${sent.length + 1}` };
          response.writeHead(status, { "content-type": "application/json", ...length, ...answer.headers });
          if (rest === undefined) response.end(sent);
          else response.write(sent, () => rest === "lost" && request.socket.destroy());
        };
        setTimeout(end, answer.afterMs ?? 0);
      });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    started = new TestServer(server);
    return started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}
