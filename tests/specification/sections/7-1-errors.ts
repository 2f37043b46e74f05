import assert from "node:assert/strict";
import { createErrorMiddleware, type FailedRequest } from "@kit/core";
import {
  AppError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
  ValidationError,
} from "@kit/errors";
import type { Json } from "../read.ts";
import { development, failing, invalid, production } from "../failures.ts";
import { at, type Section, type Statement } from "../statement.ts";

const subclasses = [
  [NotFoundError, 404, "NOT_FOUND"],
  [ValidationError, 400, "VALIDATION_ERROR"],
  [UnauthorizedError, 401, "UNAUTHORIZED"],
  [ForbiddenError, 403, "FORBIDDEN"],
  [ConflictError, 409, "CONFLICT"],
] as const;

const subclassStatements = subclasses.map(([Class, status, code]): Statement => ({
  title: `${Class.name} has status ${status} and by default code ${code}`,
  test: () => {
    const error = new Class();
    assert.deepEqual([error.status, error.code], [status, code]);
    assert.ok(error instanceof AppError);
  },
}));
const failures = [
  ["/fail/not-found", 404, "NOT_FOUND"],
  ["/fail/validation", 400, "VALIDATION_ERROR"],
  ["/fail/unauthorized", 401, "UNAUTHORIZED"],
  ["/fail/forbidden", 403, "TEAM_FULL"],
  ["/fail/conflict", 409, "CONFLICT"],
  ["/fail/fail", 409, "ALREADY_MEMBER"],
  ["/fail/app", 418, "OUT_OF_TEA"],
  ["/fail/unknown", 500, "INTERNAL_SERVER_ERROR"],
] as const;

const failureStatements = failures.map(([path, status, code]): Statement => ({
  title: `${code} has the status ${status}, in development and in production`,
  test: async () => {
    for (const api of [await development(), await production()])
      assert.equal((await failing(api, path, status))["code"], code);
  },
}));
export const applicationErrors: Section = {
  number: "7.1",
  title: "Application errors",
  statements: [
    {
      title: "AppError has code, status, message and details",
      test: () => {
        const error = new AppError("TEAM_FULL", 403, "Full", { size: 12 });
        assert.deepEqual(
          [error.code, error.status, error.message, error.details],
          ["TEAM_FULL", 403, "Full", { size: 12 }],
        );
      },
    },
    {
      title: "toJSON returns { error: { code, message, details } }, without details if there are none",
      test: () => {
        assert.deepEqual(new AppError("A", 400, "b", { c: 1 }).toJSON(), {
          error: { code: "A", message: "b", details: { c: 1 } },
        });
        assert.deepEqual(new AppError("A", 400, "b").toJSON(), { error: { code: "A", message: "b" } });
      },
    },
    {
      title: "the response to an error also contains the trace id",
      test: async () =>
        assert.match(
          String((await failing(await production(), "/fail/app", 418))["traceId"]),
          /^[0-9a-f]{32}$/,
        ),
    },
    ...subclassStatements,
    {
      title: "constructors of subclasses have the parameters code, message and details",
      test: () => {
        for (const [Class, status] of subclasses) {
          const { code, message, details, status: found } = new Class("OWN", "own", { a: 1 });
          assert.deepEqual([code, message, details, found], ["OWN", "own", { a: 1 }, status]);
        }
      },
    },
    {
      title: "ctx.fail throws the error class of its status",
      provenBy: at(
        "packages/errors/test/errors.test.ts",
        "errorFor passes all arguments on, and creates an AppError for statuses without a subclass",
      ),
    },
  ],
};

const request: FailedRequest = {
  traceId: "0".repeat(32),
  requestId: "1",
  phase: "handler",
  route: null,
  serverAdapter: "native",
};

/** Returns the message that the client gets for an unknown error. */
const messageTo = (isDev: boolean): string =>
  createErrorMiddleware({ isDev })(new Error("why"), request).body.error.message;

/**
 * Returns the properties of an error response that are the same in each environment, without the trace id. Development may add locations to
 * `details`.
 */
function publicPart({ code, message, details = {} }: Json): unknown {
  const { handler: _, relatedTests: __, ...own } = details as Json;
  return [code, message, own];
}

export const errorMiddleware: Section = {
  number: "7.2",
  title: "Error middleware",
  statements: [
    {
      title: "createErrorMiddleware({ isDev }) decides how much a response tells about an error",
      test: () => {
        assert.deepEqual([messageTo(true), messageTo(false)], ["why", "Internal Server Error"]);
      },
    },
    {
      title: "isDev is true by default if the mode is development",
      provenBy: at("packages/core/test/errors.test.ts", "uses NODE_ENV for the default of isDev"),
    },
    ...failureStatements,
    {
      title: "an application error gets a response with code, message, details and trace id",
      test: async () => {
        const { traceId, ...error } = await failing(await production(), "/fail/app", 418);
        assert.match(String(traceId), /./);
        assert.deepEqual(error, {
          code: "OUT_OF_TEA",
          message: "There is no tea",
          details: { pot: "empty" },
        });
      },
    },
    {
      title: "invalid input gets 400 VALIDATION_ERROR, with path, expected and value of each invalid part",
      test: async () => {
        const { status, error, fields } = await invalid(await production(), { name: "a", count: "many" });
        assert.deepEqual([status, error["code"]], [400, "VALIDATION_ERROR"]);
        assert.deepEqual(
          fields.map(({ path, value }) => [path, value]),
          [
            ["$.name", "a"],
            ["$.count", "many"],
          ],
        );
        for (const { expected } of fields) assert.ok(String(expected).length > 0);
      },
    },
    {
      title: "value is also present for a property that is missing",
      test: async () => {
        const { fields } = await invalid(await production(), { count: 1 });
        assert.equal(fields[0]?.["path"], "$.name");
        assert.equal(fields[0]?.["value"], null);
      },
    },
    {
      title: "an unknown error gets 500 INTERNAL_SERVER_ERROR",
      test: async () =>
        assert.equal(
          (await failing(await production(), "/fail/unknown", 500))["code"],
          "INTERNAL_SERVER_ERROR",
        ),
    },
    {
      title: "in development the response contains the message of an unknown error",
      test: async () =>
        assert.equal(
          (await failing(await development(), "/fail/unknown", 500))["message"],
          "the secret cause",
        ),
    },
    {
      title: "in production the message of the response to an unknown error is Internal Server Error",
      test: async () =>
        assert.equal(
          (await failing(await production(), "/fail/unknown", 500))["message"],
          "Internal Server Error",
        ),
    },
    {
      title: "in development details of the response contain stack and name of the error",
      test: async () => {
        const { name, stack } = (await failing(await development(), "/fail/unknown", 500))["details"] as Json;
        assert.equal(name, "TypeError");
        assert.match(String(stack), /things\.handlers\.ts/);
      },
    },
    {
      title: "in production the response contains neither stack nor name of the error",
      test: async () => {
        const error = await failing(await production(), "/fail/unknown", 500);
        assert.deepEqual(Object.keys(error).toSorted(), ["code", "message", "traceId"]);
      },
    },
    {
      title: "code, message and details of application errors are the same in development and production",
      test: async () => {
        assert.deepEqual(
          publicPart(await failing(await development(), "/fail/fail", 409)),
          publicPart(await failing(await production(), "/fail/fail", 409)),
        );
      },
    },
    {
      title: "in production the log contains the complete error",
      provenBy: at(
        "tests/e2e/servers/errors.test.ts",
        "contains no details in production, but the log contains all of them under the same trace id",
      ),
    },
  ],
};
