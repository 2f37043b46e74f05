/**
 * The local part and the domain of an RFC 5321 mailbox, without quoted strings and address literals, which no sign-up form
 * means. Lengths are checked apart, so that every part of the pattern is linear.
 */
const EMAIL_LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const HOST_LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** RFC 3986, appendix A, one pattern a component. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const URI_USERINFO = /^(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*$/;
const URI_REG_NAME = /^(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;
const URI_PATH = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/;
const URI_QUERY = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/;
const IP_FUTURE = /^[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+$/;

const UUID = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$/;
const IPV4 = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/;
const IPV6_GROUP = /^[0-9A-Fa-f]{1,4}$/;

/** `@format email`: `name@example.com`. At most 64 characters before the `@` and 254 in all; a domain of one label is fine. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || at > 64 || text.length > 254) return false;
  return (
    EMAIL_LOCAL.test(text.slice(0, at)) &&
    text
      .slice(at + 1)
      .split(".")
      .every(isHostLabel)
  );
}

/** `@format uri`: an RFC 3986 URI with its scheme. Other characters than ASCII must be percent-encoded. */
export function isUri(text: string): boolean {
  const match = URI.exec(text);
  if (match === null) return false;
  const [, authority, path = "", query = "", fragment = ""] = match;
  if (!URI_PATH.test(path) || !URI_QUERY.test(query) || !URI_QUERY.test(fragment)) return false;
  return authority === undefined ? !path.startsWith("//") : isAuthority(authority);
}

/** `@format uuid`: `123e4567-e89b-12d3-a456-426614174000`, digits of either case, any version. */
export function isUuid(text: string): boolean {
  return text.length === 36 && UUID.test(text);
}

/** `@format ipv4`: four decimal numbers without leading zeros. */
export function isIpv4(text: string): boolean {
  return text.length <= 15 && IPV4.test(text);
}

/** `@format ipv6`: an RFC 4291 address; no zone, no brackets. */
export function isIpv6(text: string): boolean {
  if (text.length < 2 || text.length > 45) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const head = groupsOf(halves[0] ?? "", halves.length === 1);
  if (halves.length === 1) return head === 8;
  // `::` stands for at least one group.
  const tail = groupsOf(halves[1] ?? "", true);
  return head >= 0 && tail >= 0 && head + tail <= 7;
}

/** How many 16-bit groups a part of an address has, or -1. A dotted quad counts for two and may only end the address. */
function groupsOf(part: string, last: boolean): number {
  if (part === "") return 0;
  const groups = part.split(":");
  const final = groups.at(-1) ?? "";
  const quad = last && final.includes(".");
  if (quad && !isIpv4(final)) return -1;
  const plain = quad ? groups.slice(0, -1) : groups;
  return plain.every((group) => IPV6_GROUP.test(group)) ? plain.length + (quad ? 2 : 0) : -1;
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf("@");
  if (at >= 0 && !URI_USERINFO.test(authority.slice(0, at))) return false;
  const place = authority.slice(at + 1);
  const colon = place.lastIndexOf(":");
  const hasPort = colon > place.lastIndexOf("]");
  if (hasPort && !/^[0-9]*$/.test(place.slice(colon + 1))) return false;
  const host = hasPort ? place.slice(0, colon) : place;
  if (!host.startsWith("[")) return URI_REG_NAME.test(host);
  if (!host.endsWith("]")) return false;
  const literal = host.slice(1, -1);
  return isIpv6(literal) || IP_FUTURE.test(literal);
}

function isHostLabel(label: string): boolean {
  return HOST_LABEL.test(label);
}
