import { createIntegrationSuite, type IntegrationSuite } from "@kit/testing";
import { developmentToken } from "./token.ts";

/** The application under test, on a free port. */
export interface TestApp {
  /** Puts rows in, and asks the database. */
  readonly suite: IntegrationSuite;
  /** Asks as a user; a body is sent as JSON. */
  ask(method: string, path: string, options?: { user?: string; body?: unknown }): Promise<Response>;
  close(): Promise<void>;
}

/** Starts the application on a database that is the calling file's alone, whose tables are those of `migrations/`. */
export async function startApp(): Promise<TestApp> {
  // `kit test` says so too; a file that is run by itself has to.
  process.env["NODE_ENV"] ||= "test";
  // Imported only now, since it connects to the database as it is imported.
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
