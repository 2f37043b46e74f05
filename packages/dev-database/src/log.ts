/** A line in `keeper.log`, with the time. Only the keeper calls it. */
export function note(text: string): void {
  console.log(`${new Date().toISOString()} ${text}`);
}
