/**
 * What the pipeline costs a request, without a server: `node packages/core/test/bench/pipeline.ts [rounds] [observed]`. The exchange does nothing, so
 * that all that is measured is kit's own. `observed`: while a plugin looks at the requests. Prints nanoseconds of CPU time a request, the best of some rounds.
 */
import { type AppOptions, createApp } from "@kit/core";
import type { RouteMatch, ServerExchange, ServerService } from "@kit/types";
import { compiled, paramsOf, responseOf, route } from "../support/compiled.ts";
import { MemoryServer } from "../support/memory-server.ts";

const batch = 50_000;
const rounds = Number(process.argv[2] ?? 7);
const plugins = process.argv[3] === "observed" ? [{ name: "looker", observe: { spans: true } }] : [];

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
  route("GET /static", { response: note }),
  route("GET /sync/:id", { params: noteId, response: note }),
  route("GET /async/:id", { params: noteId, response: note }),
  route("POST /async", { body: noteBody, response: note }),
  route("GET /guarded/:id", { params: noteId, response: note, middleware: ["auth"] }),
  route("POST /guarded", { body: noteBody, response: note, middleware: ["auth"] }),
  route("GET /traced/:id", { params: noteId, response: responseOf("Traced", { id: "string" }) }),
];
const open = {
  "GET /static": () => ({ id: "1" }),
  "GET /sync/:id": ({ params }: { params: { id: string } }) => params,
  "GET /async/:id": async ({ params }: { params: { id: string } }) => params,
  "POST /async": async ({ body }: { body: { title: string } }) => ({ id: body.title }),
  "GET /traced/:id": ({ ctx }: { ctx: { traceId: string } }) => ({ id: ctx.traceId }),
};
const guarded = {
  "GET /guarded/:id": async ({ params, ctx }: { params: { id: string }; ctx: { userId: string } }) => ({
    id: params.id + ctx.userId,
  }),
  "POST /guarded": async ({ body }: { body: { title: string } }) => ({ id: body.title }),
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
  readonly #fails: boolean;

  constructor(method: string, target: string, match: RouteMatch, body: string, done: () => void) {
    this.method = method;
    this.target = target;
    this.match = match;
    this.bodyLength = body.length;
    this.#body = body;
    this.#done = done;
    this.#fails = match.kind !== "route" || body === "{}";
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
    return {};
  }
  onAbort(): void {}
  respond(status: number): void {
    if (status >= 400 !== this.#fails) throw new Error(`Answered ${status}`);
    this.#done();
  }
}

const small = JSON.stringify({
  title: "A note of the bench",
  content: "Some words that are the content of it",
});
/** A route of -1 is no route. */
const scenarios: [name: string, method: string, target: string, route: number, body?: string][] = [
  ["GET static, sync", "GET", "/static", 0],
  ["GET param, sync handler", "GET", "/sync/1", 1],
  ["GET param, async handler", "GET", "/async/1", 2],
  ["POST validate, async handler", "POST", "/async", 3, small],
  ["GET param, async middleware and handler", "GET", "/guarded/1", 4],
  ["POST validate, async middleware and handler", "POST", "/guarded", 5, small],
  ["GET param, trace id read", "GET", "/traced/1", 6],
  ["POST that does not validate", "POST", "/async", 3, "{}"],
  ["GET not found", "GET", "/nowhere", -1],
];

async function runBatch(
  service: ServerService,
  [, method, target, number, body = ""]: (typeof scenarios)[0],
): Promise<number> {
  const params = target.split("/").slice(2);
  const match: RouteMatch = number < 0 ? { kind: "not-found" } : { kind: "route", route: number, params };
  const start = process.cpuUsage();
  await new Promise<void>((resolve) => {
    let left = batch;
    const done = (): void => {
      left -= 1;
      if (left === 0) resolve();
    };
    // As a server does: some requests a turn, then their microtasks.
    const turn = (): void => {
      for (let index = 0; index < 50; index += 1) {
        service.handle(new NoExchange(method, target, match, body, done));
      }
      if (left > 0) setImmediate(turn);
    };
    turn();
  });
  const { user, system } = process.cpuUsage(start);
  return ((user + system) * 1e3) / batch;
}

const app = createApp({
  server: new MemoryServer(),
  signals: false,
  env: "production",
  plugins,
  compiled: compiled(...routes),
  routes: [
    { handlers: open },
    { handlers: guarded, middleware: [{ name: "auth", middleware: auth, priority: 10 }] },
  ],
} as AppOptions);
const service = await app.service();
const best = scenarios.map(() => Number.POSITIVE_INFINITY);
for (let round = 0; round < rounds; round += 1) {
  for (const [index, scenario] of scenarios.entries()) {
    best[index] = Math.min(best[index]!, await runBatch(service, scenario));
  }
}
for (const [index, [name]] of scenarios.entries())
  console.log(`${best[index]!.toFixed(0).padStart(6)} ns  ${name}`);
