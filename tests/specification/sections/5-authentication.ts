import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Api } from "../../e2e/support/api.ts";
import type { NoteJson } from "../../e2e/support/wire.ts";
import { errorOf, inspect, type Json, moduleOf } from "../ask.ts";
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
      title: "a lower priority runs first, whatever the order of registration",
      test: async () => {
        const { body } = await (await playgroundApp()).with({}).get("/admin/users");
        assert.deepEqual(body, { words: ["first", "inner", "outer"] });
      },
    },
    {
      title: "global middleware runs for every route, that of a group for its routes only",
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
      title: "the result of a middleware is on ctx of later handlers",
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
      title: "a middleware receives the request's headers",
      test: async () => {
        const app = await notesApp();
        assert.equal((await app.with({}).get("/notes")).status, 401);
        assert.equal((await app.with({ authorization: "Bearer ada:user" }).get("/notes")).status, 200);
      },
    },
    {
      title: "a middleware receives ctx with the results of earlier middleware",
      provenBy: at(
        "packages/core/test/context.test.ts",
        "adds to ctx, synchronously or asynchronously, in order of priority",
      ),
    },
    {
      title: "middleware refuses a request before it is validated",
      provenBy: at("conformance/http.json", "middleware that refuses comes before validation"),
    },
    {
      title: "kit has no login: a route without middleware is open",
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
      title: "a request without the header gets 401 UNAUTHORIZED",
      test: isRefused(undefined, "UNAUTHORIZED"),
    },
    {
      title: "a header that does not begin with Bearer is 401 UNAUTHORIZED",
      test: isRefused("Basic YWRhOnVzZXI=", "UNAUTHORIZED"),
    },
    {
      title: "Bearer in another case is 401 UNAUTHORIZED",
      test: isRefused("bearer ada:user", "UNAUTHORIZED"),
    },
    {
      title: "the message of 401 UNAUTHORIZED is about a missing or invalid header",
      test: async () => {
        const answer = await (await notesApp()).with({}).get("/notes");
        assert.match(String(errorOf(answer.body)["message"]), /missing or invalid .*header/i);
      },
    },
    {
      title: "a token without a user id is 401 INVALID_TOKEN",
      test: isRefused("Bearer :admin", "INVALID_TOKEN"),
    },
    {
      title: "the user id is the part before the colon",
      provenBy: at(
        "tests/e2e/servers/auth.test.ts",
        "access tokens that are accepted > Bearer ${token} is ${JSON.stringify(userId)}",
      ),
    },
    {
      title: "it adds userId, and userRole as user or admin",
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

const asked = async (headers: Readonly<Record<string, string>> = {}): Promise<Api> =>
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
        assert.equal((await (await asked()).get("/_debug/health")).status, 401);
        assert.equal((await (await asked({ "x-debug-key": key })).get("/_debug/health")).status, 200);
      },
    },
    {
      title: "a wrong key is refused",
      test: async () =>
        assert.equal((await (await asked({ "x-debug-key": `${key}x` })).get("/_debug/health")).status, 401),
    },
    {
      title: "an application in production whose sidecar has no key does not start",
      test: async () => {
        await assert.rejects(
          startPlayground({ mode: "production", sidecar: { mode: "production" } }),
          /needs a key/,
        );
      },
    },
    {
      title: "the allowlist has addresses and CIDR ranges",
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
      title: "in development the rate is not limited",
      provenBy: at(access, "requires no key and limits no rate by default"),
    },
    {
      title: "in production the rate of each address is limited",
      provenBy: at(access, "limits the requests of each address before it checks the key"),
    },
    {
      title: "in development nothing is hidden",
      changed:
        "credentials, `@sensitive` properties and what the options name are hidden in every mode: screens are shared, and logs are copied",
      provenBy: at(
        enforced,
        "hides credentials and the properties of the option redact, under both names of the option",
      ),
    },
    {
      title: "in production the configured fields are hidden",
      test: async () => {
        await (await guarded()).with({}).post("/things", { name: 4_711_471_147, count: 1 });
        const { text } = await (await asked({ "x-debug-key": key })).get("/_debug/errors");
        assert.match(text, /VALIDATION_ERROR/);
        assert.doesNotMatch(text, /4711471147/);
      },
    },
    {
      title: "in production the sidecar is read-only",
      provenBy: at(access, "refuses all methods except GET and HEAD"),
    },
    {
      title: "without a mode the sidecar behaves as in development",
      changed:
        "without a mode and without NODE_ENV=development it shows what production shows, and without a key only to this machine: a forgotten variable must not open it",
      provenBy: at(
        "packages/plugin-debug/test/options.test.ts",
        "take the mode from NODE_ENV if they do not name one",
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
      title: "both spellings of the options mean the same",
      provenBy: at(options, "have the same meaning under both names"),
    },
    {
      title: "port is the port of the sidecar",
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
      title: "apiKey and security.apiKey are the key",
      provenBy: at(enforced, "requires the key of the option apiKey, under both names of the option"),
    },
    {
      title: "allowedIPs and security.allowlist are the addresses that may ask",
      provenBy: at(
        enforced,
        "refuses addresses outside of the option allowlist, under both names of the option",
      ),
    },
    {
      title: "redactFields and security.redact are hidden",
      provenBy: at(
        enforced,
        "hides credentials and the properties of the option redact, under both names of the option",
      ),
    },
    {
      title: "rateLimit { windowMs, max }, and security.rateLimit with rateLimitWindow, limit the rate",
      provenBy: at(enforced, "enforces the option rateLimit, under both names of the option"),
    },
    {
      title: "security.hostname is the address to listen on",
      provenBy: at(
        enforced,
        "serves clients at another address if the hostname option permits it and the key is right",
      ),
    },
    {
      title: "kit inspect sends the key of KIT_DEBUG_KEY",
      test: async () => {
        const port = String(await (await guarded()).debugPort());
        const args = ["inspect", "server", "--json", "--debug-port", port];
        const refused = await (await playground()).kit(args);
        assert.equal(refused.code, 1);
        const told = await (await playground()).kit(args, { env: { KIT_DEBUG_KEY: key } });
        assert.equal(told.code, 0, told.stderr);
        assert.equal((JSON.parse(told.stdout) as Json)["adapter"], "native");
      },
    },
  ],
};
