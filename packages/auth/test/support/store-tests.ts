import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";

import type { SessionStore } from "@kit/auth";

import { application } from "./session-application.ts";
import { testSessions } from "./session-tests.ts";

/** Tests that every store has to pass. */
export function testStore(name: string, make: () => SessionStore): void {
  testSessions(name, ({ keys, ...times } = {}) =>
    application({ store: make(), scopesOf: () => ["read", "x"], ...times }, undefined, keys && { keys }),
  );

  describe(`sessions in ${name}`, () => {
    const user = `u${randomUUID()}`;

    it("do not come back if a request ends after the logout", async () => {
      const store = make();
      const now = new Date();
      const session = {
        id: randomUUID(),
        subject: user,
        data: "{}",
        createdAt: now,
        seenAt: now,
        expiresAt: new Date(now.getTime() + 60_000),
      };
      await store.create(session, 1000);
      assert.deepEqual(await store.read(session.id), session);
      await store.delete(session.id);
      await store.touch(session.id, new Date(), 1000);
      await store.update(session.id, `{"a":1}`);
      assert.equal(await store.read(session.id), null);
      await store.delete(session.id);
    });

    it("keep their data if they get another id", async () => {
      const store = make();
      const now = new Date();
      const expiresAt = new Date(now.getTime() + 60_000);
      const session = { id: randomUUID(), subject: user, data: "{}", createdAt: now, seenAt: now, expiresAt };
      await store.create(session, 1000);
      const [next, seenAt] = [randomUUID(), new Date(now.getTime() + 5)];
      assert.equal(await store.rename(session.id, next, seenAt, 30_000), true);
      assert.deepEqual(await store.read(next), { ...session, id: next, seenAt });
      assert.equal(await store.read(session.id), null);
      assert.equal(await store.rename(session.id, randomUUID(), seenAt, 30_000), false);
      await store.deleteAll(user);
      assert.equal(await store.read(next), null);
    });

    it("end by a logout everywhere at the time at which they get another id", async () => {
      const store = make();
      for (let round = 0; round < 100; round += 1) {
        const now = new Date();
        const expiresAt = new Date(now.getTime() + 60_000);
        const [id, next] = [randomUUID(), randomUUID()];
        const session = { id, subject: user, data: "{}", createdAt: now, seenAt: now, expiresAt };
        // oxlint-disable no-await-in-loop -- each round has its own session
        await store.create(session, 30_000);
        await Promise.all([store.rename(id, next, now, 30_000), store.deleteAll(user)]);
        assert.equal(await store.read(id), null);
        assert.equal(await store.read(next), null);
        // oxlint-enable no-await-in-loop
      }
    });

    it("keep data with every character", async () => {
      const store = make();
      const now = new Date();
      const data = JSON.stringify({
        text: "ü\u0000\u2028😀\"'\\$1",
        big: 9_007_199_254_740_991,
        list: [],
      });
      const expiresAt = new Date(now.getTime() + 60_000);
      const session = {
        id: randomUUID(),
        subject: `${user} ü'"`,
        data,
        createdAt: now,
        seenAt: now,
        expiresAt,
      };
      await store.create(session, 1000);
      assert.equal((await store.read(session.id))?.data, data);
      await store.update(session.id, `[${data}]`);
      assert.deepEqual(await store.read(session.id), { ...session, data: `[${data}]` });
      await store.deleteAll(session.subject);
      assert.equal(await store.read(session.id), null);
    });
  });
}
