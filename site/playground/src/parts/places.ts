/** Position in a file to which the user wants to go. Each click makes a new object. */
export interface Target {
  readonly path: string;
  /** Offset in the text of the file. */
  readonly offset: number;
}

/** Returns the page of the documentation about a diagnostic. */
export function pageOf(code: string): string {
  return `../errors/${code}.html`;
}
