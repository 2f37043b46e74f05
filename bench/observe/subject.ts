/** An application that is measured, in a process of its own: it is told a scenario, runs a slice of it, and answers with nanoseconds of CPU time a request. */
import { type AppOptions, createApp, type Plugin } from "@kit/core";
import { debugPlugin } from "@kit/plugin-debug";
import type { RouteMatch, ServerExchange } from "@kit/types";

import { compiled, paramsOf, route } from "../../packages/core/test/support/compiled.ts";
import { MemoryServer } from "../../packages/core/test/support/memory-server.ts";

/** Requests of a slice: some tens of milliseconds. */
const requests = 10_000;

/** As generated code is: no loops, no closures. */
const noteBody = {
  name: "CreateNote",
  is: (value: unknown) =>
    typeof value === "object" &&
    value !== null &&
    typeof (value as { title: unknown }).title === "string" &&
    typeof (value as { content: unknown }).content === "string",
  failures: () => [{ path: "$.title", expected: "string", received: "nothing" }],
  decode: (value: unknown) => {
    const { title, content } = value as { title: string; content: string };
    return { title, content };
  },
};
const note = {
  name: "Note",
  serialize: (value: unknown) => `{"id":${JSON.stringify((value as { id: string }).id)}}`,
  failures: () => [],
};
const noteId = {
  ...paramsOf("NoteId", { id: "string" }),
  is: (value: unknown) => typeof (value as { id: unknown }).id === "string",
  decode: (value: unknown) => ({ id: (value as { id: string }).id }),
  params: (values: readonly string[]) => ({ id: values[0] }),
};

const routes = [
  route("GET /sync/:id", { params: noteId, response: note }),
  route("GET /guarded/:id", { params: noteId, response: note, middleware: ["auth"] }),
  route("POST /guarded", { body: noteBody, response: note, middleware: ["auth"] }),
  route("GET /handler/:id", { params: noteId, response: note, middleware: ["auth"] }),
];
interface Input {
  readonly params: { id: string };
  readonly body: { title: string };
  readonly ctx: {
    readonly userId: string;
    readonly span?: { setAttribute(name: string, value: string): void };
    readonly log: { info(message: string, data: object): void };
  };
}
const guarded = {
  "GET /guarded/:id": async ({ params, ctx }: Input) => ({ id: params.id + ctx.userId }),
  "POST /guarded": async ({ body }: Input) => ({ id: body.title }),
  // With an attribute and a log entry, and a promise that is waited for.
  "GET /handler/:id": async ({ params, ctx }: Input) => {
    ctx.span?.setAttribute("note.id", params.id);
    await Promise.resolve();
    ctx.log.info("Note read", { id: params.id });
    return params;
  },
};
const auth = async ({ headers }: { headers: Readonly<Record<string, string | undefined>> }) => ({
  userId: (headers["authorization"] ?? "").slice(7),
});

/** Answers are counted, nothing else. */
class NoExchange implements ServerExchange {
  readonly method: string;
  readonly target: string;
  readonly match: RouteMatch;
  readonly bodyTooLarge = false;
  readonly bodyLength: number;
  readonly remoteAddress = "127.0.0.1";
  readonly #body: string;
  readonly #done: () => void;

  constructor({ method, target, match, body = "" }: Scenario, done: () => void) {
    this.method = method;
    this.target = target;
    this.match = match;
    this.bodyLength = body.length;
    this.#body = body;
    this.#done = done;
  }

  bodyText(): string {
    return this.#body;
  }
  bodyBytes(): Uint8Array {
    return Buffer.from(this.#body);
  }
  header(name: string): string | undefined {
    if (name === "content-type") return "application/json";
    return name === "authorization" ? "Bearer user-1:admin" : undefined;
  }
  headers(): Record<string, string> {
    return { host: "localhost", authorization: "Bearer user-1:admin", accept: "*/*" };
  }
  onAbort(): void {}
  respond(status: number): void {
    if (status >= 500) throw new Error(`Answered ${status}`);
    this.#done();
  }
}

interface Scenario {
  readonly method: string;
  readonly target: string;
  readonly match: RouteMatch;
  readonly body?: string;
}

const body = JSON.stringify({
  title: "A note of the bench",
  content: "Some words that are the content of it",
});
const to = (method: string, target: string, number: number, more: Partial<Scenario> = {}): Scenario => ({
  method,
  target,
  match: { kind: "route", route: number, params: target.split("/").slice(2) },
  ...more,
});
const scenarios: Readonly<Record<string, Scenario>> = {
  "get-sync": to("GET", "/sync/1", 0),
  "get-guarded": to("GET", "/guarded/1", 1),
  "post-guarded": to("POST", "/guarded", 2, { body }),
  handler: to("GET", "/handler/1", 3),
  "not-found": { method: "GET", target: "/nowhere", match: { kind: "not-found" } },
};

function pluginsOf(kind: string): readonly Plugin[] {
  switch (kind) {
    case "off":
      return [];
    case "looked-at":
      return [{ name: "looker", observe: { keep: 1_000, spans: true, onAnswer: () => {} } }];
    case "sidecar":
      return [debugPlugin({ port: 0, mode: "production", apiKey: "bench" })];
    case "sidecar-dev":
      return [debugPlugin({ port: 0, mode: "dev", security: { hostname: "127.0.0.1" } })];
    default:
      throw new RangeError(`There is no subject ${kind}`);
  }
}

const server = new MemoryServer();
const app = createApp({
  server,
  signals: false,
  env: "production",
  plugins: pluginsOf(process.argv[2] ?? "off"),
  compiled: compiled(...routes),
  routes: [
    { handlers: { "GET /sync/:id": ({ params }: Input) => params } },
    { handlers: guarded, middleware: [{ name: "auth", middleware: auth, priority: 10 }] },
  ],
} as unknown as AppOptions);
await app.listen({ port: 0 });
const service = server.service!;

async function run(scenario: Scenario): Promise<number> {
  const start = process.cpuUsage();
  await new Promise<void>((resolve) => {
    let left = requests;
    const done = (): void => {
      left -= 1;
      if (left === 0) resolve();
    };
    // As a server does: some requests a turn, then their microtasks.
    let toSend = requests;
    const turn = (): void => {
      for (let index = 0; index < 50; index += 1) service.handle(new NoExchange(scenario, done));
      toSend -= 50;
      if (toSend > 0) setImmediate(turn);
    };
    turn();
  });
  const { user, system } = process.cpuUsage(start);
  return ((user + system) * 1e3) / requests;
}

process.on("message", (name: string) => {
  void run(scenarios[name]!).then((nanoseconds) => process.send!(nanoseconds));
});
process.on("disconnect", () => process.exit());
