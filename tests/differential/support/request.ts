/** Request for both servers. Ids of notes are {@link placeholder}s, because each server creates other ids. */
export interface Sent {
  /** Description of the kind of request, for reports. */
  readonly kind: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
  /** Size of each chunk in bytes. Absent if the body is sent with `Content-Length`. */
  readonly chunks?: number;
  /** Bytes to send instead of all other properties, on a new connection that the server closes. */
  readonly raw?: Buffer;
  /** Positions at which the request is divided into several writes, as shares of its length: 0.5 is its middle. */
  readonly cuts?: readonly number[];
  /**
   * Share of the bytes after which the client closes its sending side, on a connection of its own: 1 is the complete request. Absent if the
   * client does not close it.
   */
  readonly endsAfter?: number;
  /** Version of the protocol. Default: `HTTP/1.1`. */
  readonly version?: string;
  /** True if a server that accepts the request changes its database. No other request runs at the same time. */
  readonly writes: boolean;
}

/** Returns a placeholder for the id of a note, which contains the number of the note. The placeholder is as long as an id. */
export function placeholder(number: number): string {
  return `00000000-0000-4000-a000-${String(number).padStart(12, "0")}`;
}

/** Matches a {@link placeholder}, in upper or lower case. */
export const PLACEHOLDER: RegExp = /00000000-0000-4000-[aA]000-(\d{12})/g;

/** Returns the bytes of a request. */
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

/** Maximum length of a body in a printed shell command. */
const LONGEST_BODY = 4000;

/** Returns a `curl` command that sends the request to the server at `$URL`. */
export function curlOf({ method, target, headers, body, chunks, version }: Sent): string {
  const words = ["curl -i --path-as-is"];
  if (method === "HEAD") words.push("-I");
  else if (method !== (body === undefined ? "GET" : "POST")) words.push(`-X ${quoted(method)}`);
  if (version === "HTTP/1.0") words.push("--http1.0");
  words.push(`"$URL"${quoted(target)}`);
  for (const [name, value] of headers) {
    // For curl, `name:` means to leave the header out, and `name;` means to send it with an empty value.
    if (name.toLowerCase() !== "host")
      words.push(`-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`);
  }
  if (chunks !== undefined) words.push("-H 'transfer-encoding: chunked'");
  if (body === undefined) return words.join(" ");
  if (!headers.some(([name]) => name.toLowerCase() === "content-type")) words.push("-H 'content-type:'");
  if (body.length > LONGEST_BODY) {
    return `${words.join(" ")} --data-binary @body  # ${body.length} bytes, beginning with ${JSON.stringify(body.toString("latin1", 0, 60))}`;
  }
  // Bytes other than printable ASCII are escaped with `$'…'`, so that the command can be copied.
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

/** Returns a shell command that sends the request again. Raw bytes are sent without curl. */
export function shellLineOf(sent: Sent): string {
  if (sent.raw === undefined) return curlOf(sent);
  return `printf ${shellBytes(sent.raw)} | nc "$HOST" "$PORT"`;
}
