/** Access tokens of the scenarios. Only the benchmark loads this module, so that its subjects do not create keys. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";

import { SignJWT } from "jose";

import { audience, issuer, secret } from "./subjects/identity.ts";

const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** Public key of the tokens of this process, as PEM. The subjects get it in the variable `BENCH_JWT_KEY`. */
export const publicKeyPem: string = keys.publicKey.export({ type: "spki", format: "pem" }).toString();

/** Tokens that are valid for a day, one for each kind of signature. */
export const tokens: { readonly secret: string; readonly rsa: string } = {
  secret: await signed("HS256", secret),
  rsa: await signed("RS256", keys.privateKey),
};

function signed(algorithm: string, key: Uint8Array | KeyObject): Promise<string> {
  return new SignJWT({ scope: "notes:read" })
    .setProtectedHeader({ alg: algorithm, typ: "at+jwt" })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject("ada")
    .setIssuedAt()
    .setExpirationTime("1 day")
    .sign(key);
}
