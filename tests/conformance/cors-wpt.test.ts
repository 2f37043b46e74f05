// Runs the cases of web-platform-tests in conformance/cors-browser.json in Chromium, against every server.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { CorsOptions } from "@kit/core";

import { quietStdout } from "../../packages/core/test/support/quiet-stdout.ts";
import { withoutChromium } from "../e2e/support/chromium.ts";
import { type Fetched, type PageKind, Pages, Recorder } from "./browser-pages.ts";
import { edgeApplication, edgeColumns, type Serve } from "./edge-columns.ts";
import { readConformance } from "./option-cases.ts";

/** Call of `fetch` in the page, and the expected result. */
interface Step {
  /** `page` if the page calls its own origin, which redirects to the application. */
  readonly from?: "page";
  readonly target: string;
  readonly init?: object;
  readonly waitMs?: number;
  /** Number of preflight requests that the browser sends. */
  readonly preflights: number;
  /** `null` if the browser blocks the response. */
  readonly status: number | null;
  /** Other statuses of some servers. */
  readonly statuses?: Readonly<Record<string, number>>;
  /** Status of the last response on the connection, if the browser hides it from the page. */
  readonly onWire?: number;
  readonly type?: string;
  readonly text?: string;
  readonly redirected?: boolean;
  /** Headers that the page reads. `null` if it must not read the header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Headers that the page reads, with any value. */
  readonly present?: readonly string[];
  /** Headers of the request that the application received. `null` if it must not receive the header. */
  readonly received?: Readonly<Record<string, string | null>>;
}

interface WptCase {
  readonly wpt: string;
  readonly name: string;
  readonly cors: string;
  readonly other?: string;
  readonly page?: PageKind;
  readonly steps: readonly Step[];
}

interface WptFile {
  readonly options: Readonly<Record<string, CorsOptions>>;
  readonly cases: readonly WptCase[];
  readonly origins: readonly string[];
  readonly refused: readonly { readonly name: string; readonly cors: CorsOptions }[];
}

quietStdout();

const { options, cases, origins, refused } = readConformance<WptFile>("cors-browser.json");

/** Application behind a recorder of its requests. */
interface Recorded extends AsyncDisposable {
  readonly recorder: Recorder;
}

/** Checks the response to a step. `origin` replaces `{page}` in the expected request headers. */
function check(fetched: Fetched, step: Step, origin: string): void {
  assert.equal(fetched?.status ?? null, step.status, fetched?.text);
  if (fetched === null) return;
  if (step.type !== undefined) assert.equal(fetched.type, step.type);
  if (step.text !== undefined) assert.equal(fetched.text, step.text);
  if (step.redirected !== undefined) assert.equal(fetched.redirected, step.redirected);
  for (const [name, value] of Object.entries(step.headers ?? {}))
    assert.equal(fetched.headers[name] ?? null, value, name);
  for (const name of step.present ?? []) assert.ok(fetched.headers[name], name);
  if (step.received === undefined) return;
  const { title } = JSON.parse(fetched.text) as { title: string };
  const received = JSON.parse(title) as Record<string, string>;
  for (const [name, value] of Object.entries(step.received)) {
    assert.equal(received[name] ?? null, value?.replace("{page}", origin) ?? null, `request header ${name}`);
  }
}

describe("web-platform-tests of CORS, in Chromium", { skip: withoutChromium }, () => {
  let pages: Pages;
  before(async () => {
    pages = await Pages.start();
  });
  after(() => pages?.[Symbol.asyncDispose]());

  /** Replaces the names of origins in the values of an option. */
  function filled(cors: CorsOptions): CorsOptions {
    const text = JSON.stringify(cors)
      .replaceAll("{page}", pages.origin("port"))
      .replaceAll("{host page}", pages.origin("host"));
    return JSON.parse(text) as CorsOptions;
  }

  async function start(serve: Serve, name: string): Promise<Recorded> {
    const app = await serve({
      cors: filled(options[name]!),
      ...(name.includes("entity tags") && { etag: true }),
    });
    const recorder = await Recorder.start(app.port);
    return {
      recorder,
      [Symbol.asyncDispose]: async () => {
        await recorder[Symbol.asyncDispose]();
        await app[Symbol.asyncDispose]();
      },
    };
  }

  for (const [server, serve] of edgeColumns) {
    describe(server, () => {
      const started = new Map<string, Promise<Recorded>>();
      const use = async (role: string, name: string): Promise<Recorder> => {
        const key = `${role} ${name}`;
        started.set(key, started.get(key) ?? start(serve, name));
        return (await started.get(key)!).recorder;
      };
      after(async () => {
        for (const one of started.values()) await (await one)[Symbol.asyncDispose]();
      });

      for (const [index, one] of cases.entries()) {
        test(`${one.wpt}: ${one.name}`, async () => {
          const kind = one.page ?? "port";
          const app = await use("app", one.cors);
          const other = one.other === undefined ? null : await use("other", one.other);
          await pages.clearCookies();
          const ports = { app: app.port, other: other?.port, page: pages.port };
          const origin = pages.origin(kind);
          for (const step of one.steps) {
            if (step.waitMs !== undefined) await sleep(step.waitMs);
            for (const recorder of [app, other]) recorder?.take();
            const target = step.target.replace(
              /\{(\w+)\}/,
              (_, name) => `${ports[name as keyof typeof ports]}`,
            );
            const base = step.from === "page" ? origin : `http://127.0.0.1:${app.port}`;
            const fetched = await pages.fetch(kind, `${base}${target}?case=${index}`, step.init);
            check(fetched, { ...step, status: step.statuses?.[server] ?? step.status }, origin);
            const seen = [app.take(), other?.take()];
            const preflights = seen.reduce((sum, records) => sum + (records?.preflights ?? 0), 0);
            assert.equal(preflights, step.preflights, "preflight requests");
            if (step.onWire !== undefined) assert.equal(seen[0]!.statuses.at(-1), step.onWire);
          }
        });
      }

      for (const listed of origins) {
        test(`cors/origin.htm: with the allowed origin ${JSON.stringify(listed)}, the page cannot read the response`, async () => {
          const page = pages.origin("port");
          const value = listed
            .replaceAll("{page}", page)
            .replaceAll("{scheme}", "http:")
            .replaceAll("{host}", new URL(page).host)
            .replaceAll("{app}", "http://127.0.0.1:1");
          assert.notEqual(value, page);
          let app: Awaited<ReturnType<Serve>>;
          try {
            app = await serve({ cors: { origins: [value] } });
          } catch (error) {
            assert.match((error as Error).message, /`cors\.origins\[0\]` is /);
            return;
          }
          await using served = app;
          assert.equal(await pages.fetch("port", `http://127.0.0.1:${served.port}/notes`, {}), null);
        });
      }
    });
  }
});

for (const { name, cors } of refused) {
  test(`createApp refuses the option cors with ${name}`, () => {
    assert.throws(() => edgeApplication({ cors }), /createApp: `cors\.\w+(\[0\])?` /);
  });
}
