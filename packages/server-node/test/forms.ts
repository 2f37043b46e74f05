// Helps to test bodies that middleware of a framework has read before kit.

import { createApp, type LogEntry } from "@kit/core";
import type { CompiledBody, ServerAdapter } from "@kit/types";

import { compiled, objectOf, responseOf, route } from "../../core/test/support/compiled.ts";
import type { Served } from "./support.ts";

export const formType = "application/x-www-form-urlencoded";

const pairs = { pairs: "string" } as const;

/** Form whose value has the names and values of all fields. */
export const form: CompiledBody = {
  format: "form",
  mediaTypes: [formType],
  validator: objectOf("Form", pairs),
  form: (text) => ({ pairs: JSON.stringify([...new URLSearchParams(text)]) }),
};

/** Multipart body with the text field `pairs`. */
export const multipart: CompiledBody = {
  format: "multipart",
  mediaTypes: ["multipart/form-data"],
  validator: objectOf("Form", pairs),
  multipart: (read) => ({ pairs: read("pairs") }),
};

/** Starts an application whose route responds with its body. */
export async function serveBody(server: ServerAdapter, format: CompiledBody): Promise<Served> {
  const log: LogEntry[] = [];
  const app = createApp({
    server,
    env: "production",
    signals: false,
    compiled: compiled(route("POST /forms", { bodyFormat: format, response: responseOf("Form", pairs) })),
    logging: { level: "error" },
    plugins: [{ name: "log", onLog: (entry) => log.push(entry) }],
    routes: [{ handlers: { "POST /forms": ({ body }: { body: unknown }) => body } }],
  });
  const { url, port } = await app.listen({ port: 0, host: "127.0.0.1" });
  const close = (): Promise<void> => app.close({ graceMs: 0 });
  return { url, port, log, close, [Symbol.asyncDispose]: close };
}
