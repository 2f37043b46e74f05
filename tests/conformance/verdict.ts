import assert from "node:assert/strict";

import { createMatcher } from "../../packages/core/src/router/matcher.ts";
import { normalPath } from "../../packages/core/src/router/normal-path.ts";
import { isGuarded, program, type RouteResponse } from "./guarded.ts";
import { fieldOf, type RawResponse } from "./raw-client.ts";

const refs = program.routes.map((route) => route.ref);
const match = createMatcher(program.tree, refs);

/** Returns true if a response comes from no handler: an error, 100 Continue, or the server's own response to `OPTIONS *`. */
export function isWithoutHandler(response: RawResponse): boolean {
  const { status } = response;
  return status >= 400 || status === 100 || (status === 204 && fieldOf(response, "allow") !== undefined);
}

/**
 * Asserts that a response of the application in `guarded.ts` is allowed: it is an error, or it comes from an open route, for the path that
 * the framework's middleware saw.
 */
export function assertAllowed(response: RawResponse, hasFramework: boolean): void {
  const { status, body, head } = response;
  if (isWithoutHandler(response)) return;
  assert.equal(status, 200, head);
  const pathInMiddleware = fieldOf(response, "x-seen");
  if (hasFramework)
    assert.notEqual(pathInMiddleware, undefined, `the framework's middleware has not run: ${head}${body}`);
  const path = pathInMiddleware === undefined ? undefined : normalPath(pathInMiddleware);
  if (body === "") {
    // A response to HEAD does not contain the name of the route.
    if (path === undefined || path === null) return;
    const found = match("GET", path);
    assert.ok(found.kind === "route" && !isGuarded(refs[found.route]!), `${path} is guarded`);
    return;
  }
  const answer = JSON.parse(body) as RouteResponse;
  assert.ok(!isGuarded(answer.route), `a handler behind the guard has answered: ${body}`);
  if (path !== undefined) assert.equal(answer.path, path, "kit and the framework have seen different paths");
  const found = match(answer.route.split(" ", 1)[0]!, answer.path);
  assert.ok(found.kind === "route", `${answer.path} has no route, and ${answer.route} has answered`);
  assert.equal(refs[found.route], answer.route, "another route has answered");
}
