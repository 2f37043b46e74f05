/** The name that was probably meant: the one that takes the fewest edits, if these are few for its length. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  let best: { name: string; edits: number } | undefined;
  for (const candidate of names) {
    const edits = distance(name.toLowerCase(), candidate.toLowerCase());
    if (best === undefined || edits < best.edits) best = { name: candidate, edits };
  }
  if (best === undefined) return undefined;
  // Two letters that changed places are two edits.
  const most = Math.max(best.name.length < 4 ? 1 : 2, Math.floor(best.name.length / 3));
  return best.edits <= most ? best.name : undefined;
}

/** ` Did you mean …?`, or all there is, or nothing. */
export function suggestion(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  if (near !== undefined) return `did you mean \`${near}\`?`;
  return names.length === 0 ? "there are none" : `there are ${names.slice(0, 50).join(", ")}`;
}

/** Insertions, deletions and replacements from one text to the other; texts are cut, since names are short. */
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
