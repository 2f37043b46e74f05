/** Part of a file: the position of its first byte and of its last byte. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Maximum number of ranges of one request. With more ranges, the whole file is sent (RFC 9110, 14.2). */
const mostRanges = 16;
/**
 * Number of bytes between two ranges up to which the two become one range, because the head of a part is longer
 * (RFC 9110, 15.3.7.2).
 */
const smallestGap = 80;

/**
 * Returns the ranges that the header `range` selects of a file with `size` bytes (RFC 9110, 14.1.2), or `null` if the
 * header is ignored, so that the whole file is sent. The list is empty if the file contains none of the ranges.
 *
 * Ranges that overlap or nearly touch become one range. `crates/kit-static/src/range.rs` does the same.
 */
export function rangesOf(header: string, size: number): readonly ByteRange[] | null {
  const text = /^bytes=(.*)$/i.exec(header)?.[1];
  if (text === undefined || size === 0) return null;
  const items = text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
  if (items.length === 0 || items.length > mostRanges) return null;
  const ranges: ByteRange[] = [];
  for (const item of items) {
    const [, first = "", last = ""] = /^([0-9]*)-([0-9]*)$/.exec(item) ?? [];
    if (first === "" && last === "") return null;
    if (first === "") {
      const length = Math.min(Number(last), size);
      if (length > 0) addRange(ranges, { first: size - length, last: size - 1 });
      continue;
    }
    const end = last === "" ? Infinity : Number(last);
    if (isLess(last, first)) return null;
    if (Number(first) < size) addRange(ranges, { first: Number(first), last: Math.min(end, size - 1) });
  }
  return ranges;
}

/** Returns true if the position `last` is before the position `first`. The positions are texts of digits, because they may be too large for a number. */
function isLess(last: string, first: string): boolean {
  return last !== "" && BigInt(last) < BigInt(first);
}

/** Adds a range, merged with all ranges that it overlaps or nearly touches, at the place of the first of them. */
function addRange(ranges: ByteRange[], added: ByteRange): void {
  let { first, last } = added;
  let place = ranges.length;
  // A merged range may touch ranges that the added one did not touch.
  for (let index = 0; index < ranges.length;) {
    const range = ranges[index]!;
    if (first > range.last + smallestGap || range.first > last + smallestGap) {
      index += 1;
      continue;
    }
    first = Math.min(first, range.first);
    last = Math.max(last, range.last);
    ranges.splice(index, 1);
    place = Math.min(place, index);
    index = 0;
  }
  ranges.splice(Math.min(place, ranges.length), 0, { first, last });
}
