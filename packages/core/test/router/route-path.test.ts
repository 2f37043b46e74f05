import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";

import { fillRoutePath, hideParameters, parameterNames, parseRoutePath } from "@kit/core/router";

test("parseRoutePath parses static segments, parameters and wildcards", () => {
  deepEqual(parseRoutePath("/teams/:team/*path"), [
    { kind: "static", text: "teams" },
    { kind: "parameter", text: "team" },
    { kind: "wildcard", text: "path" },
  ]);
  deepEqual(parseRoutePath("/"), []);
  deepEqual(parameterNames("/teams/:team/*path"), ["team", "path"]);
});

test("fillRoutePath encodes the values of parameters and keeps the slashes of a wildcard's value", () => {
  const values: Record<string, string> = { team: "a/b c", path: "d/é" };
  equal(
    fillRoutePath("/teams/:team/*path", (name) => values[name] ?? ""),
    "/teams/a%2Fb%20c/d/%C3%A9",
  );
  equal(
    fillRoutePath("/", () => "x"),
    "/",
  );
});

function hide(path: string, route: string, ...names: string[]): string {
  return hideParameters(path, route, (name) => names.includes(name), "[hidden]");
}

test("hideParameters replaces the values of hidden parameters", () => {
  equal(hide("/reset/abc/x", "/reset/:token/:id", "token"), "/reset/[hidden]/x");
  equal(hide("/files/a/b", "/files/*path", "path"), "/files/[hidden]");
  equal(hide("/u/7/files/a/b", "/u/:id/files/*path", "id"), "/u/[hidden]/files/a/b");
  equal(hide("/token/abc/", "/token/:id", "token"), "/token/abc/");
});
