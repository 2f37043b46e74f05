// Routes and requests for benchmarks without a server: routes like generated code, and an exchange that discards
// responses.

import type {
  CompiledRoute,
  RouteMatch,
  Serializer,
  ServerExchange,
  ServerService,
  Validator,
} from "@kit/types";
import { paramsOf } from "./compiled.ts";

/** Validator like generated code: no loops, no closures. */
export const noteBody: Validator<unknown> = {
  name: "CreateNote",
  is: (value: unknown) =>
    typeof value === "object" &&
    value !== null &&
    typeof (value as { title: unknown }).title === "string" &&
    typeof (value as { content: unknown }).content === "string",
  failures: () => [
    { path: "$.title", expected: "string", received: "nothing", value: null, rule: "required" },
  ],
  decode: (value: unknown) => {
    const { title, content } = value as { title: string; content: string };
    return { title, content };
  },
};

export const note: Serializer<unknown> = {
  name: "Note",
  serialize: (value) => `{"id":${JSON.stringify((value as { id: string }).id)}}`,
  failures: () => [],
};

export const noteId: NonNullable<CompiledRoute["params"]> = {
  ...paramsOf("NoteId", { id: "string" }),
  is: (value: unknown) => typeof (value as { id: unknown }).id === "string",
  decode: (value: unknown) => ({ id: (value as { id: string }).id }),
  params: (values: readonly string[]) => ({ id: values[0] }),
};

/** Asynchronous middleware, which takes one turn of the microtask queue. */
export const auth = async ({
  headers,
}: {
  headers: Readonly<Record<string, string | undefined>>;
}): Promise<{ userId: string }> => ({ userId: (headers["authorization"] ?? "").slice(7) });

/** Body that is valid for `noteBody`. */
export const smallBody: string = JSON.stringify({
  title: "A note of the bench",
  content: "Some words that are the content of it",
});

/** Request that is sent repeatedly. */
export interface Scenario {
  readonly method: string;
  readonly target: string;
  readonly match: RouteMatch;
  readonly body?: string;
  /** True if the application must refuse the request with a status from 400 to 499. All other requests must succeed. */
  readonly isRefused?: boolean;
}

/** Exchange that only counts responses. */
class NoExchange implements ServerExchange {
  readonly method: string;
  readonly target: string;
  readonly match: RouteMatch;
  readonly bodyTooLarge = false;
  readonly bodyLength: number;
  readonly remoteAddress = "127.0.0.1";
  readonly #body: string;
  readonly #isRefused: boolean;
  readonly #done: () => void;

  constructor({ method, target, match, body = "", isRefused = false }: Scenario, done: () => void) {
    this.method = method;
    this.target = target;
    this.match = match;
    this.bodyLength = body.length;
    this.#body = body;
    this.#isRefused = isRefused;
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
    if (status >= 500 || status >= 400 !== this.#isRefused) throw new Error(`Answered ${status}`);
    this.#done();
  }
}

/** Sends a request many times. Returns the nanoseconds of CPU time per request. */
export async function cost(service: ServerService, scenario: Scenario, requests: number): Promise<number> {
  const start = process.cpuUsage();
  await new Promise<void>((resolve) => {
    let left = requests;
    const done = (): void => {
      left -= 1;
      if (left === 0) resolve();
    };
    // Like a server: some requests per turn of the event loop, then their microtasks.
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
