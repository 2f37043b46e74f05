import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Api } from "../../e2e/support/api.ts";
import type { NoteJson } from "../../e2e/support/wire.ts";
import { errorOf, inspect, type Json, moduleOf } from "../read.ts";
import { notes, notesApp, onlyOnce, playground, playgroundApp, startPlayground } from "../projects.ts";
import { at, type Section } from "../statement.ts";

/** Returns the names of the middleware that a route of the playground has. */
const middlewareOf = async (route: string): Promise<unknown> =>
  (await inspect(await playground(), "route", route))["middleware"];

export const middlewareRules: Section = {
  number: "5.1",
  title: "Middleware",
  statements: [
    {
      title: "middleware with a lower priority runs first, in any order of registration",
      test: async () => {
        const { body } = await (await playgroundApp()).with({}).get("/admin/users");
        assert.deepEqual(body, { words: ["first", "inner", "outer"] });
      },
    },
    {
      title: "global middleware runs for every route, and middleware of a group only for its own routes",
      test: async () => {
        assert.deepEqual(await middlewareOf("GET /context"), ["first", "outer"]);
        assert.deepEqual(await middlewareOf("GET /admin/users"), ["first", "inner", "outer"]);
      },
    },
    {
      title: "middleware of a wrapped framework runs before that of kit, for every request",
      provenBy: at(
        "tests/conformance/middleware-first.test.ts",
        "${name} guarding ${guarding}: the middleware sees every target, or the response is an error",
      ),
    },
    {
      title: "the result of middleware is on ctx of later handlers",
      test: async () => {
        const answer = await (
          await notesApp()
        )
          .as("ada")
          .post<NoteJson>("/notes", { title: "t", content: "c" });
        assert.equal(answer.body.authorId, "ada");
      },
    },
    {
      title: "middleware gets the headers of the request",
      test: async () => {
        const app = await notesApp();
        assert.equal((await app.with({}).get("/notes")).status, 401);
        assert.equal((await app.with({ authorization: "Bearer ada:user" }).get("/notes")).status, 200);
      },
    },
    {
      title: "middleware gets ctx with the results of earlier middleware",
      provenBy: at(
        "packages/core/test/context.test.ts",
        "adds properties to ctx, synchronously or asynchronously, in order of priority",
      ),
    },
    {
      title: "middleware can refuse a request before it is validated",
      provenBy: at("conformance/http.json", "middleware that refuses comes before validation"),
    },
    {
      title: "kit has no login of its own, so a route without middleware is open to everybody",
      test: async () => assert.equal((await (await playgroundApp()).with({}).get("/context")).status, 200),
    },
  ],
};

/** Asserts that a request with this authorization is refused with 401 and a code. */
const isRefused = (authorization: string | undefined, code: string) => async (): Promise<void> => {
  const answer = await (
    await notesApp()
  )
    .with(authorization === undefined ? {} : { authorization })
    .get("/notes");
  assert.equal(answer.status, 401);
  assert.equal(errorOf(answer.body)["code"], code);
};

export const requireAuth: Section = {
  number: "5.2",
  title: "requireAuth",
  statements: [
    {
      title: "a request without the header authorization gets 401 UNAUTHORIZED",
      test: isRefused(undefined, "UNAUTHORIZED"),
    },
    {
      title: "an authorization header that does not begin with Bearer gets 401 UNAUTHORIZED",
      test: isRefused("Basic YWRhOnVzZXI=", "UNAUTHORIZED"),
    },
    {
      title: "Bearer in another letter case gets 401 UNAUTHORIZED",
      test: isRefused("bearer ada:user", "UNAUTHORIZED"),
    },
    {
      title: "the message of 401 UNAUTHORIZED tells that the header is missing or invalid",
      test: async () => {
        const answer = await (await notesApp()).with({}).get("/notes");
        assert.match(String(errorOf(answer.body)["message"]), /missing or invalid .*header/i);
      },
    },
    {
      title: "a token without a user id gets 401 INVALID_TOKEN",
      test: isRefused("Bearer :admin", "INVALID_TOKEN"),
    },
    {
      title: "the user id is the part of the token before the colon",
      provenBy: at(
        "tests/e2e/servers/auth.test.ts",
        "access tokens that are accepted > Bearer ${token} is ${JSON.stringify(userId)}",
      ),
    },
    {
      title: "requireAuth adds userId to ctx, and userRole, which is user or admin",
      test: async () => {
        const { requireAuth: middleware } = await moduleOf<{
          requireAuth: (input: { headers: object }) => unknown;
        }>(await notes(), "src/auth.ts");
        const added = (token: string): unknown =>
          middleware({ headers: { authorization: `Bearer ${token}` } });
        assert.deepEqual(added("ada:admin"), { userId: "ada", userRole: "admin" });
        for (const token of ["ada:user", "ada:Admin", "ada:root", "ada:", "ada"])
          assert.deepEqual(added(token), { userId: "ada", userRole: "user" }, token);
      },
    },
  ],
};

const key = "a-key-of-more-than-16-characters";

/** Playground in production, with a sidecar that requires a key and hides the property `name`. */
const guarded = onlyOnce(async () =>
  startPlayground({
    mode: "production",
    sidecar: { mode: "production", apiKey: key, redactFields: ["name"] },
  }),
);

const sidecarApi = async (headers: Readonly<Record<string, string>> = {}): Promise<Api> =>
  new Api(`http://127.0.0.1:${await (await guarded()).debugPort()}`, headers);

const enforced = "packages/plugin-debug/test/enforced.test.ts";
const access = "packages/plugin-debug/test/access.test.ts";

export const sidecarSecurity: Section = {
  number: "5.3",
  title: "Sidecar security",
  statements: [
    {
      title: "in development the sidecar requires no key",
      provenBy: at(access, "requires no key and limits no rate by default"),
    },
    {
      title: "in production the sidecar requires the header X-Debug-Key",
      test: async () => {
        assert.equal((await (await sidecarApi()).get("/_debug/health")).status, 401);
        assert.equal((await (await sidecarApi({ "x-debug-key": key })).get("/_debug/health")).status, 200);
      },
    },
    {
      title: "a wrong debug key is refused",
      test: async () =>
        assert.equal(
          (await (await sidecarApi({ "x-debug-key": `${key}x` })).get("/_debug/health")).status,
          401,
        ),
    },
    {
      title: "an application does not start in production if its sidecar has no key",
      test: async () => {
        await assert.rejects(
          startPlayground({ mode: "production", sidecar: { mode: "production" } }),
          /needs a key/,
        );
      },
    },
    {
      title: "the allowlist may contain addresses and CIDR ranges",
      provenBy: at(
        "packages/plugin-debug/test/enforced.test.ts",
        "refuses addresses outside of the option allowlist, under both names of the option",
      ),
    },
    {
      title: "in development the sidecar listens on 0.0.0.0",
      changed:
        "it listens on 127.0.0.1 in every mode unless `hostname` says otherwise: who shares a network with a developer must not read requests",
      provenBy: at(enforced, "listens on 127.0.0.1 by default"),
    },
    {
      title: "in production the sidecar listens on 127.0.0.1",
      provenBy: at(access, "listens on the address 127.0.0.1 only"),
    },
    {
      title: "in development the number of requests to the sidecar is not limited",
      provenBy: at(access, "requires no key and limits no rate by default"),
    },
    {
      title: "in production the number of requests to the sidecar is limited for each address",
      provenBy: at(access, "limits the requests of each address before it checks the key"),
    },
    {
      title: "in development the sidecar hides nothing",
      changed:
        "credentials, `@sensitive` properties and what the options name are hidden in every mode: screens are shared, and logs are copied",
      provenBy: at(
        enforced,
        "hides credentials and the properties of the option redact, under both names of the option",
      ),
    },
    {
      title: "in production the sidecar hides the configured properties",
      test: async () => {
        await (await guarded()).with({}).post("/things", { name: 4_711_471_147, count: 1 });
        const { text } = await (await sidecarApi({ "x-debug-key": key })).get("/_debug/errors");
        assert.match(text, /VALIDATION_ERROR/);
        assert.doesNotMatch(text, /4711471147/);
      },
    },
    {
      title: "in production the sidecar cannot change anything",
      provenBy: at(access, "refuses all methods except GET and HEAD"),
    },
    {
      title: "without a mode the sidecar behaves as in development",
      changed:
        "without a mode and without NODE_ENV=development it shows what production shows, and without a key only to this machine: a forgotten variable must not open it",
      provenBy: at(
        "packages/plugin-debug/test/options.test.ts",
        "take the mode from NODE_ENV if the options name no mode",
      ),
    },
  ],
};

const options = "packages/plugin-debug/test/options.test.ts";

export const sidecarOptions: Section = {
  number: "5.4",
  title: "Sidecar options",
  statements: [
    {
      title: "options with two names mean the same under both names",
      provenBy: at(options, "have the same meaning under both names"),
    },
    {
      title: "the option port is the port of the sidecar",
      test: async () => {
        const other = createServer().listen(0, "127.0.0.1");
        await once(other, "listening");
        const { port } = other.address() as AddressInfo;
        other.close();
        await once(other, "close");
        const app = await startPlayground({ sidecar: { mode: "dev", port } });
        assert.equal(await app.debugPort(), port);
        await app.stop();
      },
    },
    {
      title: "mode is dev or production",
      provenBy: at(options, "with ${JSON.stringify(options)} are refused"),
    },
    {
      title: "the options apiKey and security.apiKey set the debug key",
      provenBy: at(enforced, "requires the key of the option apiKey, under both names of the option"),
    },
    {
      title: "the options allowedIPs and security.allowlist are the addresses that may send requests",
      provenBy: at(
        enforced,
        "refuses addresses outside of the option allowlist, under both names of the option",
      ),
    },
    {
      title: "the options redactFields and security.redact name the properties to hide",
      provenBy: at(
        enforced,
        "hides credentials and the properties of the option redact, under both names of the option",
      ),
    },
    {
      title:
        "rateLimit { windowMs, max }, or security.rateLimit and rateLimitWindow, limits the number of requests",
      provenBy: at(enforced, "enforces the option rateLimit, under both names of the option"),
    },
    {
      title: "the option security.hostname is the address to listen on",
      provenBy: at(
        enforced,
        "serves clients at another address if the hostname option permits it and the key is right",
      ),
    },
    {
      title: "kit inspect sends the key in KIT_DEBUG_KEY to the sidecar",
      test: async () => {
        const port = String(await (await guarded()).debugPort());
        const args = ["inspect", "server", "--json", "--debug-port", port];
        const refused = await (await playground()).kit(args);
        assert.equal(refused.code, 1);
        const result = await (await playground()).kit(args, { env: { KIT_DEBUG_KEY: key } });
        assert.equal(result.code, 0, result.stderr);
        assert.equal((JSON.parse(result.stdout) as Json)["adapter"], "native");
      },
    },
  ],
};
