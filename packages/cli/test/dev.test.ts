import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { freePort } from "../../core/test/support/free-port.ts";
import { app, sendRequest, Dev, isAlive } from "./support/dev.ts";
import { Project } from "./support/project.ts";

const quoted = (line: readonly string[]): string => line.map((word) => `'${word}'`).join(" ");
const skip = process.platform === "win32" && "sockets cannot be passed on there";

for (const [server, from] of [
  ["nativeServer", "server-native"],
  ["expressServer", "server-express"],
  ["fastifyServer", "server-fastify"],
  ["honoServer", "server-hono"],
] as const) {
  test(`serves edits on ${from} without refusing a connection`, { skip }, async (t) => {
    const dev = await Dev.start(t, app("version 0", server, from));
    const url = await dev.url();
    await dev.serves(url, "version 0");

    const over = new AbortController();
    let answered = 0;
    const failures: unknown[] = [];
    const clients = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) {
        // Each client sends its requests one after the other.
        // oxlint-disable-next-line no-await-in-loop
        await sendRequest(`${url}/notes/1`).then(
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

    // A connection that was opened before the edit gets a response to a request that it sends after the edit.
    const late = connect(Number(new URL(url).port), "127.0.0.1");
    await once(late, "connect");
    await sendRequest(`${url}/notes/1`);
    await dev.project.write("src/main.ts", app("the last", server, from));
    await dev.serves(url, "the last");
    await sleep(400);
    late.end("GET /notes/1 HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert.match((await late.setEncoding("utf8").toArray()).join(""), /^HTTP\/1\.1 200 [^]*"version 4"/);
    assert.ok(answered > 20, `${answered} answers`);
    assert.equal(processes.size, 4);
  });
}

test("keeps the last version running after a mistake in a file, and reports it", { skip }, async (t) => {
  const dev = await Dev.start(t, app("right"));
  const url = await dev.url();
  await dev.project.write("src/wrong.types.ts", "export interface Wrong {\n  a: ;\n}\n");
  await dev.until(() => dev.output.includes("error[KIT1101]"), "the mistake was not printed");
  // The mistake is printed shortly before the running application gets the result of the build.
  const isBuildFailed = async (): Promise<boolean> =>
    (await sendRequest(url)).headers["x-kit-build"] === "failed";
  await dev.until(isBuildFailed, "the application did not get the failed build");
  const { status, headers, text } = await sendRequest(`${url}/notes/1`);
  assert.deepEqual([status, headers["x-kit-build"]], [200, "failed"]);
  assert.match(text, /"right"/);
  const build = JSON.parse((await sendRequest(`${url}/__kit/build`)).text) as Record<string, unknown>;
  assert.equal(build["status"], "failed");
  assert.match(build["text"] as string, /src\/wrong\.types\.ts:2:6/);
  const { failures } = build["report"] as { failures: { path: string; line: number }[] };
  assert.deepEqual([failures[0]!.path, failures[0]!.line], ["src/wrong.types.ts", 2]);

  await dev.project.write("src/wrong.types.ts", "export interface Wrong {\n  a: string;\n}\n");
  await dev.until(
    async () => (await sendRequest(`${url}/notes/1`)).headers["x-kit-build"] === undefined,
    "still wrong",
  );
  assert.deepEqual(JSON.parse((await sendRequest(`${url}/__kit/build`)).text), { status: "built", text: "" });
});

test(
  "keeps the last version if the new version does not start, and explains a crash on the application's port",
  { skip },
  async (t) => {
    const dev = await Dev.start(t, app("first"));
    const url = await dev.url();
    await dev.project.write("src/main.ts", 'throw new Error("not yet");');
    await dev.until(
      () => dev.output.includes("the last version keeps running"),
      "the failed start was not printed",
    );
    assert.match((await sendRequest(`${url}/__kit/build`)).text, /Error: not yet/);
    await dev.serves(url, "first");

    await dev.project.write(
      "src/main.ts",
      `${app("second")}\nsetTimeout(() => { throw new Error("boom"); }, 500);`,
    );
    await dev.until(() => dev.output.includes("the application ended (exit code 1)"), "it did not crash");
    const answer = await sendRequest(`${url}/notes/1`);
    assert.equal(answer.status, 503);
    const { error } = JSON.parse(answer.text) as { error: { code: string; details: { build: string } } };
    assert.equal(error.code, "APP_UNAVAILABLE");
    assert.match(error.details.build, /Error: boom/);
    const page = await sendRequest(url, { accept: "text/html" });
    assert.match(page.headers["content-type"]!, /text\/html/);
    assert.match(page.text, /<pre>Error: boom/);
    // DNS rebinding: a page of another site could read this response if its host name resolved to this address.
    const rebound = await sendRequest(url, { accept: "text/html", host: "rebound.example" });
    assert.equal(rebound.status, 403);
    assert.doesNotMatch(rebound.text, /boom/);

    await dev.project.write("src/main.ts", app("third"));
    await dev.serves(url, "third");
  },
);

for (const [where, listens] of [
  ["where kit dev took it to", "port: 3000"],
  // Until then, the stand-in process listens on this port of all addresses.
  ["on another host", 'port: 3000, host: "127.0.0.1"'],
] as const) {
  test(
    `explains a failed first build on the application's port, and the application then listens ${where}`,
    { skip },
    async (t) => {
      const port = await freePort();
      const main = app("late").replace('port: 0, host: "127.0.0.1"', listens);
      const dev = await Dev.start(t, `${main}\nconst broken = ;`, ["--no-db", "--port", String(port)]);
      const url = `http://127.0.0.1:${port}`;
      const isStoodIn = (): Promise<boolean> =>
        sendRequest(url).then(
          ({ status }) => status === 503,
          () => false,
        );
      await dev.until(isStoodIn, "nobody stood in");
      assert.match((await sendRequest(url)).text, /src\/main\.ts/);
      await dev.project.write("src/main.ts", main);
      await dev.url();
      const { id } = await dev.serves(url, "late");
      assert.doesNotMatch(dev.output, /EADDRINUSE|in use/);

      // The port stays open during later edits.
      await dev.project.write("src/main.ts", main.replace("late", "later"));
      const later = await dev.serves(url, "later");
      assert.notEqual(later.id, id);
    },
  );
}

test("reports in three lines that the port is in use, and exits with 1", { skip }, async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const dev = await Dev.start(t, app("x"), ["--no-db", "--port", String(port)]);
  assert.deepEqual(await dev.ended, { code: 1, signal: null });
  assert.equal(
    dev.output.slice(dev.output.indexOf("error: ")),
    [
      `error: port ${port} is in use by another program (EADDRINUSE)`,
      `  at 127.0.0.1, port ${port}`,
      `help: stop that program (\`lsof -i :${port}\` names it), or choose another port: \`kit dev --port ${port + 1}\``,
      "",
    ].join("\n"),
  );
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`${signal} ends kit dev and all its processes`, { skip }, async (t) => {
    const dev = await Dev.start(t, app("x"));
    const { id } = await dev.serves(await dev.url(), "x");
    dev.child.kill(signal);
    assert.deepEqual(await dev.ended, { code: 0, signal: null });
    assert.equal(isAlive(Number(id)), false);
  });
}

test("SIGINT ends kit dev if the application loads a linked package while it closes", { skip }, async (t) => {
  const packed = await Project.create(t, {
    "package.json": '{ "name": "titles", "version": "1.0.0", "type": "module", "exports": "./late.js" }\n',
    "late.js": "console.log('late module');\n",
  });
  const slow = app("x")
    .replace(
      "() => ({",
      "async () => (console.log('begun'), await new Promise((done) => setTimeout(done, 500)), {",
    )
    .concat(
      'process.on("message", (order: unknown) => {\n',
      '  if ((order as { kit: string }).kit === "close") void import("../lib/titles/late.js");\n',
      "});\n",
    );
  const dev = await Dev.start(t, slow);
  await dev.project.write("lib/.keep", "");
  await dev.project.link("lib/titles", packed.root);
  const url = await dev.url();
  // The application cannot exit before this response, so its report of the linked file reaches `kit dev`.
  const response = sendRequest(`${url}/notes/1`);
  await dev.until(() => dev.output.includes("begun"), "the request did not arrive");
  dev.child.kill("SIGINT");
  assert.equal((await response).status, 200);
  assert.ok(dev.output.includes("late module"), dev.output);
  const end = await Promise.race([dev.ended, sleep(10_000, "kit dev did not exit", { ref: false })]);
  assert.deepEqual(end, { code: 0, signal: null });
});

test("the application ends if kit dev is killed", { skip }, async (t) => {
  const dev = await Dev.start(t, app("x"));
  const { id } = await dev.serves(await dev.url(), "x");
  dev.child.kill("SIGKILL");
  await dev.until(() => !isAlive(Number(id)), "the application goes on");
});

test("reads kit.config.ts again after each change of the file", { skip }, async (t) => {
  const dev = await Dev.start(t, app("x"));
  await dev.url();
  await dev.project.write("kit.config.ts", "export default { outputDri: 1 };\n");
  await dev.until(() => /outputDri/.test(dev.output), "it was not read");
  await dev.project.write("kit.config.ts", "export default {};\n");
  await dev.until(() => (dev.output.match(/ready in/g) ?? []).length > 1, "it was not read again");
});

/** Plugin that adds a summary to the first route. It imports a CommonJS module. */
const summaries = (text: string): string => `
import words from "./words.cjs";
export const summaries = () => ({
  name: "summaries",
  hooks: {
    afterRouteTable({ routes }) { routes[0].summary = words.greeting + ${JSON.stringify(text)}; },
    done({ build, status }) { build.info(\`${text} \${build.mode} \${status}\`); },
  },
});
`;

test("runs the current version of a plugin after its files have changed", { skip }, async (t) => {
  const dev = await Dev.start(t, app("x"));
  const url = await dev.url();
  const summary = async (expected: string): Promise<void> => {
    await dev.until(
      async () => (await dev.project.read(".kit/schemas/openapi.json")).includes(`"${expected}"`),
      `the summary is not ${expected}`,
    );
  };
  await dev.project.write("plugins/words.cjs", 'module.exports = { greeting: "Good " };\n');
  await dev.project.write("plugins/summaries.js", summaries("morning"));
  await dev.project.write(
    "kit.config.ts",
    'import { summaries } from "./plugins/summaries.js";\nexport default { plugins: [summaries()] };\n',
  );
  await summary("Good morning");
  await dev.until(() => dev.output.includes("[summaries] morning dev built"), "done was not called");
  await dev.project.write("plugins/summaries.js", summaries("day"));
  await summary("Good day");
  await dev.project.write("plugins/words.cjs", 'module.exports = { greeting: "Bad " };\n');
  await summary("Bad day");

  await dev.project.write("plugins/summaries.js", summaries("day").replace("routes[0]", "nothing[0]"));
  await dev.until(
    () =>
      dev.output.includes(
        "plugin `summaries` failed in `afterRouteTable`: ReferenceError: nothing is not defined",
      ),
    "the mistake was not printed",
  );
  await dev.serves(url, "x");
  await dev.project.write("plugins/summaries.js", summaries("evening"));
  await summary("Bad evening");
  await dev.serves(url, "x");
});

test("restarts the application if a file of a linked package has changed", { skip }, async (t) => {
  const packed = await Project.create(t, {
    "package.json": '{ "name": "titles", "version": "1.0.0", "type": "module", "exports": "./index.js" }\n',
    "index.js": 'export { title } from "./lib/title.js";\n',
    "lib/title.js": 'export const title = "linked";\n',
    "lib/unused.js": "export {};\n",
  });
  const dev = await Dev.start(t, app("x"));
  const url = await dev.url();
  await dev.project.write("lib/.keep", "");
  await dev.project.link("lib/titles", packed.root);
  await dev.project.write(
    "src/main.ts",
    app("x").replace('const title = "x"', 'import { title } from "../lib/titles/index.js"'),
  );
  await dev.serves(url, "linked");
  // The process reports the files that it has loaded after a short delay.
  await sleep(200);
  await packed.write("lib/title.js", 'export const title = "edited";\n');
  const { id } = await dev.serves(url, "edited");
  await packed.write("lib/unused.js", "export const x = 1;\n");
  await sleep(200);
  assert.equal((await dev.serves(url, "edited")).id, id);
});

test("prints requests on a terminal, and reacts to the keys r and q", { skip }, async (t) => {
  // `script` of util-linux runs a program on a terminal. The `script` of other operating systems has other arguments.
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
  await sendRequest(`${url}/nowhere?a=1`);
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
