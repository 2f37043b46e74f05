import assert from "node:assert/strict";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";

import {
  AppError,
  ConflictError,
  errorFor,
  ForbiddenError,
  NotFoundError,
  UnauthorizedError,
  ValidationError,
} from "@kit/errors";
import type * as errors from "@kit/errors";

const subclasses = [
  { Class: NotFoundError, status: 404, code: "NOT_FOUND", name: "NotFoundError" },
  { Class: ValidationError, status: 400, code: "VALIDATION_ERROR", name: "ValidationError" },
  { Class: UnauthorizedError, status: 401, code: "UNAUTHORIZED", name: "UnauthorizedError" },
  { Class: ForbiddenError, status: 403, code: "FORBIDDEN", name: "ForbiddenError" },
  { Class: ConflictError, status: 409, code: "CONFLICT", name: "ConflictError" },
];

test("an error keeps its arguments, and its JSON contains only these arguments", () => {
  const error = new AppError("TEAM_FULL", 403, "Full", { size: 12 });
  assert.equal(error.code, "TEAM_FULL");
  assert.equal(error.status, 403);
  assert.equal(error.message, "Full");
  assert.equal(
    JSON.stringify(error),
    '{"error":{"code":"TEAM_FULL","message":"Full","details":{"size":12}}}',
  );
});

test("details are absent if the constructor received none", () => {
  const error = new AppError("GONE", 410, "Gone");
  assert.deepEqual(error.toJSON(), { error: { code: "GONE", message: "Gone" } });
  assert.equal("details" in error, false);
});

test("a cause is kept and never written as JSON", () => {
  const cause = new Error("password=hunter2");
  const error = new NotFoundError("NOTE_NOT_FOUND", "No such note", undefined, { cause });
  assert.equal(error.cause, cause);
  assert.equal(JSON.stringify(error).includes("hunter2"), false);
  assert.equal("cause" in new AppError("GONE", 410, "Gone"), false);
});

for (const { Class, status, code, name } of subclasses) {
  test(`${name} has the status ${status}`, () => {
    const plain = new Class();
    assert.equal(plain.status, status);
    assert.equal(plain.code, code);
    assert.notEqual(plain.message, "");
    const own = new Class("OWN_CODE", "own message", { a: 1 });
    assert.ok(own instanceof AppError && own instanceof Error);
    assert.deepEqual(
      [own.code, own.status, own.message, own.details],
      ["OWN_CODE", status, "own message", { a: 1 }],
    );
    assert.equal(own.name, name);
    assert.match(own.stack ?? "", new RegExp(`^${name}: own message`));
    assert.deepEqual(Object.keys(own), ["code", "status", "details"]);
    assert.match(inspect(own), new RegExp(`^${name}: own message`));
    assert.equal(errorFor(status, "X", "y").constructor, Class);
  });
}

test("errorFor passes all arguments on, and creates an AppError for statuses without a subclass", () => {
  const cause = new Error("why");
  for (const status of [400, 401, 403, 404, 409, 429, 503]) {
    const error = errorFor(status, "X", "y", { z: 1 }, { cause });
    assert.deepEqual([error.status, error.code, error.message, error.details], [status, "X", "y", { z: 1 }]);
    assert.equal(error.cause, cause);
  }
  assert.equal(errorFor(429, "X", "y").constructor, AppError);
});

for (const status of [0, 200, 399, 600, 404.5, Number.NaN, Number.POSITIVE_INFINITY, "404", undefined]) {
  test(`refuses ${inspect(status)} as the status of an error`, () => {
    assert.throws(() => new AppError("X", status as number, "the message"), {
      name: "RangeError",
      message: /400 to 599.*code X: the message/,
    });
    assert.throws(() => errorFor(status as number, "X", "y"), RangeError);
  });
}

for (const status of [400, 499, 500, 599]) {
  test(`accepts ${status} as the status of an error`, () =>
    assert.equal(new AppError("X", status, "y").status, status));
}

test("refuses a code that is not a string or is empty, and details that are not an object", () => {
  for (const code of ["", undefined, 404, null]) {
    assert.throws(() => new AppError(code as string, 400, "m"), { name: "TypeError", message: /code/ });
  }
  for (const details of ["text", 1, null, true]) {
    assert.throws(() => new AppError("X", 400, "m", details as unknown as object), {
      name: "TypeError",
      message: /details/,
    });
  }
});

test("isAppError accepts errors of another copy of the package", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "kit-errors-"));
  t.after(() => rm(folder, { recursive: true }));
  await cp(new URL("../src", import.meta.url), folder, { recursive: true });
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  const copy = (await import(pathToFileURL(join(folder, "index.ts")).href)) as typeof errors;
  assert.notEqual(copy.AppError, AppError);
  const foreign = new copy.NotFoundError("NOTE_NOT_FOUND", "No such note");
  assert.equal(foreign instanceof AppError, false);
  assert.equal(AppError.isAppError(foreign), true);
  assert.equal(copy.AppError.isAppError(new ConflictError()), true);
});

test("isAppError accepts errors of another realm", () => {
  const foreign: unknown = runInNewContext(
    `Object.assign(Object.create({ [Symbol.for("@kit/errors/AppError")]: true }), { code: "X", status: 400 })`,
  );
  assert.equal(AppError.isAppError(foreign), true);
});

test("isAppError accepts subclasses of an application, and instanceof distinguishes them", () => {
  class TeamFull extends ForbiddenError {}
  class Unrelated extends AppError {}
  const error = new TeamFull("TEAM_FULL", "Full");
  assert.equal(AppError.isAppError(error), true);
  assert.equal(error instanceof TeamFull, true);
  assert.equal(error instanceof Unrelated, false);
});

test("isAppError returns false for every other value, and never throws", () => {
  const brand = Symbol.for("@kit/errors/AppError");
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error("gotcha");
      },
    },
  );
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  for (const value of [
    undefined,
    null,
    "X",
    404,
    new Error("plain"),
    { code: "X", status: 404, message: "looks like one" },
    { [brand]: true, code: "X", status: 200 },
    { [brand]: true, code: 1, status: 404 },
    AppError.prototype,
    hostile,
    revoked.proxy,
  ]) {
    assert.equal(AppError.isAppError(value), false);
  }
});

test("the types refuse a code without a message", () => {
  // @ts-expect-error a single string could be a code or a message
  assert.equal(new NotFoundError("NOTE_NOT_FOUND").message, "Not found");
});
