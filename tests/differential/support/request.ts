/** A request that both servers get. Ids of notes in it are {@link placeholder}s, which each server has its own ids for. */
export interface Sent {
  /** What it tries, for whoever reads of a difference. */
  readonly kind: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
  /** Sent in chunks of so many bytes, in place of one piece with its length. */
  readonly chunks?: number;
  /** In place of all of it: bytes as they are sent, on a connection of their own that the server closes. */
  readonly raw?: Buffer;
  /** Where it is cut into pieces that are written one after the other, as shares of its bytes. */
  readonly cuts?: readonly number[];
  /** `HTTP/1.1` where nothing else is said. */
  readonly version?: string;
  /** Whether a server that takes it changes its database: then nothing else is under way. */
  readonly writes: boolean;
}

/** Stands for the id of the note that was made as number `number`. As long as an id, so that lengths stay what they are. */
export function placeholder(number: number): string {
  return `00000000-0000-4000-a000-${String(number).padStart(12, "0")}`;
}

/** A {@link placeholder} in bytes or text, in either case. */
export const PLACEHOLDER: RegExp = /00000000-0000-4000-[aA]000-(\d{12})/g;

/** The bytes of a request. */
export function bytesOf({ method, target, headers, body, chunks, version }: Sent): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  if (chunks !== undefined) lines.push("transfer-encoding: chunked\r\n");
  else if (body !== undefined) lines.push(`content-length: ${body.length}\r\n`);
  const head = Buffer.from(`${method} ${target} ${version ?? "HTTP/1.1"}\r\n${lines.join("")}\r\n`, "latin1");
  if (body === undefined) return head;
  return Buffer.concat([head, chunks === undefined ? body : inChunks(body, chunks)]);
}

function inChunks(body: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < body.length; start += size) {
    const piece = body.subarray(start, start + size);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/** Longer bodies are not printed. */
const LONGEST_BODY = 4000;

/** A line for a shell that sends the request to the server at `$URL`. */
export function curlOf({ method, target, headers, body, chunks, version }: Sent): string {
  const words = ["curl -i --path-as-is"];
  if (method === "HEAD") words.push("-I");
  else if (method !== (body === undefined ? "GET" : "POST")) words.push(`-X ${quoted(method)}`);
  if (version === "HTTP/1.0") words.push("--http1.0");
  words.push(`"$URL"${quoted(target)}`);
  for (const [name, value] of headers) {
    // curl leaves a header out whose value is empty, unless it ends with a semicolon.
    if (name.toLowerCase() !== "host")
      words.push(`-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`);
  }
  if (chunks !== undefined) words.push("-H 'transfer-encoding: chunked'");
  if (body === undefined) return words.join(" ");
  if (!headers.some(([name]) => name.toLowerCase() === "content-type")) words.push("-H 'content-type:'");
  if (body.length > LONGEST_BODY) {
    return `${words.join(" ")} --data-binary @body  # ${body.length} bytes, beginning with ${JSON.stringify(body.toString("latin1", 0, 60))}`;
  }
  // What is no printable ASCII goes through `$'…'`, so that the line can be copied.
  return `${words.join(" ")} --data-binary ${shellBytes(body)}`;
}

function shellBytes(bytes: Buffer): string {
  const text = bytes.toString("latin1");
  if (/^[\x20-\x7e]*$/.test(text) && !text.startsWith("@")) return quoted(text);
  const escaped = text.replaceAll(
    /[^\x20-\x7e]|['\\]/g,
    (character) => `\\x${Buffer.from(character, "latin1").toString("hex")}`,
  );
  return `$'${escaped}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A line for a shell that sends a request again, whatever it is. */
export function shellLineOf(sent: Sent): string {
  if (sent.raw === undefined) return curlOf(sent);
  return `printf ${shellBytes(sent.raw)} | nc "$HOST" "$PORT"`;
}
