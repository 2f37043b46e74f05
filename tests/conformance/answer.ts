import assert from "node:assert/strict";
import { connect } from "node:net";

import { bytesOf, type Case } from "./case.ts";

/** Data that a client has received on one connection. */
export interface Exchange {
  readonly bytes: Buffer;
  /** True if the server closed the connection. False if the test gave up. */
  readonly closed: boolean;
}

/** Time in milliseconds after which the test gives up. The server must close the connection in every case. */
const timeoutMs = 10_000;

/** Sends the bytes of a case, and reads until the server closes the connection. */
export function send(port: number, one: Case): Promise<Exchange> {
  const { promise, resolve, reject } = Promise.withResolvers<Exchange>();
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  let closed = false;
  socket.setTimeout(timeoutMs, () => socket.destroy());
  socket.on("connect", () => socket.write(bytesOf(one)));
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("end", () => (closed = true));
  socket.on("error", (error: NodeJS.ErrnoException) => {
    // A server that has sent its response may reset the connection while the client still sends.
    if (error.code === "ECONNRESET" || error.code === "EPIPE") closed = true;
    else reject(error);
  });
  socket.on("close", () => resolve({ bytes: Buffer.concat(chunks), closed }));
  return promise;
}

/** Checks the received data against the response that the case expects. */
export function check(one: Case, { bytes, closed }: Exchange): void {
  const text = bytes.toString();
  const end = text.indexOf("\r\n\r\n");
  assert.notEqual(end, -1, `no answer: ${JSON.stringify(text)}`);
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const header = (name: string): string | undefined => {
    const values = headers.filter(([key]) => key === name).map(([, value]) => value);
    return values.length === 0 ? undefined : values.join(", ");
  };
  assert.equal(Number(statusLine.split(" ")[1]), one.status, text.slice(0, 400));
  // An informational response such as 100 Continue does not have the headers of a final response.
  const always = one.status < 200 ? {} : { "x-content-type-options": "nosniff" };
  const expected = { ...always, ...one.headers };
  for (const [name, value] of Object.entries(expected)) assert.equal(header(name), value, name);
  for (const [name, pattern] of Object.entries(one.matches ?? {}))
    assert.match(header(name) ?? "", new RegExp(pattern));
  for (const name of one.absent ?? []) assert.equal(header(name), undefined, name);
  if (one.cookies !== undefined)
    assert.deepEqual(
      headers.flatMap(([name, value]) => (name === "set-cookie" ? [value] : [])),
      one.cookies,
    );
  if (one.closes === true) assert.ok(closed, "the connection is still open");
  if (one.answers !== undefined)
    assert.equal(
      text.match(/^HTTP\/1\.1 \d{3} |\}HTTP\/1\.1 \d{3} |\r\n\r\nHTTP\/1\.1 \d{3} /g)?.length,
      one.answers,
      text,
    );
  const content = bytes.subarray(bytes.indexOf("\r\n\r\n") + 4);
  if (isRaw(one)) checkRaw(one, content, header);
  else checkBody(one, content.toString(), header("content-type"));
}

function isRaw({ text, textRepeat, hex, cut }: Case): boolean {
  return [text, textRepeat, hex, cut].some((member) => member !== undefined);
}

function checkRaw(one: Case, content: Buffer, header: (name: string) => string | undefined): void {
  const length = header("content-length");
  const { body, isWhole } =
    header("transfer-encoding") === "chunked"
      ? unchunked(content)
      : { body: content, isWhole: length === undefined || content.length === Number(length) };
  assert.equal(isWhole, one.cut !== true, "whether the body is whole");
  if (one.hex !== undefined) assert.equal(body.toString("hex"), one.hex);
  const { text = one.textRepeat?.[0].repeat(one.textRepeat[1]) } = one;
  if (text !== undefined) assert.ok(body.toString() === text, body.toString().slice(0, 400));
}

/** Decodes a chunked body. `isWhole` is true if the last chunk has arrived completely. */
function unchunked(content: Buffer): { readonly body: Buffer; readonly isWhole: boolean } {
  const pieces: Buffer[] = [];
  for (let rest = content; ;) {
    const line = rest.indexOf("\r\n");
    const size = line === -1 ? Number.NaN : Number.parseInt(rest.toString("latin1", 0, line), 16);
    const data = rest.subarray(line + 2, line + 2 + size);
    if (Number.isNaN(size) || data.length < size) return { body: Buffer.concat(pieces), isWhole: false };
    if (size === 0) return { body: Buffer.concat(pieces), isWhole: rest.toString() === "0\r\n\r\n" };
    pieces.push(data);
    rest = rest.subarray(line + 4 + size);
  }
}

function checkBody(one: Case, body: string, contentType: string | undefined): void {
  if (one.empty === true) {
    assert.equal(body, "");
    return;
  }
  if (one.answers === 2) return;
  const value = JSON.parse(body) as { readonly error?: Record<string, unknown> };
  assert.match(contentType ?? "", /^application\/(?:vnd\.own\+)?json$/);
  if (one.body !== undefined) assert.partialDeepStrictEqual(value, one.body);
  if (one.exact !== undefined) assert.deepEqual(value, one.exact);
  if (one.status < 400) return;
  const { error = {} } = value;
  assert.match(String(error["traceId"]), /^(?!0{32})[0-9a-f]{32}$/);
  assert.match(String(error["code"]), /^[A-Z_]+$/);
  assert.ok(error["message"]);
  if (one.code !== undefined) assert.equal(error["code"], one.code);
  if (one.error !== undefined) assert.partialDeepStrictEqual(error, one.error);
  if (one.exactError !== undefined)
    assert.deepEqual({ ...error, traceId: undefined }, { ...one.exactError, traceId: undefined });
  if (one.paths !== undefined) {
    const { fields } = error["details"] as { fields: readonly { path: string }[] };
    assert.deepEqual(
      fields.map(({ path }) => path),
      one.paths,
    );
  }
}
