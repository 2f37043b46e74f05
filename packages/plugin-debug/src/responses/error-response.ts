/** Error that the sidecar responds with: a status, a code and a message. */
export class ErrorResponse extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Truncates a part of a request to 100 characters, for use in a message. */
export function truncate(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
