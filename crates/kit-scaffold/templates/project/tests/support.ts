import { createIntegrationSuite, type IntegrationSuite } from "@kit/testing";
import { developmentToken } from "./token.ts";

/** The application under test, on a free port. */
export interface TestApp {
  /** Adds rows to the database and reads them. */
  readonly suite: IntegrationSuite;
  /** Sends a request as a user; a body is sent as JSON. */
  ask(method: string, path: string, options?: { user?: string; body?: unknown }): Promise<Response>;
  close(): Promise<void>;
}

/** Starts the application on a database that only the calling file uses, with the tables of `migrations/`. */
export async function startApp(): Promise<TestApp> {
  // `kit test` sets this variable too, but `node --test` does not.
  process.env["NODE_ENV"] ||= "test";
  // Imported here because the import connects to the database.
  const suite = await createIntegrationSuite({ app: () => import("../src/app.ts") });
  return {
    suite,
    ask: async (method, path, { user, body } = {}) =>
      fetch(`${suite.url}${path}`, {
        method,
        headers: {
          ...(user === undefined ? {} : { authorization: `Bearer ${await developmentToken(user)}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    close: () => suite.close(),
  };
}
