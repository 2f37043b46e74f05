import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { app, ask, Dev, isAlive } from "./support/dev.ts";

const quoted = (line: readonly string[]): string => line.map((word) => `'${word}'`).join(" ");
const skip = process.platform === "win32" && "sockets cannot be passed on there";

for (const [server, from] of [
  ["nativeServer", "server-native"],
  ["expressServer", "server-express"],
  ["fastifyServer", "server-fastify"],
  ["honoServer", "server-hono"],
] as const) {
  test(`edits are served on ${from}, and no connection is refused meanwhile`, { skip }, async (t) => {
    const dev = await Dev.start(t, app("version 0", server, from));
    const url = await dev.url();
    await dev.serves(url, "version 0");

    const over = new AbortController();
    let answered = 0;
    const failures: unknown[] = [];
    const clients = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) {
        // One after the other is what a client does.
        // oxlint-disable-next-line no-await-in-loop
        await ask(`${url}/notes/1`).then(
          ({ status }) => (status === 200 ? (answered += 1) : failures.push(status)),
          (error: unknown) => failures.push(error),
        );
      }
    });
    const processes = new Set<string>();
    for (let version = 1; version <= 4; version += 1) {
      // oxlint-disable-next-line no-await-in-loop
      await dev.project.write("src/main.ts", app(`version ${version}`, server, from));
      // oxlint-disable-next-line no-await-in-loop
      processes.add((await dev.serves(url, `version ${version}`)).id);
    }
    over.abort();
    await Promise.all(clients);
    assert.deepEqual(failures, []);
    assert.ok(answered > 20, `${answered} answers`);
    assert.equal(processes.size, 4);
  });
}

test("after a mistake the last version goes on, and says so", { skip }, async (t) => {
  const dev = await Dev.start(t, app("right"));
  const url = await dev.url();
  await dev.project.write("src/wrong.types.ts", "export interface Wrong {\n  a: ;\n}\n");
  await dev.until(() => dev.output.includes("error[KIT1101]"), "the mistake was not shown");
  // The application hears of it a moment after the terminal.
  const isTold = async (): Promise<boolean> => (await ask(url)).headers["x-kit-build"] === "failed";
  await dev.until(isTold, "the application was not told");
  const { status, headers, text } = await ask(`${url}/notes/1`);
  assert.deepEqual([status, headers["x-kit-build"]], [200, "failed"]);
  assert.match(text, /"right"/);
  const build = JSON.parse((await ask(`${url}/__kit/build`)).text) as Record<string, unknown>;
  assert.equal(build["status"], "failed");
  assert.match(build["text"] as string, /src\/wrong\.types\.ts:2:6/);
  const { failures } = build["report"] as { failures: { path: string; line: number }[] };
  assert.deepEqual([failures[0]!.path, failures[0]!.line], ["src/wrong.types.ts", 2]);

  await dev.project.write("src/wrong.types.ts", "export interface Wrong {\n  a: string;\n}\n");
  await dev.until(
    async () => (await ask(`${url}/notes/1`)).headers["x-kit-build"] === undefined,
    "still wrong",
  );
  assert.deepEqual(JSON.parse((await ask(`${url}/__kit/build`)).text), { status: "built", text: "" });
});

test(
  "what does not start leaves the last version running; what crashes is stood in for",
  { skip },
  async (t) => {
    const dev = await Dev.start(t, app("first"));
    const url = await dev.url();
    await dev.project.write("src/main.ts", 'throw new Error("not yet");');
    await dev.until(() => dev.output.includes("the last version goes on running"), "it was not told");
    assert.match((await ask(`${url}/__kit/build`)).text, /Error: not yet/);
    await dev.serves(url, "first");

    await dev.project.write(
      "src/main.ts",
      `${app("second")}\nsetTimeout(() => { throw new Error("boom"); }, 500);`,
    );
    await dev.until(() => dev.output.includes("the application ended (exit code 1)"), "it did not crash");
    const answer = await ask(`${url}/notes/1`);
    assert.equal(answer.status, 503);
    const { error } = JSON.parse(answer.text) as { error: { code: string; details: { build: string } } };
    assert.equal(error.code, "APP_UNAVAILABLE");
    assert.match(error.details.build, /Error: boom/);
    const page = await ask(url, { accept: "text/html" });
    assert.match(page.headers["content-type"]!, /text\/html/);
    assert.match(page.text, /<pre>Error: boom/);

    await dev.project.write("src/main.ts", app("third"));
    await dev.serves(url, "third");
  },
);

test("where the first build fails, the port says why", { skip }, async (t) => {
  const probe = createServer();
  await new Promise<void>((resolve) => void probe.listen(0, resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const main = app("late").replace('port: 0, host: "127.0.0.1"', "port: 3000");
  const dev = await Dev.start(t, `${main}\nconst broken = ;`, ["--no-db", "--port", String(port)]);
  const url = `http://127.0.0.1:${port}`;
  await dev.until(
    () =>
      ask(url).then(
        ({ status }) => status === 503,
        () => false,
      ),
    "nobody stood in",
  );
  assert.match((await ask(url)).text, /src\/main\.ts/);
  await dev.project.write("src/main.ts", main);
  await dev.serves(url, "late");
});

test("a port that is taken is said to be", { skip }, async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const dev = await Dev.start(t, app("x"), ["--no-db", "--port", String(port)]);
  await dev.until(
    () => dev.output.includes(`Cannot listen on 127.0.0.1, port ${port}: the port is in use`),
    "silence",
  );
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} ends it and all that it started`, { skip }, async (t) => {
    const dev = await Dev.start(t, app("x"));
    const { id } = await dev.serves(await dev.url(), "x");
    dev.child.kill(signal);
    assert.deepEqual(await dev.ended, { code: 0, signal: null });
    assert.equal(isAlive(Number(id)), false);
  });
}

test("whoever kills it leaves no application behind", { skip }, async (t) => {
  const dev = await Dev.start(t, app("x"));
  const { id } = await dev.serves(await dev.url(), "x");
  dev.child.kill("SIGKILL");
  await dev.until(() => !isAlive(Number(id)), "the application goes on");
});

test("a configuration that changes is read again", { skip }, async (t) => {
  const dev = await Dev.start(t, app("x"));
  await dev.url();
  await dev.project.write("kit.config.ts", "export default { outputDri: 1 };\n");
  await dev.until(() => /outputDri/.test(dev.output), "it was not read");
  await dev.project.write("kit.config.ts", "export default {};\n");
  await dev.until(() => (dev.output.match(/ready in/g) ?? []).length > 1, "it was not read again");
});

test("on a terminal there are keys and lines of requests", { skip }, async (t) => {
  // util-linux's `script` gives a program a terminal; other systems' takes other arguments.
  if (!/util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "")) {
    t.skip("needs util-linux's script");
    return;
  }
  const dev = await Dev.start(t, app("x"), ["--no-db"], (line) => [
    "script",
    "-qfec",
    quoted(line),
    "/dev/null",
  ]);
  const url = await dev.url();
  const { id } = await dev.serves(url, "x");
  await ask(`${url}/nowhere?a=1`);
  await dev.until(
    () => /GET {4}\/nowhere\?a=1 \S*404\S* \S*[\d.]+ ms/.test(dev.output),
    "no line of the request",
  );
  await sleep(100);
  dev.child.stdin!.write("r");
  await dev.until(async () => (await dev.serves(url, "x")).id !== id, "r did not build again");
  dev.child.stdin!.write("q");
  assert.deepEqual(await dev.ended, { code: 0, signal: null });
});
