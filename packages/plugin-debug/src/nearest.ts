/** Returns the most similar name: the one with the smallest edit distance, if that is small for its length. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  let best: { name: string; edits: number } | undefined;
  for (const candidate of names) {
    const edits = distance(name.toLowerCase(), candidate.toLowerCase());
    if (best === undefined || edits < best.edits) best = { name: candidate, edits };
  }
  if (best === undefined) return undefined;
  // Two swapped letters are two edits.
  const most = Math.max(best.name.length < 4 ? 1 : 2, Math.floor(best.name.length / 3));
  return best.edits <= most ? best.name : undefined;
}

/** Returns `did you mean …?`, or the list of all names, or `none exist`. */
export function suggestion(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  if (near !== undefined) return `did you mean \`${near}\`?`;
  return names.length === 0 ? "none exist" : `there are ${names.slice(0, 50).join(", ")}`;
}

/** Returns the edit distance of two strings: insertions, deletions and replacements. Compares 100 characters, because names are short. */
function distance(from: string, to: string): number {
  const [a, b] = [from.slice(0, 100), to.slice(0, 100)];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[b.length]!;
}
