/** Returns the name that is most similar to `name`, if it differs in few letters: `status` for `staus`. Ignores case. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  const wanted = name.toLowerCase().slice(0, LONGEST);
  for (const candidate of names) {
    // Two letters in the wrong order count as two edits.
    const allowed = Math.max(candidate.length < 4 ? 1 : 2, Math.floor(candidate.length / 3));
    const most = Math.min(allowed, least - 1);
    const edits = distance(wanted, candidate.toLowerCase().slice(0, LONGEST), most);
    if (edits > most) continue;
    best = candidate;
    least = edits;
  }
  return best;
}

/**
 * Returns the end of a message about an unknown name: `` did you mean `status`? `` if a similar name exists, otherwise a list of the names.
 */
export function suggestion(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  if (near !== undefined) return `did you mean \`${near}\`?`;
  return names.length === 0 ? "none exist" : `there are ${names.slice(0, 50).join(", ")}`;
}

/** Number of characters of a name that are compared. Real names are shorter. */
const LONGEST = 100;

/**
 * Returns the edit distance of two strings: the number of insertions, deletions and replacements. Returns any number above `most` if the
 * distance is greater than `most`.
 */
function distance(a: string, b: string, most: number): number {
  // The difference in length is a lower bound.
  if (Math.abs(a.length - b.length) > most) return Infinity;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1));
    }
    // The minimum of a row never decreases from one row to the next.
    if (Math.min(...row) > most) return Infinity;
    previous = row;
  }
  return previous[b.length]!;
}
