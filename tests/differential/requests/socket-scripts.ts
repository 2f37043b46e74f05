// Random scripts of a WebSocket client: a handshake, then frames, one step after the other.

import { deflateRawSync } from "node:zlib";

import type { Random } from "../support/random.ts";

/** Reaction of a server to a step of a script: it sends one frame, or nothing, or ends the connection. */
export type Outcome = "frame" | "nothing" | "end";

/** Bytes that a client sends at once or in several parts, with the expected effect. */
export interface Step {
  readonly name: string;
  readonly parts: readonly Buffer[];
  readonly outcome: Outcome;
}

/** Handshake with the frames that follow if the server accepts the handshake. */
export interface Script {
  readonly head: string;
  readonly steps: readonly Step[];
}

/** Limit of a message in bytes. Both servers must have the same limit. */
export const MESSAGE_BYTES: number = 4096;

const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

const FIN = 0x80;
/** Bit of the first frame of a compressed message (RFC 7692, section 6). */
const COMPRESSED = 0x40;

/** Returns a masked frame. The length is written in the smallest form. */
function frame(random: Random, first: number, payload: Buffer): Buffer {
  const { length } = payload;
  const mask = Buffer.from(Array.from({ length: 4 }, () => random.int(0, 255)));
  const head =
    length < 126
      ? Buffer.from([first, 0x80 | length])
      : Buffer.from([first, 0x80 | 126, length >> 8, length & 0xff]);
  const masked = Buffer.from(payload.map((byte, at) => byte ^ mask[at % 4]!));
  return Buffer.concat([head, mask, masked]);
}

/** Divides bytes into up to four parts. */
function divided(random: Random, bytes: Buffer): Buffer[] {
  if (random.chance(0.6)) return [bytes];
  const cuts = Array.from({ length: random.int(1, 3) }, () => random.int(0, bytes.length)).toSorted(
    (a, b) => a - b,
  );
  return [0, ...cuts].map((from, at) => bytes.subarray(from, cuts[at] ?? bytes.length));
}

/** Returns the frames of a message: one, or several with control frames between them. */
function message(random: Random, opcode: number, text: Buffer, compress: boolean): Buffer {
  const payload = compress ? deflateRawSync(text, { finishFlush: 2 }).subarray(0, -4) : text;
  const first = opcode | (compress ? COMPRESSED : 0);
  if (random.chance(0.7)) return frame(random, FIN | first, payload);
  const cut = random.int(0, payload.length);
  return Buffer.concat([
    frame(random, first, payload.subarray(0, cut)),
    ...(random.chance(0.2) ? [frame(random, FIN | PONG, Buffer.from("late"))] : []),
    frame(random, FIN | CONTINUATION, payload.subarray(cut)),
  ]);
}

const characters = [...'abc "\\\n\u0001é€😀\u2028', "\ud800"];

function textOf(random: Random): string {
  const most = random.weighed([6, 20], [2, 1000], [1, MESSAGE_BYTES]);
  return Array.from({ length: random.int(0, most) }, () => random.pick(characters)).join("");
}

/** JSON texts that are no message of the contract, or that must be read with care. */
const texts = [
  "",
  "{}",
  "[]",
  "null",
  '"text"',
  "1",
  '{"text":1}',
  '{"text":null}',
  '{"text":"a"',
  '{"text":"a"}x',
  '\ufeff{"text":"a"}',
  '{"text":"\\ud800"}',
  '{"text":"a","text":2}',
  '{"__proto__":{"text":"a"}}',
  '{"Text":"a"}',
  "{text:'a'}",
  '{"text":"\u0000"}',
  `{"text":${"[".repeat(2000)}`,
];

/** Texts that are valid messages with an unusual form. */
const accepted = [
  '{"text":"a"}',
  ' {\t"text" :\r\n"a" } ',
  '{"more":1,"text":"a"}',
  '{"text":2,"text":"a"}',
  '{"text":"\\u00e9\\ud83d\\ude00"}',
  '{"te\\u0078t":"a"}',
];

function step(random: Random, compress: boolean): Step {
  const part = (name: string, bytes: Buffer, outcome: Outcome): Step => ({
    name,
    parts: divided(random, bytes),
    outcome,
  });
  const isCompressed = compress && random.chance(0.4);
  const data = (text: string, opcode = TEXT): Buffer =>
    message(random, opcode, Buffer.from(text), isCompressed);
  switch (
    random.weighed(
      [8, "message"],
      [2, "accepted"],
      [3, "refused"],
      [2, "ping"],
      [1, "pong"],
      [1, "close"],
      [1, "broken"],
      [1, "binary"],
      [1, "large"],
    )
  ) {
    case "message": {
      const text = JSON.stringify({ text: textOf(random) });
      const isLarge = Buffer.byteLength(text) > MESSAGE_BYTES;
      return part(isLarge ? "large" : "message", data(text), isLarge ? "end" : "frame");
    }
    case "accepted":
      return part("accepted", data(random.pick(accepted)), "frame");
    case "refused":
      return part("refused", data(random.pick(texts)), "end");
    case "ping": {
      const payload = Buffer.alloc(random.int(0, 125), "p");
      return part("ping", frame(random, FIN | PING, payload), "frame");
    }
    case "pong":
      return part("pong", frame(random, FIN | PONG, Buffer.from("pong")), "nothing");
    case "binary":
      return part("binary", data('{"text":"a"}', BINARY), "end");
    case "large":
      return part("large", data(JSON.stringify({ text: "x".repeat(MESSAGE_BYTES) })), "end");
    case "close":
      return part("close", frame(random, FIN | CLOSE, closePayload(random)), "end");
    default:
      return part("broken", brokenFrame(random), "end");
  }
}

function closePayload(random: Random): Buffer {
  const codes = [1000, 1001, 1002, 1003, 1007, 1008, 1011, 3000, 4001, 4999];
  const invalid = [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535];
  const code = Buffer.alloc(2);
  code.writeUInt16BE(random.pick(random.chance(0.6) ? codes : invalid));
  return random.weighed(
    [1, Buffer.alloc(0)],
    [1, Buffer.from([3])],
    [3, code],
    [3, Buffer.concat([code, Buffer.from("bye é")])],
    [1, Buffer.concat([code, Buffer.from([0xc3])])],
    [1, Buffer.concat([code, Buffer.alloc(123, "r")])],
  );
}

/** Returns a frame that RFC 6455 forbids. */
function brokenFrame(random: Random): Buffer {
  const text = Buffer.from('{"text":"a"}');
  const unmasked = Buffer.concat([Buffer.from([FIN | TEXT, text.length]), text]);
  return random.pick([
    unmasked,
    frame(random, FIN | 0x20 | TEXT, text),
    frame(random, FIN | 0x10 | TEXT, text),
    frame(random, FIN | 3, text),
    frame(random, FIN | 11, text),
    frame(random, FIN | CONTINUATION, text),
    frame(random, PING, text),
    frame(random, FIN | COMPRESSED | PING, text),
    frame(random, FIN | PING, Buffer.alloc(126)),
    frame(random, FIN | CLOSE, Buffer.alloc(126)),
    frame(random, FIN | TEXT, Buffer.from([0xff, 0xfe])),
    Buffer.concat([frame(random, TEXT, text), frame(random, FIN | TEXT, text)]),
    Buffer.concat([Buffer.from([FIN | TEXT, 0xff]), Buffer.alloc(8, 0xff), Buffer.alloc(4)]),
  ]);
}

/** Returns a random script for a route. */
export function scriptOf(random: Random): Script {
  const compress = random.chance(0.4);
  const head = headOf(random, compress);
  const steps: Step[] = [];
  const count = random.int(1, 8);
  while (steps.length < count && steps.at(-1)?.outcome !== "end") steps.push(step(random, compress));
  if (steps.at(-1)!.outcome !== "end") {
    const payload = Buffer.from([0x03, 0xe8]);
    steps.push({ name: "close", parts: [frame(random, FIN | CLOSE, payload)], outcome: "end" });
  }
  return { head, steps };
}

const extensions = [
  "permessage-deflate",
  "permessage-deflate; client_max_window_bits",
  "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
  "permessage-deflate; server_max_window_bits=15",
];

/** Offers that servers refuse or ignore. */
const oddExtensions = [
  "permessage-deflate; server_max_window_bits=8",
  "permessage-deflate; server_max_window_bits=99",
  "permessage-deflate; unknown",
  "permessage-deflate; client_no_context_takeover=1",
  "x-other, permessage-deflate",
  "permessage-deflate; server_max_window_bits=8, permessage-deflate",
  "permessage-deflate; client_max_window_bits=15; client_max_window_bits=15",
  ",",
  "=;",
];

function headOf(random: Random, compress: boolean): string {
  const headers = new Map([
    ["Host", "localhost"],
    ["Connection", random.pick(["Upgrade", "upgrade", "keep-alive, Upgrade"])],
    ["Upgrade", random.pick(["websocket", "WebSocket"])],
    ["Sec-WebSocket-Version", "13"],
    ["Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="],
  ]);
  if (compress) headers.set("Sec-WebSocket-Extensions", random.pick(extensions));
  let [method, target] = ["GET", "/echo"];
  if (random.chance(0.15)) {
    // One deviation for each handshake, because the first that a server finds decides its response.
    const [name, value] = random.pick<readonly [string, string | undefined]>([
      ["Connection", "close"],
      ["Connection", undefined],
      ["Upgrade", "h2c"],
      ["Upgrade", undefined],
      ["Upgrade", "websocket, h2c"],
      ["Sec-WebSocket-Version", "8"],
      ["Sec-WebSocket-Version", undefined],
      ["Sec-WebSocket-Key", "short"],
      ["Sec-WebSocket-Key", undefined],
      ["Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ"],
      ["Sec-WebSocket-Extensions", random.pick(oddExtensions)],
      ["Sec-WebSocket-Protocol", "chat, chat"],
      ["Sec-WebSocket-Protocol", "chat"],
      ["method", random.pick(["POST", "HEAD", "OPTIONS"])],
      ["target", random.pick(["/none", "/echo?x=1", "/echo/"])],
    ]);
    if (name === "method") method = value!;
    else if (name === "target") target = value!;
    else if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  const lines = Array.from(headers, ([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
