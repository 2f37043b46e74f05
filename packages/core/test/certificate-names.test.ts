import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";

import { Authority } from "../../server-node/test/certificates.ts";
import { CertificateNames } from "../src/app/certificate-names.ts";

test("a new certificate counts only together with its key", (t) => {
  using authority = new Authority();
  const [cert, key] = [authority.path("server.pem"), authority.path("server.key")];
  const [old, next] = [authority.sign(2, "old.test"), authority.sign(2, "next.test")];
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const names = new CertificateNames(cert, key);
  const found = (): unknown[] => {
    now += 10_000;
    return [names.find("old.test:80"), names.find("next.test")];
  };
  writeFileSync(cert, old.cert);
  writeFileSync(key, old.key);
  assert.deepEqual(found(), ["old.test", undefined]);
  writeFileSync(cert, next.cert);
  assert.deepEqual(found(), ["old.test", undefined], "the certificate does not belong to the key");
  writeFileSync(key, next.key);
  assert.deepEqual(found(), [undefined, "next.test"]);
  writeFileSync(key, "none");
  assert.deepEqual(found(), [undefined, "next.test"]);
});
