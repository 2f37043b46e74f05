import { createSessions, optionalSession, sessionAuth, type SessionOptions } from "@kit/auth";
import type { MiddlewareInput } from "@kit/core";
import type { ServerAdapter } from "@kit/types";

import type { TestHandler } from "../../../core/test/support/serve.ts";
import { type Running, start } from "./application.ts";

/** Keys of cookies. */
export const keys: { readonly keys: readonly string[] } = {
  keys: ["a key of at least 32 characters for tests"],
};

/** Data of the sessions. */
export interface Data {
  readonly name: string;
}

/** Application with a login. Its middleware reads the session, if there is one. */
export async function application(
  options: Omit<SessionOptions<"read", Data>, "scopes">,
  server?: ServerAdapter,
  cookieKeys: { readonly keys: readonly string[] } = keys,
): Promise<Browser> {
  const sessions = createSessions<Data, "read">({ ...options, scopes: ["read"] });
  const required = sessionAuth(sessions);
  const handlers: Record<string, TestHandler> = {
    "GET /me": ({ ctx }) => {
      const auth = ctx["auth"] as { subject: string; data: Data; scopes: readonly string[] } | null;
      return { text: auth === null ? "nobody" : `${auth.subject} ${auth.data.name} ${auth.scopes.join()}` };
    },
    "GET /private": async ({ ctx }) => {
      const { auth } = await required({ ctx } as unknown as MiddlewareInput);
      return { text: auth.subject };
    },
    "POST /login/:user": async ({ ctx }) => {
      const user = ctx.path.split("/").at(-1)!;
      await sessions.start(ctx, user, { name: `name of ${user}` });
      return { text: user };
    },
    "POST /rename": async ({ ctx }) => ({ text: String(await sessions.update(ctx, { name: "new name" })) }),
    "POST /rotate": async ({ ctx }) => ({ text: String(await sessions.rotate(ctx)) }),
    "POST /logout": async ({ ctx }) => {
      await sessions.end(ctx);
      return { text: "" };
    },
    "POST /everywhere/:user": async ({ ctx }) => {
      await sessions.endAll(ctx.path.split("/").at(-1)!);
      return { text: "" };
    },
    "POST /renewed-and-others/:user": async ({ ctx }) => {
      await sessions.rotate(ctx);
      await sessions.endAll(ctx.path.split("/").at(-1)!, ctx);
      return { text: String((await sessions.read(ctx))?.subject) };
    },
    "POST /others/:user": async ({ ctx }) => {
      await sessions.endAll(ctx.path.split("/").at(-1)!, ctx);
      return { text: "" };
    },
  };
  const middleware = [optionalSession(sessions)];
  const app = await start(handlers, { middleware, cookies: cookieKeys, csrf: true }, server);
  return new Browser(app);
}

/** Client that keeps its cookie. */
export class Browser implements AsyncDisposable {
  readonly app: Running;
  /** Text before the paths of the routes. */
  readonly #prefix: string;
  cookie = "";
  /** Last header `set-cookie`. */
  setCookie = "";

  constructor(app: Running, prefix = "") {
    this.app = app;
    this.#prefix = prefix;
  }

  /** Returns another client of the same application. */
  other(cookie = ""): Browser {
    const browser = new Browser(this.app, this.#prefix);
    browser.cookie = cookie;
    return browser;
  }

  async send(line: string, headers: Record<string, string> = {}): Promise<Response> {
    const [method = "", path = ""] = line.split(" ");
    const response = await this.app.send(`${this.#prefix}${path}`, {
      method,
      headers: { ...(this.cookie !== "" && { cookie: this.cookie }), ...headers },
    });
    for (const text of response.headers.getSetCookie()) {
      this.setCookie = text;
      this.cookie = text.includes("Max-Age=0;") ? "" : text.split(";")[0]!;
    }
    return response;
  }

  async text(line: string): Promise<string> {
    const response = await this.send(line);
    const body = (await response.json()) as { text?: string };
    return response.ok ? body.text! : String(response.status);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]();
  }
}
