/** Content of a page. */
export interface View {
  /** Title of the page and of its tab. */
  readonly title: string;
  readonly content: readonly Node[];
}

/** Function that creates a page, with the parameters of its address. */
export type Page = (parameters: URLSearchParams) => Promise<View>;

let message = "";

/** Goes to another page, which then shows a message. */
export function goTo(address: `#/${string}`, text: string): void {
  message = text;
  if (location.hash === address) dispatchEvent(new Event("hashchange"));
  else location.hash = address;
}

/** Returns the message for the page that was opened, once. */
export function takeMessage(): string {
  const text = message;
  message = "";
  return text;
}
