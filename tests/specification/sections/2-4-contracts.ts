import assert from "node:assert/strict";
import { defineHandlers } from "@kit/core";
import { entriesOf, errorOf, eventually, inspect, type Json } from "../read.ts";
import { playground, playgroundApp } from "../projects.ts";
import { at, type Section } from "../statement.ts";

const typed = "the types are correct under the compiler options of users";

export const contracts: Section = {
  number: "2.4",
  title: "Route contracts",
  statements: [
    {
      title: "RouteContract has params, query, body and response, each void by default",
      test: async () => {
        const routes = await inspect<Json[]>(await playground(), "routes");
        const nothing = routes.find(({ path }) => path === "/nothing");
        assert.deepEqual(nothing, {
          method: "GET",
          path: "/nothing",
          params: {},
          query: null,
          body: null,
          response: null,
        });
      },
    },
    {
      title: "a contract whose parts are all void has a response without a body",
      test: async () => {
        const answer = await (await playgroundApp()).with({}).get("/nothing");
        assert.deepEqual([answer.status, answer.text], [204, ""]);
      },
    },
    {
      title: "a key of a group is a method and a path, and :name is a path parameter",
      test: async () => {
        const route = await inspect(await playground(), "route", "GET /typed/:count/:flag");
        assert.deepEqual([route["method"], route["path"]], ["GET", "/typed/:count/:flag"]);
        assert.deepEqual(route["params"], { count: "number", flag: "boolean" });
      },
    },
    {
      title: "a key without a method and a path is an error",
      provenBy: at("crates/kit-typescript/tests/suite/routes.rs", "explains_invalid_contracts"),
    },
  ],
};

export const handlerInput: Section = {
  number: "2.5",
  title: "Handler input and context",
  statements: [
    {
      title: "params and query have their declared types before the handler gets them",
      test: async () => {
        const api = (await playgroundApp()).with({});
        const { body } = await api.get("/typed/5/true?limit=3&since=2026-01-02T03:04:05Z");
        assert.deepEqual(body, { params: "number boolean", query: "number Date" });
      },
    },
    {
      title: "properties that the query does not contain are absent",
      test: async () => {
        const { body } = await (await playgroundApp()).with({}).get<Json>("/typed/5/false");
        assert.equal(body["query"], "undefined undefined");
      },
    },
    {
      title: "the body is parsed and validated before the handler gets it",
      test: async () => {
        const api = (await playgroundApp()).with({});
        assert.deepEqual((await api.post("/names", { name: "abc", other: 1 })).body, { name: "abc" });
        assert.equal((await api.post("/names", { name: 5 })).status, 400);
      },
    },
    {
      title: "ctx.fail(status, code, message, details) ends the request with such an error response",
      test: async () => {
        const answer = await (await playgroundApp()).with({}).get("/fail/fail");
        assert.equal(answer.status, 409);
        const { code, message, details } = errorOf(answer.body);
        assert.deepEqual([code, message], ["ALREADY_MEMBER", "Ada is a member"]);
        assert.partialDeepStrictEqual(details, { user: "ada" });
      },
    },
    {
      title: "code after ctx.fail does not run",
      test: async () => {
        const api = (await playgroundApp()).with({});
        await api.get("/fail/fail");
        assert.deepEqual((await api.get("/fail/count")).body, { words: ["0"] });
      },
    },
    { title: "the type of ctx.fail is never", provenBy: at("packages/core/test/types.test.ts", typed) },
    {
      title: "ctx.log has the methods trace, debug, info, warn, error and fatal, each with optional data",
      test: async () => {
        const app = await playgroundApp();
        await app.with({}).get("/log");
        const entries = await eventually(
          () => entriesOf(app).filter(({ route }) => route === "GET /log"),
          (found) => found.length >= 5,
        );
        assert.deepEqual(
          entries.slice(0, 5).map(({ level }) => level),
          ["info", "warn", "error", "fatal", "info"],
        );
        assert.ok("data" in entries[0]! && !("data" in entries[4]!));
      },
    },
    {
      title: "ctx.span accepts attributes while spans are recorded",
      provenBy: at("tests/conformance/observed.test.ts", "spans have their names, attributes and status"),
    },
    {
      title: "ctx.span is absent while no spans are recorded",
      provenBy: at(
        "packages/core/test/observe.test.ts",
        "does not provide ctx.span if no plugin requests spans",
      ),
    },
    {
      title: "properties that middleware adds are on ctx",
      test: async () => {
        const { body } = await (await playgroundApp()).with({}).get("/context");
        assert.deepEqual(body, { words: ["first", "outer"] });
      },
    },
    {
      title: "the type argument of defineMiddleware is the type of the properties that it adds to ctx",
      provenBy: at("packages/core/test/types.test.ts", typed),
    },
    {
      title: "defineHandlers returns the same object that it gets",
      test: () => {
        const map = { "GET /nothing": () => {} };
        assert.equal(
          defineHandlers<{ "GET /nothing": { params: void; query: void; body: void; response: void } }>(map),
          map,
        );
      },
    },
    {
      title: "each route of a group needs a handler whose types match the contract",
      provenBy: at("packages/core/test/types.test.ts", typed),
    },
    {
      title: "a handler without a contract, or a contract without a handler, fails the build",
      provenBy: at(
        "crates/kit-typescript/tests/suite/routes.rs",
        "reports_handlers_and_contracts_with_different_routes",
      ),
    },
  ],
};
