import type { TestAnswer } from "./client.ts";

/** A request as it went over the wire. */
export interface SentRequest {
  readonly method: string;
  /** Path and query as they stood in the URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** Where `kit dev` and `app.start()` listen, unless they are told otherwise: the port of a test is gone when somebody reads of it. */
const ORIGIN = "http://localhost:3000";

/** Longer bodies are not printed. */
const LONGEST_BODY = 8000;

const requests = new WeakMap<TestAnswer, SentRequest>();

/** Remembers what an answer was given to. */
export function remember(answer: TestAnswer, request: SentRequest): void {
  requests.set(answer, request);
}

/** What an answer was given to. */
export function requestOf(answer: TestAnswer): SentRequest | undefined {
  return requests.get(answer);
}

/** A request as a line for a shell. */
export function curlOf({ method, target, headers, text }: SentRequest): string {
  const words = ["curl", "-i"];
  if (method !== (text === undefined ? "GET" : "POST")) words.push("-X", method);
  words.push(quoted(ORIGIN + target));
  for (const [name, value] of Object.entries(headers)) words.push("-H", quoted(`${name}: ${value}`));
  if (text === undefined) return words.join(" ");
  if (text.length <= LONGEST_BODY) return [...words, "--data-raw", quoted(text)].join(" ");
  const size = `${text.length} characters, beginning with ${text.slice(0, 60).replaceAll("\n", " ")}`;
  return `${[...words, "--data-binary", "@body.json"].join(" ")}  # the body has ${size}`;
}

/** A word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
