import type { TestResponse } from "./client.ts";

/** Request in the form in which it was sent. */
export interface SentRequest {
  readonly method: string;
  /** Path and query as in the URL. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: string;
}

/**
 * Address in printed commands: the default of `kit dev` and `app.start()`. The port of the test is closed when somebody
 * reads the command.
 */
const ORIGIN = "http://localhost:3000";

/** Maximum length of a body in a printed command, in characters. */
const LONGEST_BODY = 8000;

const requests = new WeakMap<TestResponse, SentRequest>();

/** Stores the request to which a response belongs. */
export function remember(answer: TestResponse, request: SentRequest): void {
  requests.set(answer, request);
}

/** Returns the request to which a response belongs, or `undefined` if none was stored. */
export function requestOf(answer: TestResponse): SentRequest | undefined {
  return requests.get(answer);
}

/** Returns a request as a curl command. */
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

/** Quotes a string so that a POSIX shell reads it as one word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
