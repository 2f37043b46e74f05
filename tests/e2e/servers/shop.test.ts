// Tests the shop example in Chromium: the front end and the API have different origins.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cp, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { after, before, describe, test } from "node:test";

import { type Browser, type BrowserContext, chromium, type Page, type Request } from "playwright-core";
import { build } from "vite";

import { assertAccessible, widthOf } from "../../dashboard/support/browser.ts";
import { chromiumPath, withoutChromium } from "../support/chromium.ts";
import { run } from "../support/command.ts";
import { Project } from "../support/project.ts";
import { rustProgramOf, server } from "../support/server.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
};

/** Serves the files of a directory at their paths, and `index.html` at `/`. */
async function serveFiles(directory: string): Promise<Server> {
  const files = createServer((request, response) => {
    const path = request.url === "/" ? "/index.html" : request.url!;
    readFile(join(directory, path)).then(
      (bytes) => response.setHeader("content-type", types[extname(path)]!).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  files.listen(0, "127.0.0.1");
  await once(files, "listening");
  return files;
}

/** API of a running shop. */
class Shop {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends a request such as `GET /cart`. */
  async send(line: string, sent: { cookie?: string; body?: object; key?: string } = {}): Promise<Response> {
    const [method = "", path = ""] = line.split(" ");
    const { cookie, body, key } = sent;
    const headers = {
      ...(cookie !== undefined && { cookie }),
      ...(key !== undefined && { "idempotency-key": key }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    return fetch(this.#url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }

  /** Returns the body of a successful response. */
  async json(line: string, sent: { cookie?: string; key?: string } = {}): Promise<unknown> {
    const response = await this.send(line, sent);
    assert.ok(response.ok, `${line}: ${response.status}`);
    return response.json();
  }
}

/** Returns the cookie of a login, as a browser sends it. */
function cookieOf(response: Response): string {
  assert.ok(response.ok, String(response.status));
  return response.headers.getSetCookie()[0]!.split(";")[0]!;
}

const password = "correct horse battery";

/** Key that signs the cookies of all servers. */
const KIT_COOKIE_KEYS = "a key of at least 32 characters for tests";

describe("the shop example, in Chromium", { skip: withoutChromium }, () => {
  let project: Project;
  let files: Server;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** URL of the API. `localhost`, because Chromium stores `Secure` cookies of this host without HTTPS. */
  let api: string;
  let site: string;

  before(async () => {
    project = await Project.ready("shop", "all");
    const seeded = await run(process.execPath, ["src/seed.ts"], { cwd: project.root });
    assert.equal(seeded.code, 0, seeded.stderr);
    files = await serveFiles(join(project.root, "web/dist"));
    site = `http://localhost:${(files.address() as AddressInfo).port}`;
    const env = { WEB_ORIGINS: site, LOGINS_PER_MINUTE: "12", KIT_COOKIE_KEYS };
    api = (await project.start({ env })).url.replace("127.0.0.1", "localhost");
    process.env["VITE_API_URL"] = api;
    await build({ root: join(project.root, "web"), logLevel: "error" });
    // No sandbox, because root cannot use it.
    browser = await chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
    context = await browser.newContext();
    page = await context.newPage();
    page.setDefaultTimeout(15_000);
  });
  after(async () => {
    await browser?.close();
    files?.close();
    await project?.remove();
  });

  const button = (name: string | RegExp) => page.getByRole("button", { name });
  const form = (name: string) => page.getByRole("form", { name });
  const status = (text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();
  const alert = (text: string | RegExp) => page.getByRole("alert").filter({ hasText: text }).waitFor();
  const titled = (title: string) =>
    page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();

  async function open(name: string): Promise<void> {
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }).click();
  }

  async function fill(name: string, values: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, value] of Object.entries(values)) await form(name).getByLabel(label).fill(value);
    await form(name).getByRole("button", { name }).click();
  }

  /** Lets the API receive orders, but not the page their responses, until `page.unroute`. */
  async function loseResponses(): Promise<void> {
    await page.route(`${api}/orders`, async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      assert.equal((await route.fetch()).status(), 201);
      return route.abort("connectionreset");
    });
  }

  /** Fails if a page has a violation in axe, in light and in dark colors, or is wider than the screen of a phone. */
  async function assertAccessiblePage(name: string): Promise<void> {
    await page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await widthOf(page), 360, `width of ${name}`);
    await page.setViewportSize({ width: 1280, height: 900 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await assertAccessible(page, `${name}, ${colorScheme}`);
    }
  }

  test("shows the catalogue in pages, and the products of a tag", async () => {
    await page.goto(site);
    await titled("Products");
    const items = page.locator(".products > li");
    assert.equal(await items.count(), 12);
    await button("Show more").click();
    await status("24 products are shown.");
    await button("Show more").click();
    await status("28 products are shown.");
    assert.ok(await button("Show more").isHidden());
    const names = await page.locator(".products h2").allTextContents();
    assert.equal(new Set(names).size, 28);
    await assertAccessiblePage("catalogue");
    await page.getByRole("link", { name: "Outdoors" }).click();
    await page.getByRole("heading", { name: "Walnut tray" }).waitFor({ state: "detached" });
    assert.equal(await items.count(), 9);
  });

  test("asks the API with entity tags, which responds with 304", async () => {
    const responses: number[] = [];
    const client = await context.newCDPSession(page);
    await client.send("Network.enable");
    client.on("Network.responseReceivedExtraInfo", ({ statusCode }) => responses.push(statusCode));
    await page.reload();
    await titled("Products");
    await client.detach();
    assert.ok(responses.includes(304), responses.join());
  });

  test("explains problems of a login at the fields, and above the page", async () => {
    await button("Add to cart: Sun hat").click();
    await status("Log in to fill your cart.");
    await titled("Log in");
    await fill("Create an account", { Name: "Ada Lovelace", Email: "ada", Password: "short" });
    await form("Create an account").getByText("Write at least 8 characters.").waitFor();
    await form("Create an account").getByText("This is not a valid email address.").waitFor();
    const email = form("Create an account").getByLabel("Email");
    assert.equal(await email.getAttribute("aria-invalid"), "true");
    assert.equal(await email.evaluate("document.activeElement.id"), await email.getAttribute("id"));
    await assertAccessiblePage("login with invalid values");
    await fill("Log in", { Email: "ada@example.com", Password: password });
    await alert("The address or the password is wrong");
  });

  test("logs a new user in with a cookie that the page cannot read", async () => {
    await fill("Create an account", { Name: "Ada Lovelace", Email: "ada@example.com", Password: password });
    await status("Welcome, Ada Lovelace!");
    const cookies = await context.cookies(api);
    assert.deepEqual(
      cookies.map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite })),
      [{ name: "__Host-session", httpOnly: true, secure: true, sameSite: "Lax" }],
    );
    assert.equal(await page.evaluate("document.cookie"), "");
  });

  test("adds goods to the cart and places an order, even if the connection is lost once", async () => {
    await button("Add to cart: Sun hat").click();
    await status("Sun hat is in the cart.");
    await button("Add to cart: Sun hat").click();
    await page.getByRole("link", { name: "Cart (2)" }).waitFor();
    await button("Add to cart: Walnut tray").click();
    await status("Walnut tray is in the cart.");
    await open("Cart");
    await titled("Cart");
    await page.getByText("Total: €100.00").waitFor();
    await assertAccessiblePage("cart");

    await page.getByLabel("Quantity of Walnut tray").fill("3");
    await page.getByLabel("Quantity of Walnut tray").blur();
    await status("The cart has 3 × Walnut tray.");
    await button("Order").click();
    await alert("The shop has only 1 of these: Walnut tray");
    await button("Remove: Walnut tray").click();
    await status("Walnut tray is no longer in the cart.");

    // The client repeats a request with the same key, and so does the page.
    const keys = new Set<string | undefined>();
    let requests = 0;
    const keep = (request: Request): void => {
      if (request.method() !== "POST" || request.url() !== `${api}/orders`) return;
      requests += 1;
      keys.add(request.headers()["idempotency-key"]);
    };
    page.on("request", keep);
    await loseResponses();
    await button("Order").click();
    await alert("The shop cannot be reached. Try again.");
    await page.unroute(`${api}/orders`);
    await button("Order").click();
    await status("Thank you! You have ordered for €56.00.");
    page.off("request", keep);
    assert.ok(requests >= 2, `${requests} requests`);
    assert.equal(keys.size, 1);
    await titled("Orders");
    assert.equal(await page.locator(".orders > li").count(), 1);
    await page.getByText("2 × Sun hat, €56.00").waitFor();
    await page.getByRole("link", { name: "Cart (0)" }).waitFor();
    await assertAccessiblePage("orders");
  });

  test("places a further order if the cart changes after a lost response", async () => {
    const addAndOrder = async (name: string): Promise<void> => {
      await open("Products");
      await button(`Add to cart: ${name}`).click();
      await status(`${name} is in the cart.`);
      await open("Cart");
      await button("Order").click();
    };
    await loseResponses();
    await addAndOrder("Rope swing");
    await alert("The shop cannot be reached. Try again.");
    await page.unroute(`${api}/orders`);
    await addAndOrder("Oil lamp");
    await status("Thank you! You have ordered for €48.00.");
    await titled("Orders");
    assert.equal(await page.locator(".orders > li").count(), 3);
  });

  test("opens the login if the session has ended", async () => {
    await context.clearCookies();
    await open("Cart");
    await status("Log in to continue.");
    await titled("Log in");
    await fill("Log in", { Email: "Ada@example.com", Password: password });
    await status("Welcome, Ada Lovelace!");
    await open("Orders");
    await page.getByText("2 × Sun hat, €56.00").waitFor();
  });

  test("logs out", async () => {
    await button("Log out").click();
    await status("You are logged out.");
    await page.getByRole("link", { name: "Log in" }).waitFor();
    assert.deepEqual(await context.cookies(api), []);
  });

  test("gets no response and changes nothing if the page has another origin", async () => {
    const other = await context.newPage();
    await other.goto(site.replace("localhost", "127.0.0.1"));
    const send = (method: string) =>
      other.evaluate(
        `fetch(${JSON.stringify(api)} + "/session", { method: "${method}", credentials: "include" }).then(() => true, () => false)`,
      );
    assert.equal(await send("GET"), false);
    assert.equal(await send("DELETE"), false);
    await other.close();
  });

  test("reports when the client may try again after too many logins", async () => {
    await open("Log in");
    for (let attempt = 0; attempt < 12; attempt += 1) {
      await fill("Log in", { Email: `${randomUUID()}@example.com`, Password: password });
      await alert(/./);
      if (await page.getByText("You have tried too often").isVisible()) break;
    }
    await alert(/You have tried too often\. Try again in \d+ seconds\./);
    await assertAccessiblePage("login with a problem");
  });
});

// The sessions of Node and Rust servers, and the tests that `kit test` runs on Node.
if (server.program !== undefined) {
  describe("the Rust server of the shop, beside the server on Node", () => {
    let project: Project;
    let rust: Shop;
    let node: Shop;
    before(async () => {
      project = await Project.ready("shop", "all");
      const seeded = await run(process.execPath, ["src/seed.ts"], { cwd: project.root });
      assert.equal(seeded.code, 0, seeded.stderr);
      const env = { KIT_COOKIE_KEYS };
      rust = new Shop((await project.start({ env })).url);
      const onNode = { program: process.execPath, args: ["src/main.ts"] };
      node = new Shop((await project.start({ env, ...onNode })).url);
    });
    after(() => project?.remove());

    test("accepts accounts, passwords and sessions of Node, and the reverse", async () => {
      for (const [one, other] of [
        [rust, node],
        [node, rust],
      ] as const) {
        const account = { name: "Ada", email: `${randomUUID()}@example.com`, password };
        const cookie = cookieOf(await one.send("POST /accounts", { body: account }));
        const session = await other.json("GET /session", { cookie });
        assert.deepEqual(session, { account: { name: "Ada", email: account.email, role: "customer" } });
        // The password that one server has stored, at the other server.
        const second = cookieOf(await other.send("POST /session", { body: account }));
        assert.equal((await one.send("GET /orders", { cookie: second })).status, 200);
        const wrong = await other.send("POST /session", { body: { ...account, password: "wrong password" } });
        assert.equal(wrong.status, 401);
        await other.send("DELETE /session", { cookie });
        assert.equal((await one.send("GET /cart", { cookie })).status, 401);
        assert.equal((await one.send("GET /cart", { cookie: second })).status, 200);
      }
    });

    test("has the cart and the orders of Node, with equal responses", async () => {
      const account = { name: "Eve", email: `${randomUUID()}@example.com`, password };
      const cookie = cookieOf(await node.send("POST /accounts", { body: account }));
      await rust.send("PUT /cart/sun-hat", { cookie, body: { quantity: 2 } });
      assert.deepEqual(await node.json("GET /cart", { cookie }), await rust.json("GET /cart", { cookie }));
      const key = randomUUID();
      const placed = await rust.send("POST /orders", { cookie, key });
      assert.equal(placed.status, 201);
      // The same attempt at the other server is the same order.
      assert.deepEqual(await node.json("POST /orders", { cookie, key }), await placed.json());
      for (const line of [
        "GET /orders",
        `GET ${placed.headers.get("location")}`,
        "GET /cart",
        "GET /products",
      ]) {
        // oxlint-disable-next-line no-await-in-loop
        const [ofRust, ofNode] = [await rust.send(line, { cookie }), await node.send(line, { cookie })];
        // oxlint-disable-next-line no-await-in-loop
        assert.equal(await ofRust.text(), await ofNode.text(), line);
        assert.equal(ofRust.headers.get("etag"), ofNode.headers.get("etag"), line);
      }
    });

    test("continues lists that Node began, and the reverse", async () => {
      type Products = { data: { slug: string }[]; next?: string; previous?: string };
      const servers = [rust, node];
      const seen: string[] = [];
      let page = (await node.json("GET /products?limit=10")) as Products;
      for (let turn = 0; ; turn += 1) {
        seen.push(...page.data.map(({ slug }) => slug));
        if (page.next === undefined) break;
        // oxlint-disable-next-line no-await-in-loop
        page = (await servers[turn % 2]!.json(`GET /products?limit=10&cursor=${page.next}`)) as Products;
      }
      assert.deepEqual([seen.length, new Set(seen).size], [28, 28]);
      const back = (await rust.json(`GET /products?limit=10&cursor=${page.previous}`)) as Products;
      assert.deepEqual(
        back.data.map(({ slug }) => slug),
        seen.slice(10, 20),
      );
    });
  });

  test("the contract tests and the tests of the shop pass on its Rust server", async (t) => {
    const checked = await Project.copy("shop", "all");
    t.after(() => checked.remove());
    await checked.build();
    await cp(join(import.meta.dirname, "../support/rust-app.ts"), join(checked.root, "src/app.ts"));
    const tests = ["--test", "--test-reporter=tap", ".kit/tests/*.contract.test.ts", "tests/*.test.ts"];
    const env = { RUST_PROGRAM: rustProgramOf("shop-rust"), NODE_ENV: "test", KIT_COOKIE_KEYS };
    const { code, stdout } = await run(process.execPath, tests, { cwd: checked.root, env, timeout: 240_000 });
    assert.equal(code, 0, stdout);
    const passed = Number(/^# pass (\d+)$/m.exec(stdout)?.[1]);
    assert.ok(passed > 100, `${passed} tests passed`);
  });
}
