// Checks the validator and serializer that kit generates for a type.

import { isDeepStrictEqual } from "node:util";
import { accepts } from "./accept.ts";
import type { Subject } from "./model.ts";
import type { Artifacts } from "./project.ts";
import { Random } from "./random.ts";
import { type InvalidValue, type Step, invalidValues } from "./invalid-values.ts";
import { type Generated, Values } from "./values.ts";

const VALUES = 6;
const INVALID_VALUES = 25;

/** Number of values that were checked. */
export interface Counts {
  accepted: number;
  refused: number;
}

/** Checks a type with random values. Returns a complaint, or `undefined` if all checks pass. */
export function check(
  subject: Subject,
  artifacts: Artifacts,
  seed: number,
  counts: Counts,
): string | undefined {
  const random = new Random(seed);
  const values = new Values(random, subject.named);
  for (let count = 0; count < VALUES; count++) {
    const made = values.of(subject.model);
    try {
      const complaint =
        right(subject, made, artifacts, counts) ??
        random
          .several(invalidValues(made, subject.named, random), INVALID_VALUES)
          .map((invalid) => wrong(subject, made, invalid, artifacts, counts))
          .find((found) => found !== undefined);
      if (complaint !== undefined) return complaint;
    } catch (error) {
      return `it throws at ${text(made.wire)}: ${error instanceof Error ? error.stack : String(error)}`;
    }
  }
  return undefined;
}

/** Checks that a valid value is accepted, and that decoding and encoding do not change it. */
function right(subject: Subject, made: Generated, artifacts: Artifacts, counts: Counts): string | undefined {
  const { validator, serializer } = artifacts;
  const { wire, value } = made;
  if (!accepts(subject.model, wire, subject.named)) return `the test contradicts itself at ${text(wire)}`;
  counts.accepted++;
  const failures = validator.failures(wire);
  if (!validator.is(wire) || failures.length > 0) return `refuses ${text(wire)}: ${text(failures)}`;
  const decoded = validator.decode(structuredClone(wire));
  if (!isDeepStrictEqual(decoded, value))
    return `decodes ${text(wire)} as ${text(decoded)}, not as ${text(value)}`;
  const written = serializer.serialize(value);
  const parsed: unknown = JSON.parse(written);
  if (!validator.is(parsed)) return `writes ${text(value)} as ${written}, which it refuses`;
  const again = validator.decode(parsed);
  return isDeepStrictEqual(again, value)
    ? undefined
    : `writes ${text(value)} as ${written}, and reads that as ${text(again)}`;
}

/** Checks that an invalid value is refused at its location. If the change has left the value valid, checks that it is accepted. */
function wrong(
  { model, named }: Subject,
  made: Generated,
  { wire, how, path, ambiguous: vague }: InvalidValue,
  { validator }: Artifacts,
  counts: Counts,
): string | undefined {
  const at = `${text(wire)} (${how} at ${pathText(path)})`;
  const failures = validator.failures(wire);
  const is = validator.is(wire);
  if (is !== (failures.length === 0)) return `\`is\` says ${is} of ${at}, with failures ${text(failures)}`;
  if (accepts(model, wire, named)) {
    counts.accepted++;
    if (!is) return `refuses ${at}: ${text(failures)}`;
    const decoded = validator.decode(structuredClone(wire));
    if (how === "an undeclared key" && vague === undefined && !isDeepStrictEqual(decoded, made.value))
      return `decodes ${at} as ${text(decoded)}, not as ${text(made.value)}`;
    return undefined;
  }
  counts.refused++;
  if (is) return `takes ${at}`;
  const paths = failures.map((failure) => failure.path);
  const place = pathText(vague ?? path);
  const fine =
    vague === undefined
      ? paths.length === 1 && paths[0] === place
      : paths.every((found) => found.startsWith(place) || place.startsWith(found));
  return fine ? undefined : `names ${text(paths)} where ${at} is wrong`;
}

/** Returns a path as a JSONPath: `$.items[0].name` for `["items", 0, "name"]`. */
function pathText(path: readonly Step[]): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return `$${steps.join("")}`;
}

function text(value: unknown): string {
  return (
    JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? `${item}n` : item)) ?? "undefined"
  );
}
