/**
 * Returns the headers of a response together with added headers. An added header replaces a header of the response
 * with the same name, except that the members of `vary` are joined. Both lists have the form name, value, name,
 * value, with lower-case names.
 */
export function mergeHeaders(own: readonly string[] | null, added: readonly string[]): readonly string[] {
  if (own === null) return added;
  if (added.length === 0) return own;
  const merged: string[] = [];
  let vary = "";
  for (let index = 0; index < own.length; index += 2) {
    const name = own[index]!;
    if (name === "vary") vary = joinVary(vary, own[index + 1]!);
    else if (!hasName(added, name)) merged.push(name, own[index + 1]!);
  }
  for (let index = 0; index < added.length; index += 2) {
    const name = added[index]!;
    if (name === "vary") vary = joinVary(vary, added[index + 1]!);
    else merged.push(name, added[index + 1]!);
  }
  if (vary !== "") merged.push("vary", vary);
  return merged;
}

/**
 * Returns the headers of a response together with the defaults whose names the response does not contain. Both
 * lists have the form name, value, name, value, with lower-case names.
 */
export function addDefaults(own: readonly string[], defaults: readonly string[]): readonly string[] {
  if (defaults.length === 0) return own;
  if (own.length === 0) return defaults;
  const completed = [...own];
  for (let index = 0; index < defaults.length; index += 2) {
    if (!hasName(own, defaults[index]!)) completed.push(defaults[index]!, defaults[index + 1]!);
  }
  return completed;
}

function hasName(headers: readonly string[], name: string): boolean {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] === name) return true;
  }
  return false;
}

/** Joins two values of `vary`. A member that occurs in the two values occurs once in the result. */
function joinVary(first: string, second: string): string {
  if (first === "") return second;
  const members = first.split(",").map((member) => member.trim());
  const known = new Set(members.map((member) => member.toLowerCase()));
  for (const member of second.split(",").map((text) => text.trim())) {
    if (!known.has(member.toLowerCase())) members.push(member);
  }
  return members.join(", ");
}
