import { join } from "node:path";
import { testDatabase } from "@kit/testing";

/** The application under test, on a free port. */
export interface TestApp {
  /** Asks as a user; a body is sent as JSON. */
  ask(method: string, path: string, options?: { user?: string; body?: unknown }): Promise<Response>;
  close(): Promise<void>;
}

/** Starts the application on a database of the tests' own, whose tables are those of `migrations/`. */
export async function startApp(): Promise<TestApp> {
  await testDatabase({ root: join(import.meta.dirname, "..") });
  // Only now, since it connects to the database as it is imported.
  const { app } = await import("../src/app.ts");
  const listening = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    ask: (method, path, { user, body } = {}) =>
      fetch(`${listening.url}${path}`, {
        method,
        headers: {
          ...(user === undefined ? {} : { authorization: `Bearer ${user}:user` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    close: () => app.close(),
  };
}
