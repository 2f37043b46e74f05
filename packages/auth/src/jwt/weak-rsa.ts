/** Primes of the test for ROCA: those below 168, by whose product the weak generator builds its primes. */
const primes = [
  3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107,
  109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
];

/**
 * Returns the reason for which signatures of an RSA key can be forged, or `undefined`. Web Crypto accepts these keys.
 *
 * @param modulus - Member `n` of the JWK.
 * @param exponent - Member `e` of the JWK.
 */
export function weaknessOfRsa(modulus: unknown, exponent: unknown): string | undefined {
  const e = numberOf(exponent);
  const n = numberOf(modulus);
  if (e === undefined || n === undefined) return "its `n` and `e` must be numbers in base64url";
  // With the exponent 1, a signature is its own message.
  if (e < 3n || e % 2n === 0n) return "its public exponent must be an odd number of at least 3";
  return isRoca(n)
    ? "its private key can be computed (CVE-2017-15361, ROCA); replace the key at the issuer"
    : undefined;
}

/**
 * Returns true if a modulus is of the generator with the vulnerability ROCA: the modulus is a power of 65537 modulo each of
 * the primes. Of other moduli, about one in 2^27 is so too.
 */
function isRoca(modulus: bigint): boolean {
  return primes.every((prime) => powersOf65537(prime).has(Number(modulus % BigInt(prime))));
}

function powersOf65537(prime: number): ReadonlySet<number> {
  const powers = new Set<number>();
  for (let power = 1; !powers.has(power); power = (power * 65_537) % prime) powers.add(power);
  return powers;
}

function numberOf(member: unknown): bigint | undefined {
  const hex = typeof member === "string" ? Buffer.from(member, "base64url").toString("hex") : "";
  return hex === "" ? undefined : BigInt(`0x${hex}`);
}
