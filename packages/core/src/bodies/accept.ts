/** Choice of a media type by the header `accept` (RFC 9110, 12.5.1). */
import { parseParameters } from "./media-type.ts";

/** Media type that a response can have. */
export interface Offer {
  /** Type and subtype in lower case: `text/csv`. */
  readonly type: string;
  /** Parameters by name in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Member of the header: a media type or range with its weight. */
interface Range extends Offer {
  /** From 0, which means "not acceptable", to 1. */
  readonly quality: number;
}

const rangePattern = /^(?:[!#$%&'*+\-.^_`|~0-9a-z]+\/[!#$%&'*+\-.^_`|~0-9a-z]+|\*)$/;
/** Matches a weight. Some clients leave out the zero before the point. */
const weightPattern = /^(?:0?\.\d{1,3}|0\.?|1(?:\.0{0,3})?)$/;

/**
 * Returns the index of the offer that a client prefers: the offer with the highest quality, and of several with the same
 * quality the first. Returns -1 if the client accepts none of them. Without the header, and if no member of the header is
 * valid, the client accepts everything.
 */
export function preferredOffer(accept: string | undefined, offers: readonly Offer[]): number {
  const ranges = accept === undefined ? [] : parseAccept(accept);
  if (ranges.length === 0) return offers.length === 0 ? -1 : 0;
  let [found, best] = [-1, 0];
  for (const [index, offer] of offers.entries()) {
    const quality = qualityOf(ranges, offer);
    if (quality > best) [found, best] = [index, quality];
  }
  return found;
}

/** Returns the members of the header. Leaves out members that are not valid. */
export function parseAccept(text: string): readonly Range[] {
  return membersOf(text).flatMap((member) => {
    const end = member.indexOf(";");
    const type = (end === -1 ? member : member.slice(0, end)).trim().toLowerCase();
    if (!rangePattern.test(type) || (type.startsWith("*/") && type !== "*/*")) return [];
    const parameters = end === -1 ? new Map<string, string>() : parseParameters(member, end);
    if (parameters === undefined) return [];
    const own = new Map(parameters);
    const weight = own.get("q") ?? "1";
    own.delete("q");
    if (!weightPattern.test(weight)) return [];
    return [{ type: type === "*" ? "*/*" : type, parameters: own, quality: Number(weight) }];
  });
}

/**
 * Returns the quality of an offer: the quality of the most specific range that contains the offer, or 0 if no range
 * contains the offer.
 */
export function qualityOf(ranges: readonly Range[], offer: Offer): number {
  let [quality, specificity] = [0, -1];
  for (const range of ranges) {
    const own = specificityOf(range, offer);
    if (own > specificity || (own === specificity && own >= 0 && range.quality > quality))
      [quality, specificity] = [range.quality, own];
  }
  return quality;
}

/** Returns -1 if the range does not contain the offer. A larger number means a more specific range. */
function specificityOf({ type, parameters }: Range, offer: Offer): number {
  if (type === "*/*") return parameters.size === 0 ? 0 : -1;
  if (type.endsWith("/*")) return parameters.size === 0 && offer.type.startsWith(type.slice(0, -1)) ? 1 : -1;
  if (type !== offer.type) return -1;
  for (const [name, value] of parameters) {
    if (offer.parameters.get(name)?.toLowerCase() !== value.toLowerCase()) return -1;
  }
  return 2 + parameters.size;
}

/** Splits a header at its commas, but not at commas in quotes. */
function membersOf(text: string): string[] {
  const members: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted && character === "\\") at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === "," && !isQuoted) {
      members.push(text.slice(start, at));
      start = at + 1;
    }
  }
  members.push(text.slice(start));
  return members.map((member) => member.trim()).filter((member) => member !== "");
}
