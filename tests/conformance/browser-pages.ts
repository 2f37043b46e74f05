// Web pages of other origins in Chromium, and a recorder of the requests that the browser sends to an application.

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer as createProxy, type Socket } from "node:net";

import { type Browser, chromium, type Frame, type Page } from "playwright-core";

import { chromiumPath } from "../e2e/support/chromium.ts";

/** Page: on another port of the application's host, on another host, or in a sandboxed frame. */
export type PageKind = "port" | "host" | "null";

/** Response of `fetch` as the page sees it. `null` if the browser blocks the response. */
export type Fetched = {
  readonly status: number;
  readonly type: string;
  readonly redirected: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
} | null;

/** Page with a sandboxed frame, whose scripts have the origin `null`. */
const html = `<!doctype html><title>page</title><iframe name="sandboxed" sandbox="allow-scripts" srcdoc="<p>frame</p>"></iframe>`;

/** Responds as the application of `edge-columns.ts`: `/answer/:status/:port` redirects, and `/received` shows headers. */
function respond(request: IncomingMessage, response: ServerResponse): void {
  const [, route, status, port] = request.url!.split(/[/?]/);
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-allow-headers", "*");
  if (route === "answer") {
    response.writeHead(Number(status), { location: `http://127.0.0.1:${port}/received` }).end();
  } else if (route === "received") {
    response.end(JSON.stringify({ title: JSON.stringify(request.headers) }));
  } else {
    response.setHeader("content-type", "text/html").end(html);
  }
}

/** Chromium with pages of all kinds. */
export class Pages implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #server: Server;
  /** Pages, or frames of pages, by kind. */
  readonly #pages: Readonly<Record<PageKind, Page | Frame>>;
  readonly #first: Page;
  readonly port: number;

  private constructor(browser: Browser, server: Server, first: Page, other: Page) {
    this.#browser = browser;
    this.#server = server;
    this.#first = first;
    this.#pages = { port: first, host: other, null: first.frame("sandboxed")! };
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(): Promise<Pages> {
    const server = createServer(respond);
    server.listen(0);
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    // No sandbox, because root cannot use it.
    const browser = await chromium.launch({ executablePath: chromiumPath!, args: ["--no-sandbox"] });
    const context = await browser.newContext();
    const open = async (host: string): Promise<Page> => {
      const page = await context.newPage();
      await page.goto(`http://${host}:${port}/`);
      return page;
    };
    return new Pages(browser, server, await open("127.0.0.1"), await open("localhost"));
  }

  /** Returns the origin of a page. */
  origin(kind: PageKind): string {
    if (kind === "null") return "null";
    return `http://${kind === "port" ? "127.0.0.1" : "localhost"}:${this.port}`;
  }

  /** Calls `fetch` in a page. */
  fetch(kind: PageKind, url: string, init: unknown): Promise<Fetched> {
    return this.#pages[kind].evaluate(`fetch(${JSON.stringify(url)}, ${JSON.stringify(init)}).then(
      async (response) => ({
        status: response.status,
        type: response.type,
        redirected: response.redirected,
        headers: Object.fromEntries(response.headers),
        text: await response.text(),
      }),
      () => null,
    )`);
  }

  /** Sends a form from a page, and returns the status and the text of the response, which replaces the page. */
  async submit(kind: "port" | "host", action: string): Promise<{ status: number; text: string }> {
    const page = await this.#first.context().newPage();
    try {
      await page.goto(`${this.origin(kind)}/`);
      return await submitForm(page, action);
    } finally {
      await page.close();
    }
  }

  /** Opens a page of the application itself, and sends a form from it. */
  async submitFromApplication(url: string, action: string): Promise<{ status: number; text: string }> {
    const page = await this.#first.context().newPage();
    try {
      await page.goto(url);
      return await submitForm(page, action);
    } finally {
      await page.close();
    }
  }

  async clearCookies(): Promise<void> {
    await this.#first.context().clearCookies();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Replaces the content of the page by a form, and submits the form as a script of the page does. */
async function submitForm(page: Page, action: string): Promise<{ status: number; text: string }> {
  const [response] = await Promise.all([
    page.waitForResponse(action),
    page.evaluate(`{
      const form = document.createElement("form");
      form.method = "post";
      form.action = ${JSON.stringify(action)};
      form.innerHTML = '<input name="amount" value="1000">';
      document.documentElement.append(form);
      form.submit();
    }`),
  ]);
  return { status: response.status(), text: await response.text() };
}

/** Proxy of an application that counts preflight requests and remembers the status of each response. */
export class Recorder implements AsyncDisposable {
  readonly #server = createProxy();
  readonly #sockets = new Set<Socket>();
  /** Requests of each connection, and responses of all. */
  #preflights = 0;
  #statuses: number[] = [];

  static async start(port: number): Promise<Recorder> {
    const recorder = new Recorder();
    recorder.#server.on("connection", (browser) => recorder.#connect(browser, port));
    recorder.#server.listen(0, "127.0.0.1");
    await once(recorder.#server, "listening");
    return recorder;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Returns the records since the last call. */
  take(): { readonly preflights: number; readonly statuses: readonly number[] } {
    const taken = { preflights: this.#preflights, statuses: this.#statuses };
    this.#preflights = 0;
    this.#statuses = [];
    return taken;
  }

  #connect(browser: Socket, port: number): void {
    const server = connect(port, "127.0.0.1");
    for (const socket of [browser, server]) {
      this.#sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => this.#sockets.delete(socket));
    }
    // The browser waits for each response, so a request or the head of a response begins a chunk.
    browser.on("data", (bytes: Buffer) => {
      if (/^OPTIONS .*^access-control-request-method:/ims.test(bytes.toString("latin1"))) this.#preflights++;
    });
    server.on("data", (bytes: Buffer) => {
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(bytes.toString("latin1"))?.[1];
      if (status !== undefined) this.#statuses.push(Number(status));
    });
    browser.pipe(server).pipe(browser);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}
