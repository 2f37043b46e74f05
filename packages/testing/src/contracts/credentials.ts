/** Contract tests of authentication: requests without credentials, and callers without the required scopes. */
import { resolveHeaders } from "../header-texts.ts";
import type { TestResponse } from "../test-response.ts";
import type { Each } from "./each.ts";
import { expectError, fail } from "./expect.ts";
import { send, type Slots, slotsOf } from "./request.ts";
import type { Running } from "./running.ts";
import type { Credential, RouteTable, TestedAuth } from "./tables.ts";

type Texts = Readonly<Record<string, string>>;

/** Sends a request without the default headers of the client. */
export type SendBare = (
  app: Running,
  table: RouteTable,
  slots: Slots,
  headers: Texts,
) => Promise<TestResponse>;

/** Sends a request of a route without a WebSocket. */
export const sendBare: SendBare = (app, table, slots, headers) =>
  send(app, table, slots, { headers, defaultHeaders: false });

/** Declares the tests of a route whose middleware authenticates the caller. */
export function credentialTests(
  table: RouteTable,
  auth: TestedAuth,
  each: Each,
  sendIt: SendBare = sendBare,
): void {
  const { unauthorized, scopes } = auth;
  if (unauthorized !== undefined) {
    each("refuses a request without credentials", async (app) => {
      const bare = withoutCredentials(table, auth.credentials);
      const headers = withoutHeaders(await app.allHeaders(table.route), auth.credentials);
      const answer = await sendIt(app, bare, slotsOf(bare, {}, []), headers);
      if (answer.status < 400) {
        fail(
          `${table.route} accepted a request without credentials, though its middleware has the tag \`@security\``,
          answer,
        );
      }
      const sent = unauthorized.find((code) => answer.text.includes(JSON.stringify(code)));
      expectError(table, answer, 401, sent ?? unauthorized.join(" or "));
    });
  }
  if (scopes === undefined) return;
  each("refuses a caller without the required scopes", async (app, context) => {
    const { withoutScopes } = app.fixtures;
    if (withoutScopes === undefined) {
      context.skip(
        "there is no caller without scopes: return the headers of one from `withoutScopes` of `defineFixtures`",
      );
      return;
    }
    const headers = { ...(await app.allHeaders(table.route)), ...(await resolveHeaders(withoutScopes)) };
    const answer = await sendIt(app, table, slotsOf(table, {}, []), headers);
    if (answer.status < 400) {
      fail(`${table.route} accepted a caller without ${scopes.map(inWords).join(", or ")}`, answer);
    }
    expectError(table, answer, 403, "INSUFFICIENT_SCOPE");
  });
}

function inWords(scopes: readonly string[]): string {
  return scopes.length === 1 ? `the scope ${scopes[0]}` : `the scopes ${scopes.join(" and ")}`;
}

/** Returns the table with a valid request that has no credentials. */
function withoutCredentials(table: RouteTable, credentials: readonly Credential[]): RouteTable {
  const request: Record<string, unknown> = { ...table.request };
  for (const [place, name] of credentials) {
    const slot = place === "header" ? "headers" : place === "cookie" ? "cookies" : "query";
    const values = { ...(request[slot] as object | undefined) };
    Reflect.deleteProperty(values, name);
    if (request[slot] !== undefined) request[slot] = values;
  }
  const headers = withoutHeaders(table.headers ?? {}, credentials);
  return { ...table, request, headers };
}

/** Returns headers without credentials, and without the cookies that are credentials. */
function withoutHeaders(headers: Texts, credentials: readonly Credential[]): Texts {
  const rest: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const isCredential = credentials.some(([place, of]) => place === "header" && of === name.toLowerCase());
    if (!isCredential) rest[name.toLowerCase()] = value;
  }
  const pairs = (rest["cookie"] ?? "").split(/; ?/).filter((pair) => {
    const [name] = pair.split("=");
    return pair !== "" && !credentials.some(([place, of]) => place === "cookie" && of === name);
  });
  delete rest["cookie"];
  return pairs.length === 0 ? rest : { ...rest, cookie: pairs.join("; ") };
}
