import type { AttributeValue, LifecyclePhase, LifecycleTrace, RequestRecord, SpanRecord } from "@kit/types";

import { nextRequestId, randomSpanPrefix, randomTraceId, spanIdOf } from "./ids.ts";
import type { Call } from "./call.ts";
import { monotonicMs } from "./clock.ts";
import * as phases from "./phases.ts";
import type { Slot } from "./slot.ts";
import { shownTarget } from "./target.ts";
import { statusPhrase } from "../errors/status-phrase.ts";
import { redacted, type Redactor } from "../logging/redact.ts";

/** Phase that a request entered, with its times in monotonic milliseconds. */
interface EnteredPhase {
  readonly number: number;
  readonly name: string;
  readonly startMs: number;
  /** End time. `undefined` if the request is still in the phase. */
  readonly endMs: number | undefined;
}

/** Returns the trace id of a request. Creates the id if it does not exist yet. */
export function traceIdOfSlot(slot: Slot): string {
  return (slot.traceId ??= slot.parent?.traceId ?? randomTraceId());
}

/** Returns the id of a request. Creates the id if it does not exist yet. */
export function requestIdOfSlot(slot: Slot): string {
  return (slot.requestId ??= nextRequestId());
}

/** Returns the id of the request's root span. */
export function rootSpanId(slot: Slot): string {
  return spanIdOf(spanPrefixOf(slot), 0);
}

/** Returns the id of the span of a phase. */
export function phaseSpanId(slot: Slot, phase: number): string {
  return phaseSpanIdOf(spanPrefixOf(slot), phase);
}

/** Returns the span id of a phase. `prefix` is the part that all span ids of the request share. */
export function phaseSpanIdOf(prefix: string, phase: number): string {
  return spanIdOf(prefix, phase + 1);
}

/** Returns the prefix of the request's span ids. Generates the prefix if it does not exist yet. */
export function spanPrefixOf(slot: Slot): string {
  return (slot.spanPrefix ??= randomSpanPrefix());
}

/** Index for the span id of a request's first outgoing call. The spans of phases have lower indexes. */
const firstCall = 2_048;

/** Returns the phase names of a request by phase number. */
export function namesOfSlot(slot: Slot): readonly string[] {
  return slot.route?.phases ?? phases.namesOutsideRoutes;
}

/** Returns the duration of the request in milliseconds, until now if the request is active. */
export function durationOf(slot: Slot): number {
  const { times } = slot;
  const end = slot.isActive ? monotonicMs() : times[phases.response]!;
  return Math.max(0, end - times[phases.received]!);
}

/**
 * Returns true if a phase validates a slot that the contract does not declare. For params, query and body,
 * the phase takes no time and has no recorded start. For headers and cookies, the phase is left out, because
 * few contracts declare these slots.
 */
function isVoid(slot: Slot, phase: number): boolean {
  const compiled = slot.route?.compiled;
  if (compiled === undefined) return false;
  if (phase === phases.paramsValidation) return compiled.params === null;
  if (phase === phases.queryValidation) return compiled.query === null;
  return phase === phases.bodyValidation && compiled.body === null && compiled.bodyFormat === undefined;
}

/** Returns the phases that a request entered, in order. */
function passedPhases(slot: Slot): EnteredPhase[] {
  const { times, isActive } = slot;
  const names = namesOfSlot(slot);
  const passed: EnteredPhase[] = [];
  // Goes from the last phase to the first, because a phase ends where the next one begins.
  let endMs: number | undefined = isActive ? undefined : times[phases.response]!;
  let wentOn = false;
  for (const number of phases.phaseOrder(names.length - phases.firstMiddleware).toReversed()) {
    const noted = times[number]!;
    // Phases that a failure skipped are left out, although later phases exist.
    const isPassedVoid = noted === 0 && wentOn && isVoid(slot, number);
    if (noted === 0 && !isPassedVoid) continue;
    const startMs = isPassedVoid ? endMs! : noted;
    passed.push({ number, name: names[number]!, startMs, endMs });
    endMs = startMs;
    wentOn ||= phases.isValidation(number) || number === phases.handler;
  }
  return passed.toReversed();
}

function iso(slot: Slot, monotonic: number): string {
  return new Date(slot.startTime + (monotonic - slot.times[phases.received]!)).toISOString();
}

/** Returns the phases of a request in the form that plugins receive. */
export function lifecycleOf(slot: Slot): LifecyclePhase[] {
  const now = monotonicMs();
  return passedPhases(slot).map((phase) => shownPhase(slot, phase, now));
}

function shownPhase(slot: Slot, { number, name, startMs, endMs }: EnteredPhase, now: number): LifecyclePhase {
  return {
    phase: name,
    timestamp: iso(slot, startMs),
    durationMs: (endMs ?? now) - startMs,
    ...(phases.isValidation(number) && endMs !== undefined && { result: resultOf(slot, number) }),
    ...(number === phases.response && { status: slot.status }),
  };
}

function resultOf(slot: Slot, phase: number): "pass" | "fail" {
  return slot.failed === phase ? "fail" : "pass";
}

/** Returns the trace of a request's phases. */
export function traceOf(slot: Slot, server: string): LifecycleTrace {
  return {
    traceId: traceIdOfSlot(slot),
    route: slot.route?.compiled.ref ?? null,
    server,
    lifecycle: lifecycleOf(slot),
    totalMs: durationOf(slot),
  };
}

/** Phases that are points in time and therefore have no span. */
const withoutSpan: ReadonlySet<number> = new Set([phases.received, phases.normalize, phases.response]);

/** Returns the spans of a request: the root span, the spans of its phases, then the spans of its calls. */
function spansOf(slot: Slot, redactor: Redactor): SpanRecord[] {
  const traceId = traceIdOfSlot(slot);
  const parentSpanId = rootSpanId(slot);
  const spans = [rootSpan(slot, traceId, parentSpanId)];
  for (const phase of passedPhases(slot)) {
    const { number, name, startMs, endMs } = phase;
    if (withoutSpan.has(number)) continue;
    const hasFailed = slot.failed === number;
    spans.push({
      traceId,
      spanId: phaseSpanId(slot, number),
      parentSpanId,
      name,
      kind: "internal",
      startTime: iso(slot, startMs),
      offsetMs: startMs - slot.times[phases.received]!,
      ...(endMs !== undefined && { endTime: iso(slot, endMs), durationMs: endMs - startMs }),
      status: endMs === undefined ? "unset" : hasFailed ? "error" : "ok",
      attributes: {
        ...shownAttributes(attributesOf(slot, number), redactor),
        ...(hasFailed && slot.fault !== null && { "error.message": slot.fault.message }),
      },
    });
  }
  for (const [index, call] of visibleCalls(slot)) spans.push(callSpan(slot, call, index, redactor));
  return spans;
}

/**
 * Returns the calls to show. If an instrumentation such as `@opentelemetry/instrumentation-pg` reports the calls of
 * `pg` too, only its spans are kept, because they have more details.
 */
function visibleCalls({ calls }: Slot): (readonly [index: number, call: Call])[] {
  if (calls === null) return [];
  const sources = [...new Set(calls.map(({ start }) => start.source))];
  const isToldBetter = (source: string): boolean => sources.some((other) => other.endsWith(`-${source}`));
  return [...calls.entries()].filter(([, { start }]) => !isToldBetter(start.source));
}

function callSpan(slot: Slot, call: Call, index: number, redactor: Redactor): SpanRecord {
  const { start, startMs, endMs, failure, phase } = call;
  const isOver = endMs !== 0;
  return {
    traceId: traceIdOfSlot(slot),
    spanId: start.spanId ?? spanIdOf(spanPrefixOf(slot), firstCall + index),
    parentSpanId: start.parentSpanId ?? phaseSpanId(slot, phase),
    name: start.name,
    kind: start.kind ?? "client",
    source: start.source,
    startTime: iso(slot, startMs),
    offsetMs: startMs - slot.times[phases.received]!,
    ...(isOver && { endTime: iso(slot, endMs), durationMs: endMs - startMs }),
    status: !isOver ? "unset" : failure === undefined ? "ok" : "error",
    attributes: {
      ...shownAttributes(Object.entries(call.attributes), redactor),
      ...(failure !== undefined && { "error.message": redactor.redactMessage(failure) }),
    },
  };
}

/** Returns the attributes of the span of a phase. */
function attributesOf({ attributes }: Slot, phase: number): [name: string, value: AttributeValue][] {
  const found: [string, AttributeValue][] = [];
  const list = attributes ?? [];
  for (let index = 0; index < list.length; index += 3)
    if (list[index] === phase) found.push([list[index + 1] as string, list[index + 2]!]);
  return found;
}

/**
 * Returns the attributes with hidden values replaced. A dotted name counts as a path: `user.password` is the
 * property `password` of a `user`.
 */
function shownAttributes(
  attributes: readonly (readonly [name: string, value: AttributeValue])[],
  redactor: Redactor,
): Record<string, AttributeValue> {
  const shown = attributes.map(([name, value]) => {
    const isHidden = redactor.hides(["attributes", ...name.toLowerCase().split(".")]);
    return [
      name,
      isHidden ? redacted : typeof value === "string" ? redactor.redactMessage(value) : value,
    ] as const;
  });
  return Object.fromEntries(shown);
}

function rootSpan(slot: Slot, traceId: string, spanId: string): SpanRecord {
  const { route, method, parent, isActive, status, startTime, fault } = slot;
  const ref = route?.compiled.ref;
  const durationMs = durationOf(slot);
  const attributes: Record<string, AttributeValue> = { "http.method": method };
  if (slot.droppedCalls > 0) attributes["kit.calls.left_out"] = slot.droppedCalls;
  if (route !== null) attributes["http.route"] = route.compiled.path;
  if (!isActive) attributes["http.status_code"] = status;
  if (status >= 400 || fault !== null) attributes["error.message"] = fault?.message ?? statusPhrase(status);
  return {
    traceId,
    spanId,
    ...(parent !== null && { parentSpanId: parent.spanId }),
    name: ref ?? method,
    kind: "server",
    startTime: new Date(startTime).toISOString(),
    offsetMs: 0,
    ...(!isActive && { endTime: new Date(startTime + durationMs).toISOString(), durationMs }),
    status: isActive ? "unset" : status >= 400 || fault !== null ? "error" : "ok",
    attributes,
  };
}

/** Returns a copy of everything that is recorded about a request. */
export function recordOf(slot: Slot, redactor: Redactor, isSampled: boolean): RequestRecord {
  const { sequence, method, route, status, startTime, isActive, fault, traceState, received } = slot;
  return {
    sequence,
    requestId: requestIdOfSlot(slot),
    traceId: traceIdOfSlot(slot),
    method,
    target: shownTarget(slot, redactor),
    route: route?.compiled.ref ?? null,
    status,
    startTime,
    durationMs: durationOf(slot),
    isActive,
    phase: fault?.phase ?? namesOfSlot(slot)[slot.phase]!,
    fault,
    lifecycle: lifecycleOf(slot),
    spans: spansOf(slot, redactor),
    isSampled,
    traceState,
    received,
  };
}
