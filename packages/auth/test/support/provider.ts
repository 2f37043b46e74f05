// Identity provider of the tests: `oidc-provider` in a process of its own, whose clock may differ. Arguments: port, and
// milliseconds by which the clock is ahead. `/test/rotate` replaces the signing key, `/test/foreign` signs ID tokens with a key
// that the provider does not publish, `/test/broken/503` lets all requests fail with that status, `/test/cut` lets
// responses of the token endpoint end in their middle, and `/test/claims/{"aud":"x"}` changes claims of the next ID tokens, which
// the provider signs nevertheless. With `null`, responses have no ID token. `/test/logout` responds with the token by which the
// provider logs Ada out, and `/test/logout/{"iss":"x"}` with the same token with other claims, or with a header in `typ`.

import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

import { decodeJwt, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

const [port = "0", ahead = "0"] = process.argv.slice(2);
const { now } = Date;
if (ahead !== "0") {
  const RealDate = Date;
  const shifted = (): number => now() + Number(ahead);
  globalThis.Date = class extends RealDate {
    constructor(...parameters: []) {
      super(...((parameters.length === 0 ? [shifted()] : parameters) as []));
    }
    static override now(): number {
      return shifted();
    }
  } as DateConstructor;
}

// Imported after the clock was set.
const { Provider } = (await import("oidc-provider" as string)) as {
  Provider: new (issuer: string, configuration: object) => IdentityProvider;
};

interface IdentityProvider {
  callback(): RequestListener;
  Client: {
    find(id: string): Promise<{ backchannelLogout(subject: string, session: string): Promise<void> }>;
  };
}

/** Key that signs ID tokens. */
let signing: Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];

async function key(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  signing = privateKey;
  return { ...(await exportJWK(privateKey)), kid, alg: "ES256", use: "sig" };
}

const base = `http://127.0.0.1:${port}`;
let kid = 0;
let identities: IdentityProvider;

async function provider(): Promise<RequestListener> {
  kid += 1;
  identities = new Provider(base, {
    clients: [
      {
        client_id: "shop",
        client_secret: "a secret of the client shop, for tests",
        redirect_uris: ["http://127.0.0.1:1/callback"],
        post_logout_redirect_uris: ["http://127.0.0.1:1/bye"],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        id_token_signed_response_alg: "ES256",
        backchannel_logout_uri: `${base}/test/logged-out`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [await key(`key ${kid}`)] },
    cookies: { keys: ["a key of the cookies of the provider"] },
    scopes: ["openid", "offline_access"],
    features: { backchannelLogout: { enabled: true } },
    // The provider sends logout tokens to this process. Its own dispatcher refuses loopback addresses.
    fetch: (url: string, { method, headers, body }: Required<RequestInit>) =>
      fetch(url, { method, headers, body }),
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: {
      IdToken: 60,
      AccessToken: 60,
      AuthorizationCode: 60,
      RefreshToken: 600,
      Interaction: 60,
      Session: 600,
      Grant: 600,
    },
    clockTolerance: 0,
  });
  return identities.callback();
}

let current = await provider();
/** Provider before the key was replaced, which answers with its keys. */
let published: RequestListener | undefined;

async function replace(response: ServerResponse): Promise<void> {
  current = await provider();
  response.end();
}

/** Answers every request with this status, if it is set. */
let broken = 0;
/** True if responses of the token endpoint end in their middle. */
let isCut = false;
/** Claims that replace those of ID tokens. `null` removes the ID tokens. */
let claims: Record<string, unknown> | null | undefined;

/** Changes the ID token of a response of the token endpoint. */
async function changed(body: string): Promise<string> {
  const { id_token: token, ...others } = JSON.parse(body) as { id_token: string };
  if (claims === null) return JSON.stringify(others);
  const payload = { ...decodeJwt(token), ...claims };
  const header = { alg: "ES256", kid: `key ${kid}` };
  return JSON.stringify({
    ...others,
    id_token: await new SignJWT(payload).setProtectedHeader(header).sign(signing),
  });
}

/** Logout token that the provider has sent last. */
let logoutToken = "";

/** Receives the token that the provider sends to the application. */
async function receiveToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
  logoutToken = new URLSearchParams(await text(request)).get("logout_token")!;
  response.end();
}

/** Responds with the token by which the provider logs Ada out, with other claims if any are given. */
async function logOut(response: ServerResponse, changes: string): Promise<void> {
  const client = await identities.Client.find("shop");
  await client.backchannelLogout("ada", "session of ada");
  if (changes === "") {
    response.end(logoutToken);
    return;
  }
  const { typ = "logout+jwt", ...others } = JSON.parse(decodeURIComponent(changes)) as { typ?: string };
  const token = new SignJWT({ ...decodeJwt(logoutToken), ...others });
  response.end(await token.setProtectedHeader({ alg: "ES256", kid: `key ${kid}`, typ }).sign(signing));
}

/** Changes the body of a response before the response is sent. */
function change(response: ServerResponse): void {
  const end = response.end.bind(response) as (body: string) => void;
  const endChanged = async (body: unknown): Promise<void> => {
    const content = await changed(String(body));
    response.setHeader("content-length", Buffer.byteLength(content));
    end(content);
  };
  response.end = ((body: unknown) => {
    void endChanged(body);
    return response;
  }) as typeof response.end;
}

createServer((request, response) => {
  const { url = "" } = request;
  if (url === "/test/rotate" || url === "/test/foreign") {
    if (url === "/test/foreign") published = current;
    void replace(response);
  } else if (published !== undefined && url === "/jwks") published(request, response);
  else if (url.startsWith("/test/broken/")) {
    broken = Number(url.split("/").at(-1));
    response.end();
  } else if (url === "/test/logged-out") {
    void receiveToken(request, response);
  } else if (url === "/test/logout" || url.startsWith("/test/logout/")) {
    logOut(response, url.slice("/test/logout/".length)).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  } else if (url === "/test/cut") {
    isCut = true;
    response.end();
  } else if (isCut && url === "/token") {
    response.writeHead(200, { "content-type": "application/json" }).end('{"access_token":"a');
  } else if (url.startsWith("/test/claims/")) {
    claims = JSON.parse(decodeURIComponent(url.slice("/test/claims/".length))) as typeof claims;
    response.end();
  } else if (claims !== undefined && url === "/token") {
    change(response);
    current(request, response);
  } else if (broken > 0) response.writeHead(broken, { "content-type": "text/html" }).end("broken");
  else current(request, response);
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));
