/**
 * Names of headers and properties that usually contain credentials. The log hides their values unless
 * `logging.redactDefaults` is false.
 *
 * Names are compared in full and in any case: `token` hides `Token`, but not `tokens` or `tokenCount`. Names of several
 * words are listed in each common spelling.
 */
export const credentialNames: readonly string[] = [
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "password",
  "passwd",
  "passphrase",
  "secret",
  "token",
  "jwt",
  "x-auth-token",
  "x-csrf-token",
  "x-xsrf-token",
  "x-debug-key",
  ...["api key", "access key", "private key", "secret key", "client secret"].flatMap(spellings),
  ...[
    "access token",
    "refresh token",
    "id token",
    "auth token",
    "session token",
    "csrf token",
    "api token",
  ].flatMap(spellings),
  "x-api-key",
];

/** Returns three spellings of a name: `api key` gives `apikey`, `api_key` and `api-key`. */
function spellings(words: string): string[] {
  return ["", "_", "-"].map((separator) => words.replace(" ", separator));
}
