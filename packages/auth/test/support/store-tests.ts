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
