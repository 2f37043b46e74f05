// Tests the chat example: its own tests, several workers, events that resume, and its page in a browser.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, test } from "node:test";

import { chromium } from "playwright-core";

import { chromiumPath, withoutChromium } from "./support/chromium.ts";
import { Project } from "./support/project.ts";
import type { RunningApp } from "./support/running-app.ts";

interface Message {
  readonly id: number;
  readonly author: string;
  readonly text: string;
}

/** Member of a room, with the messages that it has received. */
class Member {
  readonly messages: Message[] = [];
  readonly socket: WebSocket;

  private constructor(url: string, room: string, cookie: string) {
    // The constructor of Node takes headers, of which the types of browsers know nothing.
    const options = { headers: { cookie } } as unknown as string[];
    this.socket = new WebSocket(`${url.replace("http", "ws")}/rooms/${room}`, options);
    this.socket.addEventListener("message", ({ data }) =>
      this.messages.push(JSON.parse(String(data)) as Message),
    );
  }

  /** Begins a session and joins a room. */
  static async join(url: string, room: string, name: string): Promise<Member> {
    const response = await fetch(`${url}/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name }),
    });
    const member = new Member(url, room, response.headers.getSetCookie()[0]!.split(";")[0]!);
    await new Promise((resolve, reject) => {
      member.socket.addEventListener("open", resolve);
      member.socket.addEventListener("close", reject);
    });
    return member;
  }

  say(text: string): void {
    this.socket.send(JSON.stringify({ text }));
  }

  texts(): string[] {
    return this.messages.map(({ text }) => text);
  }
}

async function until(what: string, condition: () => boolean): Promise<void> {
  const end = performance.now() + 20_000;
  while (!condition()) {
    assert.ok(performance.now() < end, what);
    await sleep(10);
  }
}

describe("the chat example", () => {
  let project: Project;
  let app: RunningApp;
  before(async () => {
    project = await Project.copy("chat");
    await project.kitOk("build");
    await project.kitOk("migrate:apply");
    app = await project.start({ env: { WORKERS: "2", KIT_COOKIE_KEYS: randomBytes(32).toString("base64") } });
  });
  after(() => project?.remove());

  test("passes the tests of its contracts", async () => {
    const { stdout } = await project.kitOk("test");
    assert.match(stdout, /^\d+ passed in /m);
  });

  test("passes each message to all members, on all workers, in one order", async () => {
    const members = await Promise.all(
      Array.from({ length: 12 }, (_, index) => Member.join(app.url, "hall", `member${index}`)),
    );
    for (let round = 0; round < 5; round += 1)
      for (const [index, member] of members.entries()) member.say(`${index}: ${round}`);
    const count = members.length * 5;
    await until("every member has every message", () =>
      members.every(({ messages }) => messages.length >= count),
    );
    const [first] = members;
    assert.equal(new Set(first!.texts()).size, count);
    for (const { messages } of members) assert.deepEqual(messages, first!.messages);
    const late = await Member.join(app.url, "hall", "late");
    await until("a late member has the last ten", () => late.messages.length === 10);
    assert.deepEqual(late.messages, first!.messages.slice(-10));
    const other = await Member.join(app.url, "garden", "other");
    await sleep(100);
    assert.deepEqual(other.messages, []);
    for (const { socket } of [...members, late, other]) socket.close();
  });

  test("sends events to readers, which miss no message while they are away", async () => {
    const member = await Member.join(app.url, "news", "editor");
    member.say("one");
    await until("the message is stored", () => member.messages.length === 1);
    const read = async (count: number, last: number): Promise<Message[]> => {
      const response = await fetch(`${app.url}/rooms/news/events`, {
        headers: { "last-event-id": `${last}` },
      });
      const found: Message[] = [];
      let text = "";
      const decoder = new TextDecoder();
      for await (const chunk of response.body!) {
        text += decoder.decode(chunk as Uint8Array, { stream: true });
        const events = text.split("\n\n");
        text = events.pop()!;
        for (const event of events) {
          const data = /^data: (.*)$/m.exec(event)?.[1];
          if (data !== undefined) found.push(JSON.parse(data) as Message);
        }
        if (found.length >= count) break;
      }
      return found;
    };
    const [one] = await read(1, 0);
    for (const text of ["two", "three"]) member.say(text);
    const missed = await read(2, one!.id);
    assert.deepEqual(
      missed.map(({ text }) => text),
      ["two", "three"],
    );
    member.socket.close();
  });

  test("refuses visitors without a session, who can only read", async () => {
    const socket = new WebSocket(`${app.url.replace("http", "ws")}/rooms/hall?name=Ada`);
    const { code } = await new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
    assert.equal(code, 1006, "the handshake was refused");
  });

  test("closes the socket of a member whose message breaks the contract", async () => {
    const member = await Member.join(app.url, "hall", "loud");
    member.say("x".repeat(501));
    const { code, reason } = await new Promise<CloseEvent>((resolve) =>
      member.socket.addEventListener("close", resolve),
    );
    assert.deepEqual([code, reason], [1008, "$.text: expected string, 1 to 500 characters"]);
  });

  test("shows the messages of two pages in the browser", { skip: withoutChromium }, async () => {
    // No sandbox, because root cannot use it.
    const browser = await chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
    try {
      const errors: string[] = [];
      const pages = await Promise.all(
        ["Ada", "Bob"].map(async (name) => {
          const page = await browser.newPage();
          page.on("pageerror", (error) => errors.push(error.message));
          // Chromium stores `Secure` cookies of this host without HTTPS.
          await page.goto(app.url.replace("127.0.0.1", "localhost"));
          await page.getByLabel("Room").fill("browsers");
          await page.getByLabel("Name").fill(name);
          await page.getByRole("button", { name: "Join" }).click();
          await page.getByText("You are in the room browsers.").waitFor();
          return page;
        }),
      );
      await pages[0]!.getByLabel("Message").fill("Hello from Ada");
      await pages[0]!.getByRole("button", { name: "Send" }).click();
      for (const page of pages) await page.getByText("Ada: Hello from Ada").waitFor();
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
  });

  test("closes its sockets and ends when it is stopped", async () => {
    const member = await Member.join(app.url, "hall", "last");
    const closed = new Promise<CloseEvent>((resolve) => member.socket.addEventListener("close", resolve));
    assert.deepEqual(await app.stop(), { code: 0, signal: null });
    assert.equal((await closed).code, 1001);
  });
});
