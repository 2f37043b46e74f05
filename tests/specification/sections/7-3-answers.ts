import assert from "node:assert/strict";
import { errorOf, type Json } from "../read.ts";
import { development, failing, invalid, production } from "../failures.ts";
import { notesApp, onlyOnce, startPlayground } from "../projects.ts";
import { at, type Section } from "../statement.ts";

/** Playground in production, with a sidecar. */
const besideSidecar = onlyOnce(async () =>
  (
    await startPlayground({
      mode: "production",
      sidecar: { mode: "production", apiKey: "a-key-of-16-characters" },
    })
  ).with({}),
);

/** Returns the phase in which a request to the playground has failed. */
const phaseOf = async (path: string, status: number): Promise<unknown> =>
  (await failing(await development(), path, status))["phase"];

export const extendedFields: Section = {
  number: "7.3",
  title: "Extended error answers",
  statements: [
    {
      title:
        "in development an error has status, route, phase, server, serverAdapter, timestamp, requestId and relatedTests",
      test: async () => {
        const error = await failing(await development(), "/fail/app", 418);
        const { status, route, phase, server, serverAdapter } = error;
        assert.deepEqual(
          [status, route, phase, server, serverAdapter],
          [418, "GET /fail/:how", "handler", "native", "native"],
        );
        assert.equal(new Date(String(error["timestamp"])).toISOString(), error["timestamp"]);
        assert.ok(String(error["requestId"]).length > 0);
        assert.ok(Array.isArray(error["relatedTests"]));
      },
    },
    {
      title: "an error response with a sidecar has additional properties in production too",
      test: async () => {
        const error = await failing(await besideSidecar(), "/fail/app", 418);
        for (const name of ["status", "route", "phase", "serverAdapter", "timestamp", "requestId"])
          assert.ok(name in error, name);
      },
    },
    {
      title: "in production without a sidecar an error has only code, message, details and trace id",
      provenBy: at(
        "tests/e2e/servers/errors.test.ts",
        "contains only code, message, details and trace id: ${what}",
      ),
    },
    {
      title: "a validation error has schema, sourceFile, schemaFile and failures",
      test: async () => {
        const { error } = await invalid(await development(), { name: "a", count: 1 });
        assert.equal(error["schema"], "NewThing");
        assert.equal(error["schemaFile"], "src/things.types.ts");
        assert.match(String(error["sourceFile"]), /^src\/things\.routes\.ts:\d+$/);
        assert.ok(Array.isArray(error["failures"]));
      },
    },
    {
      title: "each failure has path as a JSONPath, expected, received and suggestion",
      test: async () => {
        const { error } = await invalid(await development(), { name: "a", count: 1 });
        const [failure] = error["failures"] as Json[];
        assert.equal(failure!["path"], "$.name");
        for (const name of ["expected", "received", "suggestion"])
          assert.ok(String(failure![name] ?? "").length > 0, name);
      },
    },
    {
      title: "the path of an array element contains its index",
      test: async () => {
        const answer = await (
          await production()
        ).post("/orders", { items: [{ quantity: 1 }, { quantity: "2" }] });
        const { fields } = errorOf(answer.body)["details"] as { fields: Json[] };
        assert.deepEqual(
          fields.map(({ path }) => path),
          ["$.items[1].quantity"],
        );
      },
    },
    {
      title: "details of an unknown error of a handler have handler { file, export, line } and relatedTests",
      test: async () => {
        const { handler, relatedTests } = (await failing(await development(), "/fail/unknown", 500))[
          "details"
        ] as Json;
        assert.partialDeepStrictEqual(handler, { file: "src/things.handlers.ts", export: "thingHandlers" });
        assert.equal(typeof (handler as Json)["line"], "number");
        assert.ok(Array.isArray(relatedTests));
      },
    },
    {
      title:
        "in development an application error of a handler has handler { file, export, line } in its details",
      test: async () => {
        const { details } = await failing(await development(), "/fail/app", 418);
        assert.partialDeepStrictEqual(details, {
          pot: "empty",
          handler: { file: "src/things.handlers.ts", export: "thingHandlers" },
        });
      },
    },
    {
      title:
        "the phase of an error is one of the phases of a request: middleware, validation, handler, serialization",
      test: async () => {
        assert.equal(await phaseOf("/typed/x/true", 400), "validation:params");
        assert.equal(await phaseOf("/typed/5/true?limit=x", 400), "validation:query");
        assert.equal(await phaseOf("/fail/app", 418), "handler");
        assert.equal(await phaseOf("/wrong-answer", 500), "serialization");
        const answer = await (await notesApp()).with({}).get("/notes");
        assert.equal(errorOf(answer.body)["phase"], "middleware:requireAuth");
        assert.equal((await invalid(await development(), {})).error["phase"], "validation:body");
      },
    },
    {
      title:
        "a failed build is { code: BUILD_ERROR, phase, failures: [{ path, line, message, suggestion }] }",
      provenBy: at(
        "tests/e2e/build.test.ts",
        "reports a mistake with its location, and leaves the artifacts of the last valid build",
      ),
    },
    {
      title: "404 and 405 for an unknown path or method have the format of all errors",
      test: async () => {
        const api = await production();
        const missing = await failing(api, "/nowhere", 404);
        assert.deepEqual(Object.keys(missing), ["code", "message", "traceId"]);
        assert.equal(missing["code"], "NOT_FOUND");
        const answer = await api.send("DELETE", "/things");
        assert.equal(answer.status, 405);
        assert.deepEqual(Object.keys(errorOf(answer.body)), ["code", "message", "traceId"]);
      },
    },
    {
      title: "every error response has the same format",
      provenBy: at(
        "tests/e2e/servers/errors.test.ts",
        "contains details that help to fix the error: ${what}",
      ),
    },
  ],
};

export const codes: Section = {
  number: "7.4",
  title: "Codes",
  statements: [
    {
      title: "invalid params, query and body have the code VALIDATION_ERROR, for each rule",
      provenBy: at(
        "tests/e2e/servers/validation.test.ts",
        "is required by POST if it is title or content, and the response names all missing properties",
        "is refused: ${field} ${what}",
      ),
    },
    {
      title: "missing credentials have the code UNAUTHORIZED",
      provenBy: at(
        "tests/e2e/servers/auth.test.ts",
        "every route responds with 401 UNAUTHORIZED > without the header authorization",
      ),
    },
    {
      title: "a token without a user has the code INVALID_TOKEN",
      provenBy: at("tests/e2e/servers/auth.test.ts", "to authorization: Bearer ${token}"),
    },
    {
      title: "a team without a free place has 403 TEAM_FULL",
      provenBy: at(
        "tests/e2e/servers/teams.test.ts",
        "give their last place to only one of two users who join at the same time",
      ),
    },
    {
      title: "adding a member to a team twice has 409 ALREADY_MEMBER",
      provenBy: at(
        "tests/e2e/servers/teams.test.ts",
        "refuse a member who is already in the team, an unknown user, and an unknown team",
      ),
    },
    {
      title: "unknown users, todos and teams have 404, each with its own code",
      provenBy: at(
        "tests/e2e/servers/teams.test.ts",
        "refuse a member who is already in the team, an unknown user, and an unknown team",
        "users > are created, read, changed and deleted",
      ),
    },
    {
      title: "an unknown error has 500 INTERNAL_SERVER_ERROR",
      provenBy: at("packages/core/test/errors.test.ts", "results in 500 without details in production"),
    },
  ],
};
