/**
 * Functions that generated validators, coercers and serializers call. Imported by `.kit/`, not by users.
 *
 * Invariants:
 * - These functions never throw for wire input. Only the `write…` functions throw, for handler values that have no JSON
 *   form.
 * - Recursion is limited by {@link MAX_DEPTH}, so no input can exhaust the stack.
 * - The rules follow `conformance/validation.json`, whose cases every implementation must pass.
 *
 * @module
 */
export { bigintWithin, isBigIntText, toBigInt } from "./bigint.ts";
export { decodeBytes, encodeBytes, isBase64 } from "./bytes.ts";
export { callToJson } from "./call-to-json.ts";
export { coerceBoolean, coerceEach, coerceLiteral, coerceNumber } from "./coerce.ts";
export { readCookies } from "./cookies.ts";
export { decodeDate, isCalendarDate, isDateTime, isTimestamp } from "./date.ts";
export { enter, isUnknown, MAX_DEPTH } from "./depth.ts";
export { isEmail } from "./email.ts";
export { explain } from "./explain.ts";
export { isUuid } from "./formats.ts";
export { isIpv4, isIpv6 } from "./ip.ts";
export { readJsonPart } from "./json-part.ts";
export { readList } from "./list-header.ts";
export { fitsUnion, MemberSelector } from "./match.ts";
export { isMultipleOf } from "./number.ts";
export { decodeUnknown, isNumericKey, isObject, ownProperty } from "./object.ts";
export { readQuery, readWholeQuery } from "./query.ts";
export type { Form, ObjectExplainer, Shape, UnionShape } from "./shape.ts";
export type { StringTest, TemplatePart } from "./string-test.ts";
export { template } from "./template.ts";
export { codePointsWithin } from "./text.ts";
export { hasUniqueItems } from "./unique.ts";
export { isUri } from "./uri.ts";
export { validator } from "./validator.ts";
export {
  dateContent,
  refuse,
  stringContent,
  unserializable,
  writeBigInt,
  writeBoolean,
  writeBytes,
  writeDate,
  writeNumber,
  writeString,
  writeUnknown,
} from "./write.ts";
export {
  headerBigInt,
  headerBoolean,
  headerBytes,
  headerDate,
  headerItems,
  headerList,
  headerNumber,
  headerScalar,
  headerString,
  unwritable,
} from "./write-header.ts";
