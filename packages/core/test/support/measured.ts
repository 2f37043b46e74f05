// What is measured where there is no server: routes as generated code has them, and requests that are sent to nobody.

import type {
  CompiledRoute,
  RouteMatch,
  Serializer,
  ServerExchange,
  ServerService,
  Validator,
} from "@kit/types";
import { paramsOf } from "./compiled.ts";

/** As generated code is: no loops, no closures. */
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

/** A middleware that takes its time, a turn of the microtasks. */
export const auth = async ({
  headers,
}: {
  headers: Readonly<Record<string, string | undefined>>;
}): Promise<{ userId: string }> => ({ userId: (headers["authorization"] ?? "").slice(7) });

/** Fits `noteBody`. */
export const smallBody: string = JSON.stringify({
  title: "A note of the bench",
  content: "Some words that are the content of it",
});

/** A request that is sent again and again. */
export interface Scenario {
  readonly method: string;
  readonly target: string;
  readonly match: RouteMatch;
  readonly body?: string;
  /** Whether the application has to refuse it, with a status from 400 to 499; it has to take what is not. */
  readonly isRefused?: boolean;
}

/** Answers are counted, nothing else. */
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

/** Sends a request many times. Gives nanoseconds of CPU time for each. */
export async function cost(service: ServerService, scenario: Scenario, requests: number): Promise<number> {
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
