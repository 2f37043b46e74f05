import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from "node:http";

import type { ResponseRules } from "@kit/types";

/** Returns a function that reads headers of the request by their lower-case names. */
export function headerReader(request: IncomingMessage): (name: string) => string | undefined {
  return (name) => {
    const value: unknown = request.headers[name];
    return typeof value === "string" ? value : undefined;
  };
}

const hasRules: unique symbol = Symbol("response rules");

/** Response whose head {@link applyRules} completes. */
type RuledResponse = ServerResponse & { [hasRules]?: true };

/** Returns true if {@link applyRules} was called for the response. */
export function isRuled(response: RuledResponse): boolean {
  return response[hasRules] === true;
}

type Fields = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * Adds the headers of the rules to the response of a framework, its middleware or kit. The headers are added
 * when the head is written. At this time all other headers of the response are known, and no middleware can
 * replace the added headers.
 */
export function applyRules(rules: ResponseRules, request: IncomingMessage, response: RuledResponse): void {
  response[hasRules] = true;
  const added = rules.headers(headerReader(request));
  const { defaults } = rules;
  if (added.length === 0 && defaults.length === 0) return;
  const writeHead = response.writeHead.bind(response) as (status: number, message?: string) => ServerResponse;
  response.writeHead = (status: number, message?: string | Fields, fields?: Fields) => {
    // As in Node, the headers may be the second argument, or the third one behind a missing message.
    setFields(response, fields ?? (typeof message === "string" ? undefined : message));
    for (let index = 0; index < added.length; index += 2) {
      const name = added[index]!;
      if (name === "vary") addVary(response, added[index + 1]!);
      else response.setHeader(name, added[index + 1]!);
    }
    for (let index = 0; index < defaults.length; index += 2) {
      if (!response.hasHeader(defaults[index]!)) response.setHeader(defaults[index]!, defaults[index + 1]!);
    }
    return typeof message === "string" ? writeHead(status, message) : writeHead(status);
  };
}

/** Returns the lines of a response head for {@link ResponseRules.defaults}. Each line ends with a line break. */
export function linesOfDefaults(rules: ResponseRules | undefined): string {
  const defaults = rules?.defaults ?? [];
  let lines = "";
  for (let index = 0; index < defaults.length; index += 2) {
    lines += `${defaults[index]!}: ${defaults[index + 1]!}\r\n`;
  }
  return lines;
}

/** Sets headers that a caller passed to `writeHead`. They replace headers of the same name. */
function setFields(response: ServerResponse, fields: Fields | undefined): void {
  if (fields === undefined) return;
  if (!Array.isArray(fields)) {
    for (const [name, value] of Object.entries(fields)) {
      if (value !== undefined) response.setHeader(name, value);
    }
    return;
  }
  // `writeHead` accepts a flat list of names and values, or a list of pairs.
  const flat = fields.flat() as string[];
  const seen = new Set<string>();
  for (let index = 0; index < flat.length; index += 2) {
    const name = flat[index]!.toLowerCase();
    if (seen.has(name)) response.appendHeader(name, flat[index + 1]!);
    else response.setHeader(name, flat[index + 1]!);
    seen.add(name);
  }
}

/** Adds members to the header `vary`, except members that the header already contains. */
function addVary(response: ServerResponse, value: string): void {
  const present = [response.getHeader("vary") ?? []].flat().join(", ");
  const known = new Set(present.split(",").map((member) => member.trim().toLowerCase()));
  const members = value.split(",").map((member) => member.trim());
  const missing = members.filter((member) => !known.has(member.toLowerCase()));
  response.setHeader("vary", [...(present === "" ? [] : [present]), ...missing].join(", "));
}
