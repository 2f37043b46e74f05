// The files of TLS while a server runs: dates of the certificate, and changes of the files.
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { after, before, describe, mock, test } from "node:test";

import type { Logger, ServerAdapter, TlsOptions } from "@kit/types";

import { Authority } from "../../server-node/test/certificates.ts";
import { CertificateDates } from "../src/app/tls-dates.ts";
import { watchTls } from "../src/app/tls.ts";

const dayMs = 86_400_000;

describe("files of TLS", () => {
  let authority: Authority;
  before(() => {
    authority = new Authority();
  });
  after(() => authority[Symbol.dispose]());

  /** Writes the files of a server whose certificate is valid for some days. */
  const install = (days: number): TlsOptions => {
    const { cert, key } = authority.sign(days);
    const tls = { cert: authority.path("server.pem"), key: authority.path("server.key") };
    writeFileSync(tls.cert, cert);
    writeFileSync(tls.key, key);
    return tls;
  };

  test("warns once a day from a week before the end, and logs an error at the end", () => {
    const { cert } = install(90);
    const { log, entries } = logger();
    const dates = new CertificateDates(cert, log);
    dates.read();
    const end = Date.now() + 90 * dayMs;
    const reported = (at: number): string[] => {
      entries.length = 0;
      dates.report(at);
      return [...entries];
    };
    const soon = ["warn TLS_EXPIRES_SOON"];
    const expired = ["error TLS_EXPIRED"];
    assert.deepEqual(reported(end - 8 * dayMs), []);
    assert.deepEqual(reported(end - 7 * dayMs), soon);
    assert.deepEqual(reported(end - 6.5 * dayMs), []);
    assert.deepEqual(reported(end - 6 * dayMs), soon);
    assert.deepEqual(reported(end + 60_000), expired);
    assert.deepEqual(reported(end + dayMs), []);
    assert.deepEqual(reported(end + 2 * dayMs), expired);
    dates.read();
    assert.deepEqual(reported(end + 2 * dayMs), expired, "the file was read again");
  });

  test("warns about a certificate with a short life in the last quarter of it", () => {
    const { cert } = install(4);
    const { log, entries } = logger();
    const dates = new CertificateDates(cert, log);
    dates.read();
    dates.report(Date.now() + 2.9 * dayMs);
    assert.deepEqual(entries, []);
    dates.report(Date.now() + 3.1 * dayMs);
    assert.deepEqual(entries, ["warn TLS_EXPIRES_SOON"]);
  });

  test("reports the dates of a certificate only in the first worker", () => {
    const tls = install(-1);
    const reported = [undefined, { number: 1 }, { number: 2 }].map((worker) => {
      const { log, entries } = logger();
      const server = { worker, reloadTls: () => {} } as unknown as ServerAdapter;
      const stop = watchTls(server, tls, log, () => true);
      try {
        process.emit("SIGHUP", "SIGHUP");
      } finally {
        stop();
      }
      return entries.filter((entry) => entry === "error TLS_EXPIRED").length;
    });
    assert.deepEqual(reported, [2, 2, 0]);
  });

  test("reads the files again after chmod, and carries out a SIGHUP from before the start as soon as the server listens", async () => {
    mock.timers.enable({ apis: ["setInterval"] });
    const tls = install(2);
    const { log, entries } = logger();
    let reads = 0;
    let isServing = false;
    const server = { reloadTls: () => (reads += 1) } as unknown as ServerAdapter;
    const stop = watchTls(server, tls, log, () => isServing);
    try {
      await look();
      process.emit("SIGHUP", "SIGHUP");
      await look();
      assert.deepEqual([reads, entries], [0, []], "the server does not listen");
      isServing = true;
      await look();
      assert.deepEqual([reads, entries.length], [1, 1]);
      await look();
      assert.equal(reads, 1);
      chmodSync(tls.key, 0o400);
      await look();
      assert.equal(reads, 2);
    } finally {
      stop();
      mock.timers.reset();
    }
  });
});

/** A logger, and the codes or messages of its entries. */
function logger(): { readonly log: Logger; readonly entries: string[] } {
  const entries: string[] = [];
  const add =
    (level: string) =>
    (message: string, data?: object): void => {
      entries.push(`${level} ${(data as { code?: string } | undefined)?.code ?? message}`);
    };
  const levels = ["trace", "debug", "info", "warn", "error", "fatal"];
  const log = Object.fromEntries(levels.map((level) => [level, add(level)])) as unknown as Logger;
  return { log, entries };
}

/** Waits for the look at the files that the timer begins. */
async function look(): Promise<void> {
  mock.timers.tick(5_000);
  await new Promise((resolve) => setTimeout(resolve, 100));
}
