import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";

import { FetchResponseWriter } from "../../src/fetch/response-stream.ts";
import { sharedEvent } from "../../src/bodies/shared-event.ts";
import { writeEvents } from "../../src/bodies/events.ts";

/** Source whose results the test gives. */
class Source implements AsyncIterator<unknown, undefined, undefined> {
  requests = 0;
  returns = 0;
  #pending: PromiseWithResolvers<IteratorResult<unknown, undefined>> | undefined;

  next(): Promise<IteratorResult<unknown, undefined>> {
    this.requests += 1;
    this.#pending = Promise.withResolvers();
    return this.#pending.promise;
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.returns += 1;
    return { done: true, value: undefined };
  }

  give(id: string): void {
    this.#pending!.resolve({ done: false, value: { event: "stopped", id } });
  }

  fail(error: Error): void {
    this.#pending!.reject(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

function textsOf(source: AsyncIterable<unknown>): AsyncIterator<string | Uint8Array> {
  return writeEvents(source, { stopped: null }, () => undefined)[Symbol.asyncIterator]();
}

const text = (id: string): object => ({ done: false, value: `event: stopped\nid: ${id}\ndata: null\n\n` });
const ping = { done: false, value: ":\n\n" };
const end = { done: true, value: undefined };

/** Returns the state of a promise after all promises that can settle have settled. */
async function settled(promise: Promise<unknown>): Promise<unknown> {
  return Promise.race([promise, setImmediate("waiting")]);
}

/** Clock with one timer, because `refresh` has no effect on the timers that `node:test` mocks. */
class Clock {
  #now = 0;
  #due = Infinity;
  #run: () => void = () => undefined;
  #patience = 0;

  constructor(t: TestContext) {
    t.mock.method(globalThis, "setTimeout", ((run: () => void, patience: number) => {
      [this.#run, this.#patience] = [run, patience];
      return this.refresh();
    }) as never);
    t.mock.method(globalThis, "clearTimeout", () => (this.#due = Infinity));
  }

  refresh(): this {
    this.#due = this.#now + this.#patience;
    return this;
  }

  unref(): this {
    return this;
  }

  tick(milliseconds: number): void {
    this.#now += milliseconds;
    if (this.#now < this.#due) return;
    this.#due = Infinity;
    this.#run();
  }
}

test("a ping is sent after 15 seconds without an event, and each event starts the time again", async (t) => {
  const clock = new Clock(t);
  const source = new Source();
  const texts = textsOf(source);
  const first = texts.next();
  clock.tick(14_999);
  assert.equal(await settled(first), "waiting");
  source.give("1");
  assert.deepEqual(await first, text("1"));
  const second = texts.next();
  clock.tick(14_999);
  assert.equal(await settled(second), "waiting");
  clock.tick(1);
  assert.deepEqual(await second, ping);
  const third = texts.next();
  clock.tick(15_000);
  assert.deepEqual(await third, ping);
  const fourth = texts.next();
  source.give("2");
  assert.deepEqual(await fourth, text("2"));
  assert.equal(source.requests, 2);
});

test("an event after a ping waits until the client can receive more", async (t) => {
  const clock = new Clock(t);
  const source = new Source();
  const texts = textsOf(source);
  const first = texts.next();
  clock.tick(15_000);
  assert.deepEqual(await first, ping);
  source.give("1");
  await setImmediate();
  clock.tick(15_000);
  assert.equal(source.requests, 1);
  assert.deepEqual(await texts.next(), text("1"));
  const next = texts.next();
  source.fail(new Error("gone"));
  await assert.rejects(next, /gone/);
  assert.equal(source.requests, 2);
});

test("a failure after a ping waits until the client can receive more", async (t) => {
  const clock = new Clock(t);
  const source = new Source();
  const texts = textsOf(source);
  const first = texts.next();
  clock.tick(15_000);
  assert.deepEqual(await first, ping);
  source.fail(new Error("gone"));
  await setImmediate();
  await assert.rejects(texts.next(), /gone/);
});

test("return ends the source and the promise that waits, and later results have no effect", async (t) => {
  void new Clock(t);
  const source = new Source();
  const texts = textsOf(source);
  const waiting = texts.next();
  await texts.return!();
  assert.deepEqual(await waiting, end);
  assert.equal(source.returns, 1);
  source.fail(new Error("gone"));
  await setImmediate();
  assert.deepEqual(await texts.next(), end);
  assert.equal(source.requests, 1);
});

test("a source that throws, and a value that is no event, reject the promise that waits", async () => {
  const throwing = { next: () => assert.fail("thrown") };
  const source = { [Symbol.asyncIterator]: () => throwing as never };
  await assert.rejects(textsOf(source).next(), /thrown/);
  const wrong = textsOf(
    (async function* () {
      yield { event: "unknown" };
    })(),
  );
  await assert.rejects(wrong.next(), /no event of the contract/);
});

function later(percent: number): string {
  return `event: progress\ndata: {"percent":${percent}}\n\n`;
}

/** Returns the texts of an event in two streams of one route, and the number of times that its data was written. */
async function inTwoStreams(
  event: object,
  change: () => void = () => undefined,
): Promise<[string[], number]> {
  let written = 0;
  const serialize = (data: unknown): string => {
    written += 1;
    return JSON.stringify(data);
  };
  const events = { progress: { serialize } as never };
  const texts: string[] = [];
  for (let stream = 0; stream < 2; stream += 1) {
    const source = (async function* () {
      yield event;
    })();
    const iterable = writeEvents(source, events, () => undefined);
    const { value } = await iterable[Symbol.asyncIterator]().next();
    texts.push(Buffer.from(value as Uint8Array).toString());
    change();
  }
  return [texts, written];
}

test("a shared event is written once for all streams", async () => {
  const event = sharedEvent({ event: "progress", data: { percent: 1, of: ["a", { b: 2 }] } });
  const once = 'event: progress\ndata: {"percent":1,"of":["a",{"b":2}]}\n\n';
  assert.deepEqual(await inTwoStreams(event), [[once, once], 1]);
  assert.throws(() => ((event.data as { percent: number }).percent = 2), TypeError);
});

test("an event that can change is written for each stream", async () => {
  const data = { percent: 1 };
  const change = (): void => void (data.percent += 1);
  // Only the outer object is frozen.
  for (const event of [{ event: "progress", data }, Object.freeze({ event: "progress", data })]) {
    data.percent = 1;
    assert.deepEqual(await inTwoStreams(event, change), [[later(1), later(2)], 2]);
  }
  const dated = sharedEvent({ event: "progress", data: { at: new Date(0) } });
  const [[, second]] = await inTwoStreams(dated, () => dated.data.at.setTime(1000));
  assert.match(second!, /01\.000Z/);
  const computed = Object.freeze({
    event: "progress",
    data: Object.freeze({
      get percent() {
        return (data.percent += 1);
      },
    }),
  });
  const [[one, other]] = await inTwoStreams(computed);
  assert.notEqual(one, other);
});

const nothing = (): void => undefined;

test("the reader of a response of app.fetch cannot change a shared event", async () => {
  const writer = new FetchResponseWriter({ drain: nothing, abort: nothing }, nothing);
  const chunk = Buffer.from("data: 1");
  writer.write(chunk);
  const { value } = await writer.body.getReader().read();
  value!.fill(0);
  assert.equal(chunk.toString(), "data: 1");
});

test("a shared event has the text of each route that sends it", async () => {
  const event = sharedEvent({ event: "progress", data: { percent: 1 } });
  const [[first]] = await inTwoStreams(event);
  const source = (async function* () {
    yield event;
  })();
  const events = { progress: { serialize: () => '"other"' } as never };
  const iterable = writeEvents(source, events, () => undefined);
  const { value } = await iterable[Symbol.asyncIterator]().next();
  assert.equal(String(value), 'event: progress\ndata: "other"\n\n');
  assert.notEqual(String(value), first);
});
