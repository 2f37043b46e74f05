/** Content coding that kit can apply (RFC 9110, 8.4.1): brotli or gzip. */
export type ContentCoding = "br" | "gzip";

/** Coding for a response. */
export interface CodingChoice<TCoding extends string = ContentCoding> {
  /** Coding of the response. `null` to send the response without a coding. */
  readonly coding: TCoding | null;
  /** True if the client accepts no response without a coding. */
  readonly isRequired: boolean;
}

/** Matches a member of `accept-encoding`: a coding and its weight (RFC 9110, 12.4.2). */
const member = /^([!#$%&'*+\-.^_`|~0-9a-z]+)[\t ]*(?:;[\t ]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/;

const withoutCoding = { coding: null, isRequired: false } as const;

/**
 * Chooses the coding of a response from the header `accept-encoding` (RFC 9110, 12.5.3). Takes the coding with the
 * highest weight. If several have equal weights, takes the first in `codings`. A response without a coding is chosen
 * only if the client gives it a higher weight, or if the client accepts none of the codings.
 *
 * An invalid member of the header is ignored. If a coding occurs twice, its first weight counts.
 */
export function chooseCoding<TCoding extends string>(
  header: string | undefined,
  codings: readonly TCoding[],
): CodingChoice<TCoding> {
  if (header === undefined || codings.length === 0) return withoutCoding;
  const weights = weightsOf(header);
  const any = weights.get("*");
  let chosen: TCoding | null = null;
  let best = 0;
  for (const coding of codings) {
    const weight = weights.get(coding) ?? any ?? 0;
    if (weight <= best) continue;
    best = weight;
    chosen = coding;
  }
  const identity = weights.get("identity") ?? any;
  if (chosen === null || (identity !== undefined && identity > best)) return withoutCoding;
  return { coding: chosen, isRequired: identity === 0 };
}

function weightsOf(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const text of header.toLowerCase().split(",")) {
    const [, name, weight] = member.exec(text.trim()) ?? [];
    if (name === undefined) continue;
    // RFC 9110, 8.4.1.3: `x-gzip` is another name of `gzip`.
    const coding = name === "x-gzip" ? "gzip" : name;
    if (!weights.has(coding)) weights.set(coding, weight === undefined ? 1 : Number(weight));
  }
  return weights;
}
