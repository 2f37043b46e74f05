// Tests of `kit dev` with a server in Rust, which the real cargo builds.

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { freePort } from "../../core/test/support/free-port.ts";
import { kit, Project, repository } from "./support.ts";

/** Time for a build from the beginning, on a busy machine. */
const longestMs = 900_000;

const routes = (more: string): string => `import type { RouteContract } from "@kit/types";
export interface HelloRoutes {
  "GET /hello": RouteContract<void, void, void, { text: string }>;
${more}}
`;

const handler = (text: string): string => `use crate::app::App;
use crate::error::Error;
use crate::models::GetHelloResponse;
use crate::router::{GetHello, HelloRoutes};

impl HelloRoutes for App {
    async fn get_hello(&self, input: GetHello) -> Result<GetHelloResponse, Error> {
        let _method = input.context.method();
        Ok(GetHelloResponse { text: ${text} })
    }
}
`;

const version = (number: number): string => handler(`"version ${number}".to_owned()`);

interface Answer {
  readonly status: number;
  readonly text: string;
  /** Result of the last build, in the header of the response. */
  readonly build: string | undefined;
}

/** Address from which the requests come. */
const clientAddress = "127.0.0.9";

/** Sends a request on its own connection. */
function request(url: string, host?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host };
    get(url, { agent: false, headers, localAddress: clientAddress }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      const build = response.headers["x-kit-build"] as string | undefined;
      response.on("end", () => resolve({ status: response.statusCode!, text, build }));
    }).on("error", reject);
  });
}

class Dev {
  output = "";
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  readonly url: string;
  readonly child: ChildProcess;

  constructor(project: Project, port: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.child = spawn(process.execPath, [kit, "dev", "--port", String(port)], {
      cwd: project.root,
      env: { ...process.env, CARGO_TARGET_DIR: join(repository, "target/generated"), NODE_ENV: "" },
    });
    const collect = (chunk: string): void => {
      this.output += chunk;
    };
    this.child.stdout!.setEncoding("utf8").on("data", collect);
    this.child.stderr!.setEncoding("utf8").on("data", collect);
    this.ended = new Promise((resolve) => {
      this.child.on("close", (code, signal) => resolve({ code, signal }));
    });
  }

  async until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const end = performance.now() + longestMs;
    // oxlint-disable-next-line no-await-in-loop
    while (!(await holds())) {
      if (performance.now() > end || this.child.exitCode !== null)
        throw new Error(`${what}; so far:\n${this.output}`);
      // oxlint-disable-next-line no-await-in-loop
      await sleep(50);
    }
  }

  /** Waits until the server responds with this text. */
  serves(text: string, path = "/hello"): Promise<void> {
    return this.until(async () => {
      const answer = await request(`${this.url}${path}`).catch(() => undefined);
      return answer !== undefined && answer.text.includes(text);
    }, `it did not serve ${text}`);
  }
}

/** Declares the tests of `kit dev`. */
export function testDev(): void {
  test("kit dev builds, serves and restarts a server in Rust", { timeout: 2 * longestMs }, async (t) => {
    const project = new Project(mkdtempSync(join(import.meta.dirname, "project-")), "dev");
    project.write("src/items.types.ts", "export {};\n");
    project.write("src/items.routes.ts", routes(""));
    const first = handler('format!("version 1 for {:?}", input.context.ip())');
    project.write("src/handlers/hellos.rs", first);
    assert.equal(project.build(["--no-compile"]).code, 0);
    copyFileSync(join(repository, "examples/notes-rust/Cargo.lock"), join(project.root, "Cargo.lock"));
    const dev = new Dev(project, await freePort());
    t.after(async () => {
      dev.child.kill("SIGKILL");
      await dev.ended;
      project.remove();
    });

    await t.test("responds with the reason until the first version listens", async () => {
      const starting = async (): Promise<boolean> => {
        const answer = await request(`${dev.url}/hello`).catch(() => undefined);
        return answer?.status === 503 && answer.text.includes("cargo is building the server");
      };
      await dev.until(starting, "nothing responded during the first build");
      await dev.serves("version 1");
      assert.match(dev.output, /serving http:\/\/127\.0\.0\.1:\d+/);
      assert.doesNotMatch(dev.output, /Listening on/);
    });

    await t.test("tells the server the address of the client", async () => {
      const { text, build } = await request(`${dev.url}/hello`);
      assert.match(text, /version 1 for Some\(127\.0\.0\.9\)/);
      assert.equal(build, undefined);
    });

    await t.test("responds to each request while an edit of a handler is built", async () => {
      const over = new AbortController();
      const failures: unknown[] = [];
      let answered = 0;
      const client = (async () => {
        while (!over.signal.aborted) {
          // oxlint-disable-next-line no-await-in-loop -- the requests are sent one after the other
          await request(`${dev.url}/hello`).then(
            ({ status }) => (status === 200 ? (answered += 1) : failures.push(status)),
            (error: unknown) => failures.push(error),
          );
          // oxlint-disable-next-line no-await-in-loop
          await sleep(5);
        }
      })();
      project.write("src/handlers/hellos.rs", version(2));
      await dev.serves("version 2");
      over.abort();
      await client;
      assert.deepEqual(failures, []);
      assert.ok(answered > 0);
    });

    await t.test("names the contract of a missing handler, and keeps the last version", async () => {
      project.write(
        "src/items.routes.ts",
        routes('  "GET /bye/:name": RouteContract<{ name: string }, void, void, { text: string }>;\n'),
      );
      await dev.until(() => dev.output.includes("the last version keeps running"), "cargo did not fail");
      assert.match(dev.output, /error\[E0046\]/);
      assert.match(
        dev.output,
        /note: the contract of `GET \/bye\/:name`\n --> src\/items\.routes\.ts:4:3\n {2}\|\n4 \| {3}"GET \/bye\/:name"/,
      );
      await dev.serves("version 2");
      const build = await request(`${dev.url}/__kit/build`);
      assert.match(build.text, /"status":"failed"/);
      const stale = async (): Promise<boolean> => (await request(`${dev.url}/hello`)).build === "failed";
      await dev.until(stale, "responses did not tell that the build has failed");
    });

    await t.test("serves the handler that kit scaffold adds", async () => {
      const { status, stdout } = spawnSync(process.execPath, [kit, "scaffold", "add", "handler"], {
        cwd: project.root,
        encoding: "utf8",
      });
      assert.deepEqual(
        [status, stdout],
        [0, "added 1 handler in src/handlers/hellos.rs:\n  GET /bye/:name: to write\n"],
      );
      await dev.serves("NOT_IMPLEMENTED", "/bye/ada");
      assert.equal((await request(`${dev.url}/hello`)).build, undefined);
      await dev.serves("version 2");
    });

    await t.test("names the contract of a handler with a wrong type", async () => {
      const wrong = project.read("src/handlers/hellos.rs").replace('"version 2".to_owned()', "7");
      project.write("src/handlers/hellos.rs", wrong);
      await dev.until(() => dev.output.includes("error[E0308]"), "cargo did not fail");
      await dev.until(
        () => dev.output.includes("note: the contract of `GET /hello`"),
        "the contract was not named",
      );
      project.write("src/handlers/hellos.rs", wrong.replace("text: 7", 'text: "version 3".to_owned()'));
      await dev.serves("version 3");
    });

    await t.test("refuses requests with unknown host names", async () => {
      const answer = await request(`${dev.url}/hello`, "rebound.example");
      assert.equal(answer.status, 403);
      assert.match(answer.text, /HOST_NOT_ALLOWED/);
    });

    await t.test("ends the server and itself at SIGINT", async () => {
      dev.child.kill("SIGINT");
      assert.deepEqual(await dev.ended, { code: 0, signal: null });
      await assert.rejects(request(`${dev.url}/hello`));
    });
  });
}
