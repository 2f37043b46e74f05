/** Writes a line with the current time to `keeper.log`. Only the keeper calls this function. */
export function note(text: string): void {
  console.log(`${new Date().toISOString()} ${text}`);
}
