declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Routes about which a warning was logged. */
const warned = new Set<string>();

/**
 * Logs a warning once for each route that is deprecated or ends (RFC 9745, RFC 8594), in development: `NODE_ENV` is
 * `development`, which bundlers replace in code for browsers.
 */
export function warnIfDeprecated(route: string, headers: Headers): void {
  try {
    // Written like this, bundlers leave out the warning for production.
    if (process.env.NODE_ENV === "development") warn(route, headers);
  } catch {
    // A browser without a bundler has no `process`.
  }
}

function warn(route: string, headers: Headers): void {
  const [since, end] = [headers.get("deprecation"), headers.get("sunset")];
  if ((since === null && end === null) || warned.has(route)) return;
  warned.add(route);
  const seconds = Number(since?.replace("@", ""));
  const day =
    since !== null && seconds <= 8.64e12 ? new Date(seconds * 1000).toISOString().slice(0, 10) : null;
  const successor = /<([^<>]*)>; *rel="?successor-version\b/.exec(headers.get("link") ?? "")?.[1];
  const facts = [
    since !== null && `is deprecated${day === null ? "" : ` as of ${day}`}`,
    end !== null && `ends on ${end}`,
  ];
  console.warn(
    `${route} ${facts.filter(Boolean).join(" and ")}${successor === undefined ? "" : `: use ${successor}`}`,
  );
}
