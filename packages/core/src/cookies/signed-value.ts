import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Returns a cookie's value with its signature: `value.signature`. The signature includes the name, so that a client
 * cannot use the value of one cookie for another cookie.
 */
export function signValue(name: string, value: string, key: string): string {
  return `${value}.${signatureOf(name, value, key)}`;
}

/**
 * Returns the value of a signed cookie without its signature. Returns `undefined` if no key has made the signature. The
 * comparison takes the same time for every signature.
 */
export function verifyValue(name: string, signed: string, keys: readonly string[]): string | undefined {
  const dot = signed.lastIndexOf(".");
  if (dot === -1) return undefined;
  const value = signed.slice(0, dot);
  const given = Buffer.from(signed.slice(dot + 1));
  const isSigned = keys.some((key) => {
    const expected = Buffer.from(signatureOf(name, value, key));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
  return isSigned ? value : undefined;
}

function signatureOf(name: string, value: string, key: string): string {
  return createHmac("sha256", key).update(`${name}=${value}`).digest("base64url");
}
