const limit = 1_000_000_000;
const counts = new Map<string, number>();

/** Counts a request of a user. Returns the number of the user's requests, or `undefined` if the quota is exceeded. */
export function use(userId: string): number | undefined {
  const used = (counts.get(userId) ?? 0) + 1;
  counts.set(userId, used);
  return used > limit ? undefined : used;
}
