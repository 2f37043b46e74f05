// The minimum rate of clients that read a response, with times of the test.
import assert from "node:assert/strict";
import { test } from "node:test";

import { lastResponse, type TrackedSocket } from "../src/refuser.ts";
import { StalledReaders } from "../src/stalled-readers.ts";

/** Socket that always has bytes for its client, unless `queued` is 0. */
class Socket {
  destroyed = false;
  queued = 1_000_000;
  sent = 0;
  [lastResponse]: unknown = {};

  get _handle(): { readonly bytesWritten: number; readonly writeQueueSize: number } {
    return { bytesWritten: this.sent + this.queued, writeQueueSize: this.queued };
  }

  destroy(): void {
    this.destroyed = true;
  }
}

/** Looks at the socket every second. `read` is called before each look. Returns the second in which the connection is closed. */
function closedAfter(seconds: number, read: (second: number, socket: Socket) => void): number | undefined {
  const socket = new Socket();
  const readers = new StalledReaders([socket as unknown as TrackedSocket], 60_000);
  for (let second = 0; second < seconds; second += 1) {
    read(second, socket);
    readers.sweep(second * 1000);
    if (socket.destroyed) return second;
  }
  return undefined;
}

/** Lets the client read `bytes` every `seconds`. */
const reads =
  (bytes: number, seconds: number) =>
  (second: number, socket: Socket): void => {
    if (second % seconds === 0) socket.sent += bytes;
  };

test("a client that reads nothing, or single packets, loses its connection", () => {
  assert.equal(closedAfter(100, reads(0, 1)), 60);
  assert.ok(closedAfter(200, reads(1, 50))! <= 61);
  assert.ok(closedAfter(200, reads(1460, 50))! <= 80);
  assert.notEqual(closedAfter(20_000, reads(230, 1)), undefined);
});

test("a client that reads at least 240 bytes per second keeps its connection", () => {
  for (const [bytes, seconds] of [
    [240, 1],
    [2048, 1],
    [14_400, 59],
    [100_000, 50],
  ] as const) {
    assert.equal(closedAfter(20_000, reads(bytes, seconds)), undefined, `${bytes} in ${seconds} s`);
  }
});

/**
 * Lets bytes wait for a silent client for 50 seconds of every 100. With `isNew`, each of these times has its own request. Returns the
 * second in which the connection is closed.
 */
function closedBetweenPauses(isNew: boolean): number | undefined {
  return closedAfter(1000, (second, socket) => {
    socket.queued = second % 100 < 50 ? 1000 : 0;
    if (second % 100 === 99 && isNew) socket[lastResponse] = {};
  });
}

test("the time in which no bytes wait for the client does not count, and a new request starts again", () => {
  assert.equal(closedBetweenPauses(true), undefined);
  assert.ok(closedBetweenPauses(false)! >= 100);
});
