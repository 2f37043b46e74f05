// Identity provider of the tests: `oidc-provider` in a process of its own, whose clock may differ. Arguments: port, and
// milliseconds by which the clock is ahead. `/test/rotate` replaces the signing key, `/test/foreign` signs ID tokens with a key
// that the provider does not publish, `/test/broken/503` lets all requests fail with that status, `/test/cut` lets
// responses of the token endpoint end in their middle, and `/test/claims/{"aud":"x"}` changes claims of the next ID tokens, which
// the provider signs nevertheless. With `null`, responses have no ID token.

import { createServer, type RequestListener, type ServerResponse } from "node:http";

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
  Provider: new (issuer: string, configuration: object) => { callback(): RequestListener };
};

/** Key that signs ID tokens. */
let signing: Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];

async function key(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  signing = privateKey;
  return { ...(await exportJWK(privateKey)), kid, alg: "ES256", use: "sig" };
}

const base = `http://127.0.0.1:${port}`;
let kid = 0;

async function provider(): Promise<RequestListener> {
  kid += 1;
  const made = new Provider(base, {
    clients: [
      {
        client_id: "shop",
        client_secret: "a secret of the client shop, for tests",
        redirect_uris: ["http://127.0.0.1:1/callback"],
        post_logout_redirect_uris: ["http://127.0.0.1:1/bye"],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        id_token_signed_response_alg: "ES256",
      },
    ],
    jwks: { keys: [await key(`key ${kid}`)] },
    cookies: { keys: ["a key of the cookies of the provider"] },
    scopes: ["openid", "offline_access"],
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
  return made.callback();
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

/** Changes the body of a response before the response is sent. */
function change(response: ServerResponse): void {
  const end = response.end.bind(response) as (body: string) => void;
  const endChanged = async (body: unknown): Promise<void> => {
    const text = await changed(String(body));
    response.setHeader("content-length", Buffer.byteLength(text));
    end(text);
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
