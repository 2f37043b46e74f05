// Tests of the option `cors`. The responses of all servers are tested by tests/conformance/cors.test.ts.

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type AppOptions, createApp, type CorsOptions } from "@kit/core";

import { mergeHeaders } from "../src/edge/merge-headers.ts";
import { growth } from "./support/growth.ts";
import { MemoryServer } from "./support/memory-server.ts";
import { Cors } from "../src/edge/cors.ts";
import { readCors } from "../src/app/cors-option.ts";

const page = "https://app.example.com";

describe("the option cors", () => {
  const refused: readonly [name: string, cors: unknown, message: RegExp][] = [
    ["a boolean", true, /`cors` must be an object such as \{ origins: \["https:/],
    ["no origins", {}, /`cors\.origins` must be "\*" or a list of origins/],
    ["an empty list", { origins: [] }, /`cors\.origins` must be "\*" or a list/],
    ["a string that is not *", { origins: page }, /`cors\.origins` must be "\*" or a list/],
    ["a misspelt name", { origins: "*", credential: true }, /no option `cors\.credential`; .*`credentials`/],
    [
      "credentials for every origin",
      { origins: "*", credentials: true },
      /`cors\.credentials` cannot be combined with `cors\.origins: "\*"`, because/,
    ],
    ["credentials that are a string", { origins: [page], credentials: "yes" }, /must be true or false/],
    ["* in a list", { origins: ["*"] }, /`cors\.origins\[0\]` is "\*"; .* write `origins: "\*"`/],
    [
      "null in a list",
      { origins: [page, "null"] },
      /`cors\.origins\[1\]` is "null", the origin of sandboxed/,
    ],
    ["a path", { origins: [`${page}/`] }, /which is not an origin; "https:\/\/app\.example\.com" is one/],
    ["a default port", { origins: [`${page}:443`] }, /not an origin; "https:\/\/app\.example\.com" is one/],
    ["upper case", { origins: ["https://App.example.com"] }, /"https:\/\/app\.example\.com" is one/],
    ["no scheme", { origins: ["app.example.com"] }, /is "app\.example\.com", which is not an origin\. An/],
    ["* in the middle", { origins: ["https://a.*.example.com"] }, /which is not an origin/],
    ["* without a dot", { origins: ["https://*example.com"] }, /which is not an origin/],
    ["a number", { origins: [1] }, /`cors\.origins\[0\]` is 1, which is not an origin/],
    ["headers that are a string", { origins: "*", allowedHeaders: "a" }, /allowedHeaders` must be a list/],
    ["a header that is not a name", { origins: "*", exposedHeaders: ["a b"] }, /has "a b", which is not/],
    ["* as a header", { origins: "*", allowedHeaders: ["*"] }, /has "\*", which is not a header name/],
    ["a negative time", { origins: "*", maxAgeSeconds: -1 }, /from 0 to 86400/],
    ["a time that is not whole", { origins: "*", maxAgeSeconds: 0.5 }, /whole number of seconds/],
  ];
  for (const [name, cors, message] of refused) {
    it(`is refused with a clear message: ${name}`, () => {
      const options = { server: new MemoryServer(), routes: [], cors } as unknown as AppOptions;
      assert.throws(() => createApp(options), message);
    });
  }

  it("accepts origins in the form of browsers", () => {
    const origins = [
      page,
      "http://localhost:5173",
      "https://*.example.org",
      "http://[::1]:8080",
      "http://10.0.0.1",
    ];
    createApp({ server: new MemoryServer(), routes: [], cors: { origins } });
  });
});

function rulesOf(cors: CorsOptions): Cors {
  return new Cors(readCors(cors)!);
}

function reader(headers: Readonly<Record<string, string>>): (name: string) => string | undefined {
  return (name) => headers[name];
}

/** Returns an origin with many labels that is not allowed. */
function hostileOrigin(size: number): string {
  return `https://${"a.".repeat(size)}!.example.org`;
}

/** Returns many header names, and one that is invalid. */
function hostileNames(size: number): string {
  return `${"a, ".repeat(size)}?`;
}

describe("rules of CORS", () => {
  it("take linear time for hostile origins and header names", () => {
    const rules = rulesOf({ origins: ["https://*.example.org"] });
    const byOrigin = growth(hostileOrigin, (text) => rules.headers(reader({ origin: text })), 10_000);
    assert.ok(byOrigin < 1.5, `origins take time to the power of ${byOrigin}`);
    const preflight = (text: string): unknown =>
      rules.preflightHeaders(
        reader({
          origin: "https://a.example.org",
          "access-control-request-method": "GET",
          "access-control-request-headers": text,
        }),
        ["GET"],
      );
    const byNames = growth(hostileNames, preflight, 10_000);
    assert.ok(byNames < 1.5, `header names take time to the power of ${byNames}`);
  });

  it("do not send back more than 4096 characters of header names", () => {
    const rules = rulesOf({ origins: [page] });
    const allowed = (length: number): boolean =>
      rules
        .preflightHeaders(
          reader({
            origin: page,
            "access-control-request-method": "GET",
            "access-control-request-headers": "a".repeat(length),
          }),
          ["GET"],
        )
        .includes("access-control-allow-headers");
    assert.deepEqual([allowed(4096), allowed(4097)], [true, false]);
  });
});

describe("headers of a response and headers of the rules", () => {
  it("are joined for vary, and replaced otherwise", () => {
    const own = ["vary", "Accept, ORIGIN", "x-a", "1", "access-control-allow-origin", "https://own.example"];
    assert.deepEqual(mergeHeaders(own, ["access-control-allow-origin", page, "vary", "origin, x-b"]), [
      "x-a",
      "1",
      "access-control-allow-origin",
      page,
      "vary",
      "Accept, ORIGIN, x-b",
    ]);
  });

  it("keep several values of a header of the response", () => {
    assert.deepEqual(mergeHeaders(["set-cookie", "a=1", "set-cookie", "b=2"], ["vary", "origin"]), [
      "set-cookie",
      "a=1",
      "set-cookie",
      "b=2",
      "vary",
      "origin",
    ]);
  });
});
