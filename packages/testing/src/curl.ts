import type { SentRequest } from "./test-response.ts";

/**
 * Address in printed commands: the default address of `kit dev` and `app.start()`. The test's own port is closed by the
 * time somebody runs the command.
 */
const ORIGIN = "http://localhost:3000";

/** Maximum length of a body in a printed command, in characters. */
const LONGEST_BODY = 8000;

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
