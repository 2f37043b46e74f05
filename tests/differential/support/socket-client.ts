// Client of a WebSocket that sends the bytes of a script and collects the frames of the server.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { inflateRawSync } from "node:zlib";

import type { Script } from "../requests/socket-scripts.ts";

/** Longest time in milliseconds that a server may take for one step. */
const STEP_MS = 10_000;

/** Close frame of a client without a code, masked with zeros. */
const CLOSE_FRAME = Buffer.from([0x88, 0x80, 0, 0, 0, 0]);

/** Response and frames that a server has sent for a script. */
export interface Transcript {
  /** Status, headers and, if the server refused the handshake, body of the response. */
  readonly head: string;
  /** Frames in their order: opcode and payload. Empty if the server refused the handshake. */
  readonly frames: readonly string[];
  /** Steps that were sent. */
  readonly steps: readonly string[];
}

/** Headers whose values differ between two responses of one server. */
const VARIABLE = /^(?:date|x-request-id): .*$/gim;
const TRACE_ID = /"traceId":"[^"]*"/;

/** Runs a script against the server on a port. */
export async function runScript(port: number, { head, steps }: Script): Promise<Transcript> {
  const socket = connect(port, "127.0.0.1").setNoDelay(true);
  const reader = new FrameReader(socket);
  const sent: string[] = [];
  const frames: string[] = [];
  try {
    socket.write(head);
    const response = await reader.head();
    if (!response.startsWith("HTTP/1.1 101 ")) {
      // The server may keep the connection for another request, so the end of the body is known by its length.
      const body = head.startsWith("HEAD") ? "" : await reader.body(response);
      return { head: `${shown(response)}\n${body.replace(TRACE_ID, '"traceId":"…"')}`, frames, steps: sent };
    }
    for (const { name, parts, outcome } of steps) {
      sent.push(name);
      for (const [index, part] of parts.entries()) {
        if (index > 0) await sleep(1);
        if (!socket.destroyed) socket.write(part);
      }
      if (outcome === "nothing") continue;
      for (;;) {
        const frame = await reader.frame();
        frames.push(frame ?? "end");
        if (frame === undefined) return { head: shown(response), frames, steps: sent };
        // A server waits for the close frame of its client before it ends the connection.
        if (frame.startsWith("close ") && !socket.destroyed) socket.write(CLOSE_FRAME);
        if (outcome === "frame") break;
      }
    }
    return { head: shown(response), frames, steps: sent };
  } finally {
    socket.destroy();
  }
}

/** Returns a response head with sorted headers, without those that differ between two responses of one server. */
function shown(head: string): string {
  const [status = "", ...headers] = head.replace(VARIABLE, "").trim().split("\r\n");
  return [status, ...headers.filter((line) => line !== "").toSorted()].join("\n");
}

/** Reads the response to a handshake, and then frames. */
class FrameReader {
  readonly #socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #hasEnded = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => (this.#bytes = Buffer.concat([this.#bytes, chunk])));
    for (const event of ["end", "error", "close"]) socket.on(event, () => (this.#hasEnded = true));
  }

  async head(): Promise<string> {
    let end: number;
    while ((end = this.#bytes.indexOf("\r\n\r\n")) < 0) {
      if (this.#hasEnded) return "no response";
      await this.#more();
    }
    return String(this.#take(end + 4));
  }

  async body(head: string): Promise<string> {
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    while (this.#bytes.length < length && !this.#hasEnded) await this.#more();
    return String(this.#take(length));
  }

  /** Returns the next frame as text, or `undefined` if the server has ended the connection. */
  async frame(): Promise<string | undefined> {
    let length: number | undefined;
    while ((length = this.#frameLength()) === undefined || this.#bytes.length < length) {
      if (this.#hasEnded) return this.#bytes.length === 0 ? undefined : "a part of a frame";
      await this.#more();
    }
    const frame = this.#take(length);
    const first = frame[0]!;
    const payload = frame.subarray(length - this.#payloadLength(frame));
    const content = (first & 0x40) === 0 ? payload : inflated(payload);
    const opcode = first & 0xbf;
    return opcode === 0x88 && content.length > 1
      ? `close ${content.readUInt16BE(0)} ${content.subarray(2)}`
      : `${opcode.toString(16)} ${content}`;
  }

  #frameLength(): number | undefined {
    const head = this.#bytes;
    if (head.length < 2) return undefined;
    const short = head[1]!;
    if (short < 126) return 2 + short;
    const extended = short === 126 ? 2 : 8;
    return head.length < 2 + extended ? undefined : 2 + extended + this.#payloadLength(head);
  }

  #payloadLength(frame: Buffer): number {
    const short = frame[1]!;
    if (short < 126) return short;
    return short === 126 ? frame.readUInt16BE(2) : Number(frame.readBigUInt64BE(2));
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  async #more(): Promise<void> {
    const signal = AbortSignal.timeout(STEP_MS);
    await Promise.race(["data", "end", "close"].map((name) => once(this.#socket, name, { signal })));
  }
}

/** Returns the content of a compressed message. A server may compress messages only if both sides agreed on compression. */
function inflated(payload: Buffer): Buffer {
  return inflateRawSync(Buffer.concat([payload, Buffer.from([0, 0, 0xff, 0xff])]), { finishFlush: 2 });
}
