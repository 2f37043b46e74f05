import assert from "node:assert/strict";
import { mock } from "node:test";
import { compileRoutes } from "../../../packages/core/test/router/compile.ts";
import { createMatcher } from "../../../packages/core/src/router/matcher.ts";
import type { Api } from "../../e2e/support/api.ts";
import { errorOf, type Json, textOf } from "../read.ts";
import { playground, playgroundApp, playgroundInProduction, projectOf } from "../projects.ts";
import { at, type Section } from "../statement.ts";

const api = async (): Promise<Api> => (await playgroundApp()).with({});

/** Asserts that the response to a path is 200 with this body. */
const answers = (path: string, body: object) => async (): Promise<void> => {
  const answer = await (await api()).get(path);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body, body);
};

/** Asserts that a request is refused with 400 before its handler runs, and that the error names one invalid value. */
async function assertRefused(path: string, place: string): Promise<void> {
  const answer = await (await api()).get(path);
  assert.equal(answer.status, 400, answer.text);
  const { code, phase, details } = errorOf(answer.body);
  assert.equal(code, "VALIDATION_ERROR");
  assert.match(String(phase), /^validation:/);
  assert.deepEqual(
    (details as { fields: Json[] }).fields.map((field) => field["path"]),
    [place],
  );
}

/** Returns how often the router reads characters of a path if there are `count` routes of the same depth. */
function looksAmong(count: number): number {
  const routes = Array.from({ length: count }, (_, index) => `GET /area${index}/:id/parts/:part`);
  const match = createMatcher(compileRoutes(routes), routes);
  const counted = (["charCodeAt", "indexOf"] as const).map((name) => mock.method(String.prototype, name));
  const { kind } = match("GET", "/area3/7/parts/8");
  const looks = counted.reduce((sum, method) => sum + method.mock.callCount(), 0);
  for (const method of counted) method.mock.restore();
  assert.equal(kind, "route");
  return looks;
}

const conflicting = `import type { RouteContract } from "@kit/types";
export interface Routes {
  "GET /files/:name": RouteContract<{ name: string }>;
  "GET /files/*rest": RouteContract<{ rest: string }>;
}
`;

export const rules: Section = {
  number: "4.1",
  title: "Endpoint rules",
  statements: [
    {
      title: "a route is one key of a group, in which :name is a path parameter",
      test: answers("/files/a", { route: "parameter", value: "a" }),
    },
    {
      title: "a path parameter has its declared type",
      test: answers("/typed/5/1", { params: "number boolean", query: "undefined undefined" }),
    },
    {
      title: "a query parameter has its declared type",
      test: answers("/typed/5/0?limit=7", { params: "number boolean", query: "number undefined" }),
    },
    {
      title: "a path parameter of another type than declared gets 400",
      test: () => assertRefused("/typed/five/true", "$.count"),
    },
    {
      title: "a query parameter of another type than declared gets 400",
      test: () => assertRefused("/typed/5/true?limit=many", "$.limit"),
    },
    {
      title: "a body that breaks its contract gets 400, and the handler does not run",
      provenBy: at(
        "tests/e2e/servers/validation.test.ts",
        "is refused: ${field} ${what}",
        "creates and changes no row",
      ),
    },
    {
      title: "a static segment takes precedence over a parameter",
      test: answers("/files/upload", { route: "static", value: "" }),
    },
    {
      title: "a static segment takes precedence over a wildcard",
      test: answers("/deep/known", { route: "static", value: "" }),
    },
    {
      title:
        "at each level of the tree static comes before parameter before wildcard, whatever the order of the contracts",
      provenBy: at(
        "packages/core/test/router/differential.test.ts",
        "the matcher agrees with a reference matcher for random routes and requests",
      ),
    },
    {
      title: "a wildcard matches the rest of the path as one string",
      test: answers("/deep/a/b/c", { route: "wildcard", value: "a/b/c" }),
    },
    {
      title: "a wildcard matches the segments after a static segment",
      test: answers("/deep/known/more", { route: "wildcard", value: "known/more" }),
    },
    {
      title: "a wildcard and a parameter in the same position fail the build",
      test: async () => {
        const project = await projectOf({
          "package.json": '{ "name": "a", "type": "module" }',
          "src/a.routes.ts": conflicting,
        });
        const { code, stdout } = await project.kit(["build", "--json"]);
        assert.equal(code, 1);
        const { failures } = JSON.parse(stdout) as { failures: { path: string; message: string }[] };
        assert.ok(
          failures.some(
            ({ path, message }) =>
              path === "src/a.routes.ts" &&
              message.includes("/files/:name") &&
              message.includes("/files/*rest"),
          ),
          stdout,
        );
      },
    },
    {
      title: "a slash at the end of the path makes no difference",
      test: async () => {
        await answers("/files/upload/", { route: "static", value: "" })();
        await answers("/admin/users/", { words: ["first", "inner", "outer"] })();
      },
    },
    {
      title: "the route tree contains paths without a slash at the end",
      test: async () => {
        const tree = await textOf(await playground(), ".kit/routes/tree.js");
        assert.match(tree, /ref: "GET \/slash"/);
        for (const path of ["/slash", "/slash/"])
          assert.equal((await (await api()).get(path)).status, 204, path);
      },
    },
    {
      title: "a method without a route gets 405, and Allow lists the methods that have one",
      test: async () => {
        const answer = await (await api()).send("DELETE", "/things");
        assert.equal(answer.status, 405);
        assert.deepEqual(answer.headers.get("allow")?.split(", ").toSorted(), ["POST", "PUT"]);
      },
    },
    {
      title: "Allow lists only methods of the requested path",
      provenBy: at(
        "tests/e2e/servers/routing.test.ts",
        "a wrong method gets 405 METHOD_NOT_ALLOWED, and Allow names the valid methods > ${method} ${path}",
      ),
    },
    {
      title: "Allow lists only methods of the one node that matches the path",
      changed:
        "Allow lists the methods of every node that matches the path, since each of them is answered: a static segment without a method gives way to a parameter",
      test: async () => {
        const answer = await (await api()).send("DELETE", "/files/upload");
        assert.equal(answer.status, 405);
        assert.deepEqual(answer.headers.get("allow")?.split(", "), ["GET", "HEAD", "PUT"]);
        assert.equal((await (await api()).send("PUT", "/files/upload")).status, 204);
      },
    },
    {
      title: "a path without a route gets 404",
      test: async () => {
        for (const path of ["/", "/thing", "/things/1", "/files", "/files/a/b", "/deep"])
          assert.equal((await (await api()).get(path)).status, 404, path);
      },
    },
    {
      title: "the time to find a route depends on the depth of the path, and not on the number of routes",
      test: () => {
        const [few, many] = [looksAmong(5), looksAmong(1_000)];
        assert.ok(many <= 2 * few, `${many} looks among 1000 routes, ${few} among 5`);
      },
    },
    {
      title: "GET /openapi.json returns the OpenAPI document in development",
      provenBy: at(
        "tests/e2e/openapi.test.ts",
        "the OpenAPI document equals the document that a server in development serves",
      ),
    },
    {
      title: "GET /openapi.json gets 404 in production",
      test: async () =>
        assert.equal((await (await playgroundInProduction()).with({}).get("/openapi.json")).status, 404),
    },
  ],
};
