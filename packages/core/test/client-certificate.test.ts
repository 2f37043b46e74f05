import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";

import { readClientCertificate } from "../src/request/client-certificate.ts";
import { readName } from "../src/request/distinguished-name.ts";

interface Case {
  readonly name: string;
  readonly pem: string;
  readonly commonName: string | null;
  readonly validFrom: string;
  readonly validTo: string;
}

const { cases } = JSON.parse(
  readFileSync(new URL("../../../conformance/client-certificates.json", import.meta.url), "utf8"),
) as { readonly cases: readonly Case[] };

for (const { name, pem, commonName, validFrom, validTo, ...others } of cases) {
  test(name, () => {
    const certificate = readClientCertificate(new X509Certificate(pem).raw);
    const expected = {
      ...others,
      commonName: commonName ?? undefined,
      validFrom: new Date(validFrom),
      validTo: new Date(validTo),
    };
    assert.deepEqual({ ...certificate }, expected);
    assert.equal(certificate.pem(), pem);
  });
}

test("shows a certificate in logs by its subject and its fingerprint", () => {
  const certificate = readClientCertificate(new X509Certificate(cases[0]!.pem).raw);
  const { subject, fingerprint256 } = certificate;
  assert.deepEqual(JSON.parse(JSON.stringify({ certificate })), { certificate: { subject, fingerprint256 } });
  assert.doesNotMatch(inspect(certificate), /BEGIN CERTIFICATE/);
});

test("refuses bytes that are no certificate", () => {
  const { raw } = new X509Certificate(cases[0]!.pem);
  assert.throws(() => readClientCertificate(raw.subarray(0, -1)));
  assert.throws(() => readClientCertificate(Buffer.from("no certificate")));
});

test("escapes values of names that could look like another attribute", () => {
  for (const [name, text] of [
    ["a,O=b+c\\d", "a\\,O=b\\+c\\\\d"],
    [" # a ", "\\ # a\\ "],
    ["#a\0\n", "\\#a\\00\\0a"],
    [" ", "\\ "],
    ["\u0080", "\u0080"],
  ] as const) {
    assert.equal(textOf(name), `CN=${text}`);
  }
});

/** Returns a value of DER. */
function value(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, content.length]), content]);
}

/** Returns the text of a name that has only `CN`. */
function textOf(name: string): string {
  const attribute = Buffer.concat([value(6, Buffer.from([0x55, 4, 3])), value(0x0c, Buffer.from(name))]);
  return readName(value(0x31, value(0x30, attribute))).text;
}
