import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { createPasswords, type PasswordOptions } from "@kit/auth";

import { argon2id } from "../src/passwords/argon2.ts";

/** Lowest cost that the options allow, so that tests are fast. */
const fast: PasswordOptions = { memoryKib: 7168, passes: 1 };

describe("createPasswords", () => {
  it("accepts the password of a hash, and refuses other passwords", async () => {
    const passwords = createPasswords();
    const stored = await passwords.hash("correct horse");
    assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.equal(await passwords.verify("correct horse", stored), true);
    assert.equal(await passwords.verify("correct horsf", stored), false);
    assert.notEqual(await passwords.hash("correct horse"), stored);
    assert.equal(passwords.needsRehash(stored), false);
  });

  it("verifies a hash of the reference implementation", async () => {
    // `echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32`, from test.c of github.com/P-H-C/phc-winner-argon2.
    const stored = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    const passwords = createPasswords(fast);
    assert.equal(await passwords.verify("password", stored), true);
    assert.equal(await passwords.verify("passwore", stored), false);
    assert.equal(passwords.needsRehash(stored), true);
  });

  it("asks to hash again if a parameter has changed", async () => {
    const stored = await createPasswords(fast).hash("x");
    assert.equal(createPasswords(fast).needsRehash(stored), false);
    for (const changed of [{ memoryKib: 8192 }, { passes: 2 }, { parallelism: 2 }])
      assert.equal(createPasswords({ ...fast, ...changed }).needsRehash(stored), true);
    assert.equal(createPasswords(fast).needsRehash("$2b$10$x"), true);
  });

  it("normalizes passwords, so that two keyboards give the same password", async () => {
    const passwords = createPasswords(fast);
    assert.equal(await passwords.verify("Zu\u0308rich", await passwords.hash("Z\u00fcrich")), true);
  });

  it("refuses every password of a user who does not exist, in about the same time", async () => {
    const passwords = createPasswords(fast);
    const stored = await passwords.hash("secret");
    const time = async (hash: string | null): Promise<number> => {
      const times = [];
      for (let round = 0; round < 7; round += 1) {
        const before = performance.now();
        // oxlint-disable-next-line no-await-in-loop
        assert.equal(await passwords.verify("wrong", hash), false);
        times.push(performance.now() - before);
      }
      return times.toSorted((a, b) => a - b)[3]!;
    };
    const [known, unknown] = [await time(stored), await time(null)];
    assert.ok(unknown > known / 4 && unknown < known * 4, `${unknown} and ${known} ms`);
  });

  it("limits the length of passwords", async () => {
    const passwords = createPasswords({ ...fast, maxBytes: 64 });
    await assert.rejects(passwords.hash("ü".repeat(33)), { code: "PASSWORD_TOO_LONG", status: 400 });
    const stored = await passwords.hash("ü".repeat(32));
    assert.equal(await passwords.verify("ü".repeat(32), stored), true);
    assert.equal(await passwords.verify("ü".repeat(33), stored), false);
    assert.equal(await passwords.verify("\ud800", stored), false);
  });

  it("limits the number of hashes that are computed or wait, and does not block the event loop", async () => {
    const passwords = createPasswords({ ...fast, concurrency: 1, maxWaiting: 2 });
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => passwords.hash("x")));
    clearInterval(timer);
    assert.deepEqual(
      results.map((result) =>
        result.status === "rejected" ? (result.reason as { code: string }).code : "hash",
      ),
      ["hash", "hash", "hash", "TOO_MANY_LOGINS", "TOO_MANY_LOGINS", "TOO_MANY_LOGINS"],
    );
    assert.ok(ticks > 0, "timers run while hashes are computed");
    // The places are free again.
    assert.equal(await passwords.verify("x", await passwords.hash("x")), true);
  });

  it("refuses a stored hash that is malformed or costs too much", async () => {
    const passwords = createPasswords(fast);
    const [salt, hash] = ["c29tZXNhbHQ", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"];
    for (const stored of [
      "",
      "secret",
      `$argon2i$v=19$m=65536,t=2,p=1$${salt}$${hash}`,
      `$argon2id$v=16$m=65536,t=2,p=1$${salt}$${hash}`,
      `$argon2id$v=19$m=1048577,t=2,p=1$${salt}$${hash}`,
      `$argon2id$v=19$m=65536,t=65,p=1$${salt}$${hash}`,
      `$argon2id$v=19$m=65536,t=2,p=17$${salt}$${hash}`,
      `$argon2id$v=19$m=7,t=2,p=1$${salt}$${hash}`,
      `$argon2id$v=19$m=65536,t=2,p=1$${salt}$${hash}$`,
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      await assert.rejects(passwords.verify("x", stored), /is not a hash of Argon2id/, stored);
    }
  });

  it("refuses options that are unknown or out of range when it is created", () => {
    for (const [options, message] of [
      [{ memory: 1 }, /no option `memory`/],
      [{ memoryKib: 7167 }, /memoryKib must be an integer from 7168/],
      [{ passes: 0 }, /passes must be an integer from 1/],
      [{ concurrency: 1.5 }, /concurrency must be an integer/],
    ] as const) {
      assert.throws(() => createPasswords(options as PasswordOptions), message);
    }
  });
});

describe("argon2id", () => {
  it("gives the hashes of the reference implementation", async () => {
    const cost = { memoryKib: 256, passes: 2, parallelism: 2 };
    const hash = await argon2id("password", Buffer.from("somesalt"), 32, cost);
    assert.equal(hash.toString("hex"), "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037");
  });
});
