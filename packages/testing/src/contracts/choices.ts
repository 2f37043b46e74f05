/** Tests of routes with unions of formats: one format for each request body, and the choice by the header `accept`. */
import type { CompiledRoute } from "@kit/types";

import type { TestResponse } from "../test-response.ts";
import { type Each, NO_FIXTURE } from "./each.ts";
import { expectAnswered, expectError, fail, replyOf } from "./expect.ts";
import { send, slotsOf } from "./request.ts";
import type { Running } from "./running.ts";
import type { DeclaredReply, FormatChoice, RouteTable } from "./tables.ts";

/** Media type that no contract of a test declares. */
const OTHER_TYPE = "application/x-kit-other";

/** Reason for skipping a test: its request is refused, although the fixture has made an earlier request succeed. */
const LATER_REQUEST_REFUSED =
  "the response is an error: let the fixture of the route make each request succeed";

/** Returns the route with only one format of its request body. */
export function withFormat(compiled: CompiledRoute, choice: FormatChoice | undefined): CompiledRoute {
  if (choice === undefined) return compiled;
  const { bodyFormat, ...rest } = compiled;
  const chosen = bodyFormat?.choices?.find(({ mediaTypes }) => mediaTypes.includes(choice.type));
  if (chosen === undefined) {
    throw new Error(
      `The generated tests are out of date: ${compiled.ref} has no body of the type ${choice.type}. Run \`kit build\``,
    );
  }
  if (chosen.format === "json") return { ...rest, body: chosen.validator ?? null };
  return { ...rest, bodyFormat: chosen };
}

/** Declares tests of the header `accept`, if it chooses the format of a response. */
export function acceptTests(table: RouteTable, each: Each): void {
  const { choice, replies = [] } = table;
  // The formats of requests do not change the formats of responses.
  if (choice !== undefined && choice.type !== choice.all[0]) return;
  const unions = replies.filter(({ content }) => content?.kind === "oneof");
  if (unions.length === 0) return;
  const asked = async (app: Running, accept: string): Promise<TestResponse> => {
    const fixture = await app.fixture(table.route);
    const headers = { ...fixture.headers, accept };
    return send(app, table, slotsOf(table, fixture, []), { headers });
  };
  const answers = (how: string, accept: string, type: string): unknown =>
    each(`answers with ${type} if the request ${how}`, async (app, context) => {
      const skipped = expectType(table, await asked(app, accept), type, app);
      if (skipped !== undefined) context.skip(skipped);
    });
  const types = typesOf(unions);
  for (const type of types) answers("accepts only this type", type, type);
  const [first, second] = types;
  answers(`prefers it to ${first}`, `${first};q=0.5, ${second}`, second!);
  each(`refuses a request that accepts only ${OTHER_TYPE}`, async (app) => {
    const answer = await asked(app, OTHER_TYPE);
    expectError(table, answer, 406, "NOT_ACCEPTABLE");
    expectVary(table, answer);
  });
}

/** Returns the media types of the first union, because a request may prefer only types of the same reply. */
function typesOf([first]: readonly DeclaredReply[]): readonly string[] {
  return (first?.content?.choices ?? []).map(({ type }) => type);
}

/**
 * Checks that a response has the media type that the request accepts. Returns the reason why the test is skipped if its contract has no
 * format with this type.
 */
function expectType(table: RouteTable, answer: TestResponse, type: string, app: Running): string | undefined {
  expectAnswered(table, answer, false);
  expectVary(table, answer);
  const reply = replyOf(table, answer);
  if (reply === undefined) return app.hasFixture(table.route) ? LATER_REQUEST_REFUSED : NO_FIXTURE;
  if (reply.content?.choices?.some((choice) => choice.type === type) !== true)
    return `the response has the status ${answer.status}, which does not have this format: add a fixture for the route`;
  const found = (answer.headers.get("content-type") ?? "nothing").split(";", 1)[0];
  if (found !== type)
    fail(`${table.route} answered with the content type ${found}, but the request accepts ${type}`, answer);
  return undefined;
}

function expectVary(table: RouteTable, answer: TestResponse): void {
  const vary = answer.headers.get("vary") ?? "";
  if (!/(?:^|,)\s*(?:accept|\*)\s*(?:,|$)/i.test(vary))
    fail(`${table.route} answered with the header \`vary: ${vary}\`, which does not list \`accept\``, answer);
}
