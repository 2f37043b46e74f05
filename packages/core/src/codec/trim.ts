/**
 * Returns a part of a header's value without the spaces and tabs at its ends, which are optional there (RFC 9110,
 * section 5.6.3).
 */
export function trimmed(text: string, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}
