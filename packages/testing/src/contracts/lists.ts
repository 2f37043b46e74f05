/** Contract tests of lists that are read with cursors. */
import { isDeepStrictEqual } from "node:util";

import type { TestResponse } from "../test-response.ts";
import { type Each, NO_FIXTURE } from "./each.ts";
import { expectAnswered, expectError, fail } from "./expect.ts";
import { send, type Slots, slotsOf } from "./request.ts";
import type { ResolvedFixture, Running } from "./running.ts";
import type { RouteTable, TestedList } from "./tables.ts";

/** Maximum number of pages that a test requests in one direction. */
const MAX_PAGES = 20;

/** Code of the error for a cursor that does not belong to the list. */
const INVALID_CURSOR = "INVALID_CURSOR";

/** Texts that no server makes. The last one is a cursor of another list, in the form of kit's cursors. */
const FORGED = [
  "",
  "forged",
  "A".repeat(1024),
  Buffer.from('["AAAAAAAAAAAAAAAA","n","1"]').toString("base64url"),
];

interface Page {
  readonly data: readonly unknown[];
  readonly next?: string;
  readonly previous?: string;
}

/** Declares the tests of a route whose response is a `Cursor`. */
export function listTests(table: RouteTable, tested: TestedList, each: Each): void {
  const { limit } = tested;
  each("follows cursors without repeating or losing an item", async (app, context) => {
    const list = await List.of(table, tested, app);
    if (!(await list.isReadable())) return context.skip(NO_FIXTURE);
    const { data: before } = await list.page({});
    if (before.length <= limit) {
      context.skip("the list has one page only: insert more rows in the fixture of the route");
      return;
    }
    const expected = before.slice(0, MAX_PAGES * limit);
    const found: unknown[] = [];
    let page: Page | undefined;
    const pages: Page[] = [];
    while (found.length < expected.length) {
      // oxlint-disable-next-line no-await-in-loop -- each page has the cursor of the next page
      page = await list.page({ limit, ...(page?.next === undefined ? {} : { cursor: page.next }) });
      pages.push(page);
      found.push(...page.data);
      if (page.next === undefined || page.data.length === 0) break;
    }
    if (!isDeepStrictEqual(found.slice(0, expected.length), expected)) {
      fail(
        `${table.route} returned ${found.length} items page by page, which differ from the first ${expected.length} items of one large page`,
        list.last,
      );
    }
    const { previous } = pages.at(-1) ?? {};
    if (previous === undefined) return;
    const back = await list.page({ limit, cursor: previous });
    if (!isDeepStrictEqual(back.data, pages.at(-2)?.data)) {
      fail(`${table.route} returned other items for \`previous\` than on the page before`, list.last);
    }
  });
  each("refuses cursors that the server did not make", async (app, context) => {
    const list = await List.of(table, tested, app);
    if (!(await list.isReadable())) return context.skip(NO_FIXTURE);
    for (const cursor of FORGED) {
      // oxlint-disable-next-line no-await-in-loop -- the tests send one request at a time
      const answer = await list.request({ cursor });
      expectError(table, answer, 400, INVALID_CURSOR);
    }
  });
}

/** List of a route, which is read with the fixture of the route. */
class List {
  /** Last response. */
  last: TestResponse | undefined;
  readonly #table: RouteTable;
  readonly #app: Running;
  readonly #fixture: ResolvedFixture;
  /** Path parameters, headers and filters that each request of the test sends. */
  readonly #slots: Slots;

  private constructor(table: RouteTable, { filters }: TestedList, app: Running, fixture: ResolvedFixture) {
    this.#table = table;
    this.#app = app;
    this.#fixture = fixture;
    const given = fixture.query ?? {};
    const slots = slotsOf(table, fixture, []);
    // A list with the optional filters of the generated request would usually be empty.
    const query = Object.entries((slots.query ?? {}) as Record<string, unknown>).filter(
      ([name]) => name !== "limit" && (!filters.includes(name) || Object.hasOwn(given, name)),
    );
    this.#slots = { ...slots, query: Object.fromEntries(query) };
  }

  static async of(table: RouteTable, tested: TestedList, app: Running): Promise<List> {
    return new List(table, tested, app, await app.fixture(table.route));
  }

  async request(query: { readonly cursor?: string; readonly limit?: number }): Promise<TestResponse> {
    const slots = { ...this.#slots, query: { ...(this.#slots.query as object), ...query } };
    this.last = await send(this.#app, this.#table, slots, { headers: this.#fixture.headers });
    return this.last;
  }

  /**
   * Returns false if the route has no fixture and answers with a declared error, such as the 404 of a list below a row that does not
   * exist.
   */
  async isReadable(): Promise<boolean> {
    if (this.#app.hasFixture(this.#table.route)) return true;
    const answer = await this.request({});
    expectAnswered(this.#table, answer, false);
    return answer.status < 400;
  }

  /** Returns a page. Fails if the route does not answer with a page. */
  async page(query: { readonly cursor?: string; readonly limit?: number }): Promise<Page> {
    const answer = await this.request(query);
    expectAnswered(this.#table, answer, true);
    return answer.body as Page;
  }
}
