/** Allowed origin: an exact origin, or all subdomains of a host. */
export type AllowedOrigin =
  | { readonly kind: "exact"; readonly origin: string }
  | { readonly kind: "subdomains"; readonly scheme: string; readonly suffix: string };

/** Label of a host, or several with dots, in the form in which browsers send an origin. */
const subdomains = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/** Returns true if the origin is one of the list, or a subdomain that the list allows. */
export function matchesOrigin(list: readonly AllowedOrigin[], origin: string): boolean {
  return list.some((allowed) => {
    if (allowed.kind === "exact") return allowed.origin === origin;
    const { scheme, suffix } = allowed;
    if (!origin.startsWith(scheme) || !origin.endsWith(suffix)) return false;
    return subdomains.test(origin.slice(scheme.length, -suffix.length));
  });
}

/** Default ports, by the scheme of an origin. An origin does not contain its default port, but `Host` may. */
const defaultPorts: Readonly<Record<string, string>> = { http: ":80", https: ":443" };

/** Returns true if the origin has the host and the port of the header `Host`. False for `null` and for a text that is no origin. */
export function isOriginOf(origin: string, host: string | undefined): boolean {
  const [, scheme = "", own] = /^(https?):\/\/([^/?#@\s]+)$/.exec(origin.toLowerCase()) ?? [];
  if (own === undefined) return false;
  const asked = host?.toLowerCase();
  return asked === own || asked === own + defaultPorts[scheme];
}
