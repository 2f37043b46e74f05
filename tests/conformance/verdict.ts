import assert from "node:assert/strict";

import { createMatcher } from "../../packages/core/src/router/matcher.ts";
import { normalPath } from "../../packages/core/src/router/normal-path.ts";
import { isGuarded, program, type Told } from "./guarded.ts";
import { fieldOf, type RawResponse } from "./raw-client.ts";

const refs = program.routes.map((route) => route.ref);
const match = createMatcher(program.tree, refs);

/** Tells if an answer is an error, or asks for a body, or is the server's own to `OPTIONS *`: no handler has answered. */
export function isOfNoHandler(response: RawResponse): boolean {
  const { status } = response;
  return status >= 400 || status === 100 || (status === 204 && fieldOf(response, "allow") !== undefined);
}

/**
 * Holds an answer of the application of `guarded.ts`: it is an error, or that of an open route, which the framework's middleware has
 * seen under the same path.
 */
export function holdAnswer(response: RawResponse, hasFramework: boolean): void {
  const { status, body, head } = response;
  if (isOfNoHandler(response)) return;
  assert.equal(status, 200, head);
  const seen = fieldOf(response, "x-seen");
  if (hasFramework)
    assert.notEqual(seen, undefined, `the framework's middleware has not run: ${head}${body}`);
  const path = seen === undefined ? undefined : normalPath(seen);
  if (body === "") {
    // An answer to HEAD does not tell the route.
    if (path === undefined || path === null) return;
    const found = match("GET", path);
    assert.ok(found.kind === "route" && !isGuarded(refs[found.route]!), `${path} is guarded`);
    return;
  }
  const told = JSON.parse(body) as Told;
  assert.ok(!isGuarded(told.route), `a handler behind the guard has answered: ${body}`);
  if (path !== undefined) assert.equal(told.path, path, "kit and the framework have seen different paths");
  const found = match(told.route.split(" ", 1)[0]!, told.path);
  assert.ok(found.kind === "route", `${told.path} has no route, and ${told.route} has answered`);
  assert.equal(refs[found.route], told.route, "another route has answered");
}
