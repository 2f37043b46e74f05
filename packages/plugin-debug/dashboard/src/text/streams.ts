import type { StreamCount, StreamEnd, StreamRecord } from "@kit/types";

import { count } from "./format.ts";

/** Names of the kinds of streams. */
export const kindNames: Readonly<Record<StreamRecord["kind"], string>> = {
  socket: "WS",
  events: "EVENTS",
  lines: "LINES",
};

/** Formats a number of messages: `1 message`, `12 received`. */
export function countText({ messages }: StreamCount, participle?: string): string {
  const noun = messages === 1 ? "message" : "messages";
  return `${count(messages)} ${participle ?? noun}`;
}

const results: Readonly<Record<StreamEnd["result"], string>> = {
  complete: "complete",
  closed: "closed by the application",
  disconnected: "the client disconnected",
  failed: "failed",
};

/** Describes the end of a stream: `closed by the application, 4001: Bye`. */
export function endText({ result, code, reason }: StreamEnd): string {
  const parts = [code === null ? "" : String(code), reason].filter((part) => part !== "");
  return parts.length === 0 ? results[result] : `${results[result]}, ${parts.join(": ")}`;
}

/** Close codes of an ordinary end (RFC 6455, 7.4.1). */
const ordinaryCodes: ReadonlySet<number | null> = new Set([null, 1000, 1001, 1005]);

/** Returns the CSS class of a stream's badge: green, amber for an unusual end, and red for a failure. */
export function endTone(end: StreamEnd | null): string {
  if (end === null) return "active";
  const { result, code } = end;
  if (result === "failed" || code === 1011) return "s5";
  const isOrdinary = ordinaryCodes.has(code) && (result !== "disconnected" || code !== null);
  return isOrdinary ? "s2" : "s4";
}
