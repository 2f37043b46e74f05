/** Returns the most similar candidate, ignoring case. At most a third of its characters may differ. */
export function closest(text: string, candidates: Iterable<string>): string | undefined {
  if (text.length > LONGEST) return undefined;
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  const lowered = text.toLowerCase();
  for (const candidate of candidates) {
    const most = Math.min(Math.floor(candidate.length / 3), bestDistance - 1);
    // The difference in length is a lower bound of the distance.
    if (candidate.length > LONGEST || Math.abs(candidate.length - text.length) > most) continue;
    const distance = editDistance(lowered, candidate.toLowerCase(), most);
    if (distance <= most) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * Maximum length of strings to compare. `row` is longer, because the lower-case form of a string can be longer than the
 * string.
 */
const LONGEST = 64;
const row = new Uint8Array(3 * LONGEST + 1);

/**
 * Returns the Levenshtein distance of two strings. If the distance is greater than `most`, the result is some
 * number above `most`.
 */
function editDistance(from: string, to: string, most: number): number {
  for (let j = 0; j <= to.length; j++) row[j] = j;
  for (let i = 1; i <= from.length; i++) {
    let diagonal = row[0] as number;
    let least = (row[0] = i);
    for (let j = 1; j <= to.length; j++) {
      const above = row[j] as number;
      const replaced = diagonal + (from.charCodeAt(i - 1) === to.charCodeAt(j - 1) ? 0 : 1);
      const here = Math.min(replaced, above + 1, (row[j - 1] as number) + 1);
      row[j] = here;
      diagonal = above;
      if (here < least) least = here;
    }
    // The minimum of a row never decreases from row to row.
    if (least > most) return least;
  }
  return row[to.length] as number;
}
