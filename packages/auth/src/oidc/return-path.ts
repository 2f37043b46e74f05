import { ValidationError } from "@kit/errors";

const longest = 1024;

/**
 * Returns the path, if it leads to the own origin. Browsers read `//host`, `/\host` and paths with line breaks as other
 * origins. URLs contain no quotes, which would make the cookie longer than browsers accept.
 *
 * @throws {ValidationError} If the path leads elsewhere or is too long, because it may come from a link of an attacker.
 */
export function checkReturnPath(path: string): string {
  const isLocal = /^\/(?!\/)[\x21\x23-\x5b\x5d-\x7e]*$/.test(path) && path.length <= longest;
  if (isLocal) return path;
  throw new ValidationError(
    "INVALID_RETURN_PATH",
    `The path after the login must begin with one slash and have at most ${longest} characters of a URL`,
  );
}
