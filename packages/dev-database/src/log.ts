/** Writes a line with the time to `keeper.log`. Only the keeper calls it. */
export function note(text: string): void {
  console.log(`${new Date().toISOString()} ${text}`);
}
