/** Tests of downloads: ranges and HEAD. */
import type { TestResponse } from "../test-response.ts";
import { type Each, NO_FIXTURE } from "./each.ts";
import { expectAnswered, expectError, fail } from "./expect.ts";
import { headersOf, filled, send, slotsOf } from "./request.ts";
import type { Running } from "./running.ts";
import type { RouteTable } from "./tables.ts";

/** Reason why a test of ranges is skipped. */
const EMPTY_DOWNLOAD = "the download is empty: add a fixture of a download with bytes";

/** Requests of one test, which all ask for the same download. */
interface Requests {
  /** Response with the whole body. */
  readonly whole: TestResponse;
  /** Reason why the response has nothing to test. */
  readonly noDownload: string | undefined;
  /** Asks for a range. */
  range(value: string): Promise<TestResponse>;
  head(): Promise<TestResponse>;
}

/** Declares tests of ranges and of HEAD if the response of a route is a download. */
export function downloadTests(table: RouteTable, each: Each): void {
  if (table.replies?.some(({ content }) => content?.kind === "download") !== true) return;
  const { route } = table;
  each("answers a range of the first byte", async (app, context) => {
    const { whole, noDownload, range } = await requests(table, app);
    if (noDownload !== undefined) return context.skip(noDownload);
    const { bytes } = whole;
    if (bytes === undefined || bytes.length === 0) return context.skip(EMPTY_DOWNLOAD);
    const answer = await range("bytes=0-0");
    if (answer.status !== 206) fail(`${route} answered \`range: bytes=0-0\` without the status 206`, answer);
    expectHeader(table, answer, "content-range", `bytes 0-0/${bytes.length}`);
    expectHeader(table, answer, "etag", whole.headers.get("etag"));
    if (answer.bytes?.length !== 1 || answer.bytes[0] !== bytes[0])
      fail(`${route} answered \`range: bytes=0-0\` with other bytes than the first byte of the body`, answer);
  });
  each("refuses a range after the end", async (app, context) => {
    const { whole, noDownload, range } = await requests(table, app);
    if (noDownload !== undefined) return context.skip(noDownload);
    const size = whole.bytes?.length ?? 0;
    if (size === 0) return context.skip(EMPTY_DOWNLOAD);
    const answer = await range(`bytes=${size}-`);
    expectError(table, answer, 416, "RANGE_NOT_SATISFIABLE");
    expectHeader(table, answer, "content-range", `bytes */${size}`);
  });
  each("answers HEAD like GET, without the body", async (app, context) => {
    const { whole, noDownload, head } = await requests(table, app);
    if (noDownload !== undefined) return context.skip(noDownload);
    const answer = await head();
    if (answer.status !== 200) fail(`${route} answered HEAD with another status than GET`, answer);
    expectHeader(table, answer, "content-length", String(whole.bytes?.length ?? 0));
    for (const name of ["content-type", "etag", "last-modified"])
      expectHeader(table, answer, name, whole.headers.get(name));
    if (answer.text !== "") fail(`${route} answered HEAD with a body`, answer);
  });
}

async function requests(table: RouteTable, app: Running): Promise<Requests> {
  const fixture = await app.fixture(table.route);
  const slots = slotsOf(table, fixture, []);
  const get = (more: Readonly<Record<string, string>>): Promise<TestResponse> =>
    send(app, table, slots, { headers: { ...fixture.headers, ...more } });
  const whole = await get({});
  return {
    whole,
    noDownload: reasonWithout(table, whole, app),
    range: (range) => get({ range }),
    head: () =>
      app.client.request("HEAD", filled(table.route.split(" ")[1] ?? "", slots.params), {
        headers: headersOf(table, slots, fixture.headers),
        query: (slots.query ?? {}) as Record<string, unknown>,
      }),
  };
}

/**
 * Returns the reason why a response is no download. Fails if the response breaks the contract, or is an error although the route has a
 * fixture.
 */
function reasonWithout(table: RouteTable, answer: TestResponse, app: Running): string | undefined {
  if (answer.status === 200) return undefined;
  expectAnswered(table, answer, app.hasFixture(table.route));
  if (answer.status >= 400) return NO_FIXTURE;
  return `the response has the status ${answer.status}, which is no download: add a fixture for the route`;
}

function expectHeader(
  { route }: RouteTable,
  answer: TestResponse,
  name: string,
  expected: string | null,
): void {
  const found = answer.headers.get(name);
  if (found !== expected)
    fail(`${route} answered with the header \`${name}: ${found}\`, expected \`${expected}\``, answer);
}
