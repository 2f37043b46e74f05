import { env } from "@kit/core";

/** Variables of the server. */
export interface BookEnv {
  /**
   * First line of a letter.
   * @maxLength 40 @default "Dear reader"
   */
  GREETING: string;
  /** @integer @maximum 9 @default 3 */
  RETRIES: number;
  /** @minLength 8 @sensitive */
  API_KEY?: string;
  SHELVES?: string[];
}

export const environment = await env<BookEnv>();
