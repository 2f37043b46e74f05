import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";

/** Issuer of tokens with an endpoint of its public keys. */
export class KeyServer implements AsyncDisposable {
  static readonly issuer = "https://id.example/";
  readonly #keys = new Map<string, { readonly sign: CryptoKey; readonly jwk: JWK }>();
  readonly #server = createServer((_request, response) => {
    this.requests += 1;
    this.answer(response);
  });
  /** Number of requests that the endpoint received. */
  requests = 0;
  /** Answers a request. A test may replace the function, to let the endpoint fail. */
  answer: (response: ServerResponse) => void = (response) => this.answerKeys(response);
  url: URL = new URL("http://127.0.0.1/");

  static async start(...kids: string[]): Promise<KeyServer> {
    const server = new KeyServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    const { port } = server.#server.address() as AddressInfo;
    server.url = new URL(`http://127.0.0.1:${port}/keys`);
    await Promise.all(kids.map((kid) => server.add(kid)));
    return server;
  }

  answerKeys(response: ServerResponse): void {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ keys: [...this.#keys.values()].map(({ jwk }) => jwk) }));
  }

  async add(kid: string, algorithm = "ES256"): Promise<void> {
    const pair = await generateKeyPair(algorithm, { extractable: true });
    const jwk = { ...(await exportJWK(pair.publicKey)), kid, alg: algorithm, use: "sig" };
    this.#keys.set(kid, { sign: pair.privateKey, jwk });
  }

  remove(kid: string): void {
    this.#keys.delete(kid);
  }

  jwk(kid: string): JWK {
    return this.#keys.get(kid)!.jwk;
  }

  /** Returns a token that is valid unless the claims or the header say otherwise. */
  token(kid: string, claims: JWTPayload = {}, header: object = {}): Promise<string> {
    const { sign, jwk } = this.#keys.get(kid)!;
    return new SignJWT({ ...validClaims(), ...claims })
      .setProtectedHeader({ alg: jwk.alg!, kid, ...header })
      .sign(sign);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Returns the claims of a valid token. */
export function validClaims(): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return { iss: KeyServer.issuer, aud: "shop", sub: "ada", iat: now, exp: now + 600 };
}
