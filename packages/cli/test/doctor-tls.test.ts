// Tests what `kit doctor` says about the files of TLS.

import assert from "node:assert/strict";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { Authority } from "../../server-node/test/certificates.ts";
import { NOTES, Project } from "./support/project.ts";

interface Check {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly help: string | null;
}

async function checks(project: Project, env: Readonly<Record<string, string>> = {}): Promise<Check[]> {
  const outcome = await project.kit(["doctor", "--json"], env);
  assert.equal(outcome.err, "");
  const report = JSON.parse(outcome.out) as { checks: Check[] };
  return report.checks.filter(({ name }) => name === "tls");
}

/** Starts the application of the notes, with these options of `listen`. */
function main(tls: string): string {
  return `import { createApp } from "@kit/core";
const { TLS_CERT: cert = "", TLS_KEY: key = "" } = process.env;
const app = createApp({ routes: [] });
await app.listen({ port: 0, tls: ${tls} });
export { cert, key };
`;
}

test("reports files of TLS that are missing, unreadable, expired, about to expire or do not fit", async (t) => {
  using authority = new Authority();
  const project = await Project.create(t, { ...NOTES, "src/main.ts": main("undefined") });
  assert.deepEqual(await checks(project), [], "no check of an application without TLS");

  await project.write("src/main.ts", main('{ cert: "tls/server.pem", key: "tls/server.key" }'));
  const [certificate, key, ...others] = await checks(project);
  assert.match(certificate?.message ?? "", /^the certificate \/.*\/tls\/server\.pem does not exist$/);
  assert.match(key?.message ?? "", /^the key \/.*\/tls\/server\.key does not exist$/);
  assert.deepEqual([certificate?.status, key?.status, others], ["warn", "warn", []]);

  const place = async ({ cert, key: text }: { cert: string; key: string }): Promise<Check[]> => {
    await project.write("tls/server.pem", cert);
    await project.write("tls/server.key", text);
    await chmod(join(project.root, "tls/server.key"), 0o600);
    return checks(project);
  };
  const [valid, ...more] = await place(authority.sign(90));
  assert.equal(valid?.status, "ok");
  assert.match(
    valid.message,
    /^the certificate `CN=localhost` in \/.*\/tls\/server\.pem is valid until \d{4}-\d\d-\d\dT[\d:]+Z$/,
  );
  assert.deepEqual(more, []);

  const [soon] = await place(authority.sign(3));
  assert.equal(soon?.status, "warn");
  assert.match(soon.message, /is valid only until .*, less than [34] days$/);

  const [expired] = await place(authority.sign(-1));
  assert.equal(expired?.status, "fail");
  assert.match(expired.message, /was valid until .*; clients refuse it$/);
  assert.match(expired.help ?? "", /^renew the certificate/);

  const served = authority.sign(90);
  const [chained] = await place({ cert: served.cert + authority.sign(-1).cert, key: served.key });
  assert.equal(chained?.status, "warn", "not every client needs the certificates after the first");
  assert.match(chained.message, /was valid until .*; clients that verify the server's certificate with it/);

  const [wrong] = await place({ cert: authority.sign(90).cert, key: authority.sign(90).key });
  assert.equal(wrong?.status, "fail");
  assert.match(wrong.message, /does not belong to the first certificate of/);

  const [text] = await place({ cert: "none", key: authority.sign(90).key });
  assert.equal(text?.status, "fail");
  assert.match(text.message, /contains no certificate in PEM$/);

  await place(authority.sign(90));
  await chmod(join(project.root, "tls/server.key"), 0o644);
  const [, open] = await checks(project);
  assert.equal(open?.status, "warn");
  assert.match(open.message, /^every user of this machine can read the key/);

  // The superuser reads every file.
  if (process.getuid?.() !== 0) {
    await chmod(join(project.root, "tls/server.key"), 0o000);
    const [closed] = await checks(project);
    assert.equal(closed?.status, "warn");
    assert.match(closed.message, /^you may not read the key/);
  }
});

test("reads paths that the source does not contain from the usual variables", async (t) => {
  using authority = new Authority();
  const project = await Project.create(t, { ...NOTES, "src/main.ts": main("{ cert, key }") });
  const [unknown] = await checks(project);
  assert.equal(unknown?.status, "warn");
  assert.match(unknown.message, /^the paths of the certificate and the key are not known/);
  const { cert, key } = authority.sign(90);
  await project.write("server.pem", cert);
  await project.write("server.key", key);
  await chmod(join(project.root, "server.key"), 0o600);
  const [found] = await checks(project, {
    TLS_CERT: "server.pem",
    TLS_KEY: join(project.root, "server.key"),
  });
  assert.equal(found?.status, "ok");
});

test("warns if one authority for clients has expired, because others may be valid", async (t) => {
  using authority = new Authority();
  const tls = '{ cert: "server.pem", key: "server.key", clientCa: "clients.pem" }';
  const project = await Project.create(t, { ...NOTES, "src/main.ts": main(tls) });
  const { cert, key } = authority.sign(90);
  await project.write("server.pem", cert);
  await project.write("server.key", key);
  await project.write("clients.pem", authority.sign(90).cert + authority.sign(-1).cert);
  await chmod(join(project.root, "server.key"), 0o600);
  const [own, expired, ...others] = await checks(project);
  assert.equal(own?.status, "ok");
  assert.equal(expired?.status, "warn");
  assert.match(expired.message, /was valid until .*; the server refuses clients of this authority$/);
  assert.match(expired.help ?? "", /^add the new certificate of the authority/);
  assert.deepEqual(others, []);
});
