import { type Agent, type IncomingHttpHeaders, request } from "node:http";

/** How long an answer may take, in milliseconds. */
const patience = 10_000;

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What is asked beyond the path. */
export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Without one each request has a connection of its own. */
  readonly agent?: Agent;
}

/** Asks, and rejects where no whole answer comes. The error's `isReused` says whether the connection had served a request before. */
export function ask(port: number, path: string, question: Question = {}): Promise<Answer> {
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
