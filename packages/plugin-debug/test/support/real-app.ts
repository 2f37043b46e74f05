import { createApp, type LoggingOptions } from "@kit/core";
import { type DebugOptions, type DebugPlugin, debugPlugin } from "@kit/plugin-debug";
import { nativeServer } from "@kit/server-native";
import type { TlsOptions } from "@kit/types";
import { compiled, objectOf, responseOf, route } from "../../../core/test/support/compiled.ts";
import { quietStdout } from "../../../core/test/support/quiet-stdout.ts";
import { sendRequest, type Answer, until } from "./sidecar.ts";

quietStdout();

/** Request as the application received it. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Application that listens on a port of this machine, with its sidecar. */
export interface RealApp {
  readonly port: number;
  readonly sidecarPort: number;
  readonly plugin: DebugPlugin;
  readonly received: readonly Received[];
  /** Sends a POST request with a JSON body to the application. Returns the id of the request. */
  post(body: unknown, headers?: Readonly<Record<string, string>>, query?: string): Promise<string>;
  /** Sends a GET request to the sidecar. Throws an error if the status is not 200. */
  ok<T>(path: string): Promise<T>;
  close(): Promise<void>;
}

/** Starts the application and its sidecar on free ports of this machine. */
export async function startReal(
  options: DebugOptions = {},
  app: { readonly logging?: LoggingOptions; readonly host?: string; readonly tls?: TlsOptions } = {},
): Promise<RealApp> {
  const received: Received[] = [];
  const posted = route("POST /things", {
    body: objectOf("NewThing", { name: "string", pin: "string?" }),
    response: responseOf("Thing", { name: "string" }),
  });
  const plugin = debugPlugin({ port: 0, mode: "dev", ...options });
  const running = createApp({
    server: nativeServer(),
    signals: false,
    compiled: { ...compiled(posted), sensitive: ["pin"] },
    logging: { level: "fatal", ...app.logging },
    routes: [
      {
        handlers: {
          "POST /things": async ({
            body,
            ctx,
          }: {
            body: { name: string };
            ctx: { path: string; headers: object; send: (body: AsyncIterable<string>) => unknown };
          }) => {
            received.push({ path: ctx.path, headers: { ...(ctx.headers as Record<string, string>) }, body });
            if (body.name === "held") await new Promise((wake) => setTimeout(wake, 300));
            return body.name === "broken" ? ctx.send(brokenBody()) : { name: body.name };
          },
        },
      },
    ],
    plugins: [plugin],
  } as Parameters<typeof createApp>[0]);
  const { port } = await running.listen({
    port: 0,
    host: app.host ?? "127.0.0.1",
    ...(app.tls !== undefined && { tls: app.tls }),
  });
  await until("the sidecar listens", () => plugin.address !== null);
  const sidecarPort = plugin.address!.port;
  const ok = async <T>(path: string): Promise<T> => {
    const key = options.security?.apiKey;
    const headers = key === undefined ? {} : { "x-debug-key": key };
    const answer: Answer = await sendRequest(sidecarPort, path, { headers });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body as T;
  };
  return {
    port,
    sidecarPort,
    plugin,
    received,
    ok,
    async post(body, headers = {}, query = "") {
      await sendRequest(port, `/things${query}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
      const { requests } = await ok<{ requests: { requestId: string }[] }>("/_debug/requests?limit=1");
      return requests[0]!.requestId;
    },
    close: () => running.close(),
  };
}

/** Yields the beginning of a body, and then fails, so that the server closes the connection. */
async function* brokenBody(): AsyncGenerator<string> {
  yield "begin";
  await new Promise((resolve) => setTimeout(resolve, 50));
  throw new Error("the body is broken");
}
