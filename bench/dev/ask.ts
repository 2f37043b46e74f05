import { type Agent, type IncomingHttpHeaders, request } from "node:http";

/** Time in milliseconds after which a request without a response fails. */
const patience = 10_000;

/** Response of the application. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Options of a request. */
export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Agent that keeps connections open. Without it, each request uses a new connection. */
  readonly agent?: Agent;
}

/**
 * Sends a request. Rejects if no complete response arrives. `isReused` of the error is true if an earlier request used the same connection.
 */
export function ask(port: number, path: string, question: RequestOptions = {}): Promise<Answer> {
  const { method = "GET", headers = {}, body, agent } = question;
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, method, headers, agent: agent ?? false });
    const fail = (error: Error): void => reject(Object.assign(error, { isReused: asked.reusedSocket }));
    asked.setTimeout(patience, () => asked.destroy(new Error(`${path} got no response in time`)));
    asked.on("error", fail);
    asked.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("error", fail);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    asked.end(body);
  });
}
