import { type Agent, type IncomingHttpHeaders, request } from "node:http";

/** Timeout for a response, in milliseconds. */
const patience = 10_000;

/** Response. */
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
  /** Without an agent, each request uses a new connection. */
  readonly agent?: Agent;
}

/**
 * Sends a request. Rejects if no complete response arrives. The error's `isReused` is true if the connection had served a request before.
 */
export function ask(port: number, path: string, question: RequestOptions = {}): Promise<Answer> {
  const { method = "GET", headers = {}, body, agent } = question;
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, method, headers, agent: agent ?? false });
    const fail = (error: Error): void => reject(Object.assign(error, { isReused: asked.reusedSocket }));
    asked.setTimeout(patience, () => asked.destroy(new Error(`${path} was not answered`)));
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
