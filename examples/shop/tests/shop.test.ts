import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { beforeEach, describe, test } from "node:test";
import { createIntegrationSuite } from "@kit/testing";
import { newDelivery, productId } from "./deliveries.ts";
import { addProduct, cookieOf, logIn, register } from "./people.ts";

const suite = await createIntegrationSuite({ app: () => import("../src/app.ts") });
const { client } = suite;

type Headers = Record<string, string>;

beforeEach(() => suite.reset());

/** Puts pieces of a product into the cart of a customer. */
async function fillCart(headers: Headers, slug: string, quantity = 1): Promise<void> {
  const { status } = await suite.request("PUT /cart/:slug", {
    headers,
    params: { slug },
    body: { quantity },
  });
  assert.equal(status, 200);
}

/** Reads the page of three products that a cursor names. */
async function readPage(cursor?: string) {
  const query = { limit: 3, ...(cursor === undefined ? {} : { cursor }) };
  return (await suite.request("GET /products", { query })).body as {
    data: { slug: string }[];
    next?: string;
    previous?: string;
  };
}

/** Orders the products in the cart of a customer. */
function order(headers: Headers, key: string = randomUUID()) {
  return client.request("POST", "/orders", { headers: { ...headers, "idempotency-key": key } });
}

async function stockOf(slug: string): Promise<number> {
  const { body } = await client.request("GET", `/products/${slug}`);
  return (body as { stock: number }).stock;
}

describe("the catalogue", () => {
  test("shows each product once, on pages that are read forwards and backwards", async () => {
    const slugs: string[] = [];
    for (let index = 0; index < 7; index += 1) slugs.unshift(await addProduct());
    const pages = [await readPage()];
    // A product that is added between two pages does not move the others.
    await addProduct();
    for (let next = pages[0]!.next; next !== undefined; next = pages.at(-1)!.next)
      pages.push(await readPage(next));
    assert.deepEqual(
      pages.map(({ data }) => data.length),
      [3, 3, 1],
    );
    const seen = pages.flatMap(({ data }) => data.map(({ slug }) => slug));
    assert.deepEqual(seen.toSorted(), slugs.toSorted());
    assert.deepEqual((await readPage(pages[2]!.previous)).data, pages[1]!.data);
  });

  test("refuses a cursor of another tag", async () => {
    for (let index = 0; index < 3; index += 1) await addProduct();
    const { body } = await client.request("GET", "/products", { query: { limit: 1 } });
    const cursor = (body as { next: string }).next;
    const refused = await client.request("GET", "/products", { query: { limit: 1, cursor, tag: "desk" } });
    assert.equal(refused.status, 400);
    assert.equal((refused.body as { code: string }).code, "INVALID_CURSOR");
  });

  test("responds with 304 until a product changes", async () => {
    const slug = await addProduct();
    const first = await client.request("GET", `/products/${slug}`);
    const headers = { "if-none-match": first.headers.get("etag")! };
    assert.equal((await client.request("GET", `/products/${slug}`, { headers })).status, 304);
    const staff = await logIn(client, "staff");
    const { status } = await suite.request("PUT /products/:slug/stock", {
      headers: staff,
      params: { slug },
      body: { stock: 3 },
    });
    assert.equal(status, 200);
    assert.equal((await client.request("GET", `/products/${slug}`, { headers })).status, 200);
  });
});

describe("accounts", () => {
  test("log in with a cookie that scripts cannot read, and out", async () => {
    const { email, password } = await register(client);
    const body = { email: email.toUpperCase(), password };
    const { headers } = await client.request("POST", "/session", { body });
    assert.match(
      headers.getSetCookie()[0]!,
      /^__Host-session=[^;]+; Max-Age=\d+; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    const cookie = { cookie: cookieOf(headers) };
    assert.equal((await client.request("GET", "/cart", { headers: cookie })).status, 200);
    assert.equal((await client.request("DELETE", "/session", { headers: cookie })).status, 204);
    assert.equal((await client.request("GET", "/cart", { headers: cookie })).status, 401);
  });

  test("get the same error for an unknown address and for a wrong password", async () => {
    const { email } = await register(client);
    const attempt = async (address: string) => {
      const body = { email: address, password: "wrong password" };
      const { status, body: problem } = await client.request("POST", "/session", { body });
      const { code, detail } = problem as { code: string; detail: string };
      return { status, code, detail };
    };
    assert.deepEqual(await attempt(email), await attempt("nobody@example.com"));
  });

  test("have one account for each address", async () => {
    const { email, password } = await register(client);
    const body = { name: "Bob", email, password };
    const { status, body: problem } = await client.request("POST", "/accounts", { body });
    assert.deepEqual([status, (problem as { code: string }).code], [409, "EMAIL_TAKEN"]);
  });
});

describe("roles", () => {
  test("apply to the next request of a session that exists", async () => {
    const email = `${randomUUID()}@example.com`;
    const body = { name: "Ada", email, password: "correct horse battery staple" };
    const { headers: received } = await client.request("POST", "/accounts", { body });
    const headers = { cookie: cookieOf(received) };
    const { pool } = await import("../src/database.ts");
    const stock = async () => {
      const path = `/products/${await addProduct()}/stock`;
      return (await client.request("PUT", path, { headers, body: { stock: 1 } })).status;
    };
    const seen: unknown[] = [];
    for (const role of ["customer", "staff", "blocked"]) {
      await pool.query("UPDATE accounts SET role = $1 WHERE email = $2", [role, email]);
      const { body: session } = await client.request("GET", "/session", { headers });
      seen.push([(session as { account: { role: string } }).account.role, await stock()]);
    }
    assert.deepEqual(seen, [
      ["customer", 403],
      ["staff", 200],
      ["blocked", 403],
    ]);
  });
});

describe("orders", () => {
  test("are placed once if they are sent twice with the same key, even at the same time", async () => {
    const [customer, slug, key] = [await logIn(client), await addProduct(10), randomUUID()];
    await fillCart(customer, slug, 2);
    const responses = await Promise.all([order(customer, key), order(customer, key)]);
    responses.push(await order(customer, key));
    const placed = responses.filter(({ status }) => status === 201);
    assert.ok(placed.length >= 2);
    const ids = placed.map(({ body }) => (body as { id: string }).id);
    assert.equal(new Set(ids).size, 1);
    // A request that arrives while the first one is running may be sent again later.
    for (const { headers, body } of responses.filter(({ status }) => status !== 201)) {
      assert.equal((body as { code: string }).code, "IDEMPOTENCY_KEY_IN_USE");
      assert.equal(headers.get("retry-after"), "1");
    }
    assert.equal(await stockOf(slug), 8);
  });

  test("never sell more than the stock if several customers order at the same time", async () => {
    const slug = await addProduct(3);
    const customers = await Promise.all(Array.from({ length: 5 }, () => logIn(client)));
    for (const customer of customers) await fillCart(customer, slug);
    const responses = await Promise.all(customers.map((customer) => order(customer)));
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [201, 201, 201, 409, 409]);
    const refused = responses.find(({ status }) => status === 409)!;
    assert.deepEqual((refused.body as { details: unknown }).details, { slug, name: "Chair", left: 0 });
    assert.equal(await stockOf(slug), 0);
  });

  test("change nothing if one of their products is sold out", async () => {
    const customer = await logIn(client);
    const slugs = await Promise.all([5, 5, 5, 5, 0].map(addProduct));
    for (const slug of slugs) await fillCart(customer, slug);
    assert.equal((await order(customer)).status, 409);
    assert.deepEqual(await Promise.all(slugs.map(stockOf)), [5, 5, 5, 5, 0]);
    const { body } = await client.request("GET", "/cart", { headers: customer });
    assert.equal((body as { lines: unknown[] }).lines.length, 5);
    const orders = await client.request("GET", "/orders", { headers: customer });
    assert.deepEqual(orders.body, { data: [] });
  });

  test("keep the price, and empty the cart", async () => {
    const [customer, slug] = [await logIn(client), await addProduct()];
    await fillCart(customer, slug, 2);
    const placed = await order(customer);
    assert.equal((placed.body as { total: number }).total, 9000);
    assert.deepEqual((await client.request("GET", "/cart", { headers: customer })).body, {
      lines: [],
      total: 0,
    });
    const again = await order(customer);
    assert.deepEqual([again.status, (again.body as { code: string }).code], [409, "CART_EMPTY"]);
  });

  test("are not found by other customers", async () => {
    const [customer, other] = [await logIn(client), await logIn(client)];
    await fillCart(customer, await addProduct());
    const { location } = Object.fromEntries((await order(customer)).headers) as { location: string };
    assert.equal((await client.request("GET", location, { headers: customer })).status, 200);
    assert.equal((await client.request("GET", location, { headers: other })).status, 404);
  });

  test("are refused if the customer is blocked", async () => {
    const blocked = await logIn(client, "blocked");
    await fillCart(blocked, await addProduct());
    const refused = await order(blocked);
    assert.deepEqual([refused.status, (refused.body as { code: string }).code], [403, "INSUFFICIENT_SCOPE"]);
  });
});

describe("web pages", () => {
  const page = "http://localhost:5173";

  test("may send cookies if they belong to the front end", async () => {
    const headers = { origin: page, "sec-fetch-site": "same-site" };
    const { headers: answer } = await client.request("GET", "/session", { headers });
    assert.equal(answer.get("access-control-allow-origin"), page);
    assert.equal(answer.get("access-control-allow-credentials"), "true");
    const customer = await logIn(client);
    const out = await client.request("DELETE", "/session", { headers: { ...customer, ...headers } });
    assert.equal(out.status, 204);
  });

  test("cannot change anything if they belong to another site", async () => {
    const customer = await logIn(client);
    const headers = { ...customer, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    assert.equal((await client.request("DELETE", "/session", { headers })).status, 403);
    assert.equal((await client.request("GET", "/cart", { headers: customer })).status, 200);
  });
});

describe("deliveries", () => {
  test("are stored and read with their products, and removed", async () => {
    const staff = await logIn(client, "staff");
    const [one, other] = [await productId(), await productId()].toSorted() as [string, string];
    const body = newDelivery([other, one]);
    const send = (method: string, path: string, values: object = {}) =>
      client.request(method, path, { headers: staff, ...values });
    const { status, headers, body: made } = await send("POST", "/deliveries", { body });
    const { id } = made as { id: string };
    assert.deepEqual([status, headers.get("location")], [201, `/deliveries/${id}`]);
    const items = [one, other].map((product) => ({ productId: product, quantity: 3, purchasePrice: "4.05" }));
    const { createdAt, ...rest } = made as { createdAt: string };
    assert.match(createdAt, /Z$/);
    assert.deepEqual(rest, { ...body, id, state: "announced", items });
    assert.deepEqual((await send("GET", `/deliveries/${id}`)).body, made);
    const changed = await send("PATCH", `/deliveries/${id}`, {
      body: { state: "arrived", freight: "13.00" },
    });
    const expected = { ...(made as object), state: "arrived", freight: "13.00" };
    assert.deepEqual(changed.body, expected);
    for (const query of [
      { state: "arrived" },
      { trackingNumber: body.trackingNumber },
      { sort: "freight" },
    ]) {
      const { body: page } = await send("GET", "/deliveries", { query });
      const pagination = { total: 1, page: 1, pageSize: 20, totalPages: 1 };
      assert.deepEqual(page, { data: [expected], pagination });
    }
    const { body: none } = await send("GET", "/deliveries", { query: { state: "returned" } });
    assert.deepEqual((none as { data: unknown }).data, []);
    assert.equal((await send("DELETE", `/deliveries/${id}`)).status, 204);
    assert.equal((await send("GET", `/deliveries/${id}`)).status, 404);
  });

  test("are not stored if a product is unknown or twice in them", async () => {
    const staff = await logIn(client, "staff");
    const product = await productId();
    const unknown = newDelivery([product, randomUUID()]);
    const twice = newDelivery([product, product]);
    const codes: unknown[] = [];
    for (const body of [unknown, twice]) {
      const refused = await client.request("POST", "/deliveries", { headers: staff, body });
      codes.push([refused.status, (refused.body as { code: string }).code]);
    }
    assert.deepEqual(codes, [
      [404, "PRODUCT_NOT_FOUND"],
      [409, "DELIVERY_ITEM_TWICE"],
    ]);
    const { body: page } = await client.request("GET", "/deliveries", { headers: staff });
    assert.deepEqual((page as { data: unknown }).data, []);
  });

  test("lock their products in the order of their ids, as orders do", async () => {
    const staff = await logIn(client, "staff");
    const [first, last] = [await productId(), await productId()].toSorted() as [string, string];
    const { pool } = await import("../src/database.ts");
    const other = await pool.connect();
    try {
      const lock = "SELECT FROM products WHERE id = $1 FOR UPDATE NOWAIT";
      await other.query("BEGIN");
      await other.query(lock, [first]);
      const body = newDelivery([last, first]);
      const added = client.request("POST", "/deliveries", { headers: staff, body });
      const waiting =
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      const start = performance.now();
      while ((await pool.query(waiting)).rowCount === 0) assert.ok(performance.now() - start < 9_000);
      // The delivery waits for the first product, and has not locked the last one yet.
      await other.query(lock, [last]);
      await other.query("COMMIT");
      assert.equal((await added).status, 201);
    } finally {
      // A test that failed must not leave its transaction to the next user of the connection.
      await other.query("ROLLBACK");
      other.release();
    }
  });
});
