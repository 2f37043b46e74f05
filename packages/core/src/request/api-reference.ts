import { createHash } from "node:crypto";

import type { ApiDocs, ApiDocsFile, CompiledApplication, ServerExchange } from "@kit/types";

import * as phases from "../observe/phases.ts";
import { jsonType, pathOf, type RequestState } from "./request-state.ts";

/** What the API reference consists of, by its path below the page; the page itself is the empty one. */
type Part = string;

const page: Part = "";
/** The page has the document beside itself: `/openapi.json` may be the application's own, and is not there in production. */
const openApi: Part = "openapi.json";

/**
 * The API reference: a page, the files of its viewer, and the OpenAPI document that it shows. They are no routes: no middleware runs
 * for them. A route of the application with the same path goes before all of them.
 */
export class ApiReference {
  readonly #path: string;
  readonly #docs: ApiDocs;
  readonly #readDocument: () => Promise<string>;
  readonly #parts: ReadonlySet<Part>;

  private constructor(path: string, docs: ApiDocs, compiled: CompiledApplication) {
    this.#path = path;
    this.#docs = docs;
    this.#readDocument = compiled.openapi;
    this.#parts = new Set([page, openApi, ...docs.files]);
  }

  /** The reference of an application, unless it serves one of these paths itself. */
  static of(path: string, docs: ApiDocs, compiled: CompiledApplication): ApiReference | null {
    const reference = new ApiReference(path, docs, compiled);
    const isTaken = compiled.routes.some((route) => reference.#partAt(route.path) !== undefined);
    return isTaken ? null : reference;
  }

  /** The part that is asked for, if it is one. */
  find({ target }: ServerExchange): Part | undefined {
    return target.startsWith(this.#path) ? this.#partAt(pathOf(target)) : undefined;
  }

  /** Answers a GET or HEAD of a part that {@link ApiReference.find} gave. Never throws. */
  async answer(state: RequestState, part: Part): Promise<void> {
    state.enter(phases.handler);
    try {
      await send(state, await this.#read(state, part));
    } catch (error) {
      state.fail(error);
    }
  }

  #partAt(path: string): Part | undefined {
    if (!path.startsWith(this.#path)) return undefined;
    const rest = path.slice(this.#path.length);
    if (rest !== "" && !rest.startsWith("/")) return undefined;
    const part = rest.slice(1);
    return this.#parts.has(part) ? part : undefined;
  }

  async #read(state: RequestState, part: Part): Promise<ApiDocsFile> {
    if (part === openApi) return textFile(jsonType, await this.#readDocument());
    if (part !== page) return this.#docs.file(part);
    // An error here says more than a page that stays empty.
    await Promise.all(this.#docs.files.map((name) => this.#docs.file(name)));
    state.setHeader("content-security-policy", this.#docs.contentSecurityPolicy);
    state.setHeader("referrer-policy", "no-referrer");
    return textFile("text/html; charset=utf-8", this.#page(state.path));
  }

  /** Links are relative, since only the browser knows what a proxy has put before the path. */
  #page(path: string): string {
    const isDirectory = path.endsWith("/");
    const files = isDirectory ? "./" : `${path.slice(path.lastIndexOf("/") + 1)}/`;
    const above = path.split("/").length - 2;
    const root = above === 0 ? "./" : "../".repeat(above);
    return this.#docs.page({ files, document: files + openApi, root });
  }
}

function textFile(contentType: string, text: string): ApiDocsFile {
  const body = Buffer.from(text);
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 16);
  return { contentType, hash, body, isGzipped: false };
}

/** The browser keeps everything and asks each time: a new version is seen at once, and what it has is not sent again. */
async function send(state: RequestState, file: ApiDocsFile): Promise<void> {
  const { exchange } = state;
  const isGzip = file.isGzipped && acceptsGzip(exchange.header("accept-encoding"));
  const tag = `"${file.hash}${isGzip ? "-gzip" : ""}"`;
  state.setHeader("etag", tag);
  state.setHeader("cache-control", "no-cache");
  state.setHeader("x-content-type-options", "nosniff");
  if (file.isGzipped) state.setHeader("vary", "accept-encoding");
  if (hasTag(exchange.header("if-none-match"), tag)) return state.answer(304, null);
  const body = file.isGzipped && !isGzip ? await gunzip(file.body) : file.body;
  state.setHeader("content-type", file.contentType);
  if (isGzip) state.setHeader("content-encoding", "gzip");
  state.answer(200, body);
}

/** Whether `accept-encoding` takes gzip; where it is not sent, a client may not know of it. */
export function acceptsGzip(header: string | undefined): boolean {
  const accepted = new Map<string, boolean>();
  for (const item of (header ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
    accepted.set(name, !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter)));
  }
  return accepted.get("gzip") ?? accepted.get("*") ?? false;
}

/** Whether `if-none-match` names what would be sent. */
function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((item) => {
    const wanted = item.trim();
    return wanted === "*" || wanted === tag || wanted === `W/${tag}`;
  });
}

/** Loaded where it is needed: hardly anybody asks without gzip. */
async function gunzip(bytes: Uint8Array): Promise<Uint8Array> {
  const zlib = await import("node:zlib");
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  zlib.gunzip(bytes, (error, result) => (error === null ? resolve(result) : reject(error)));
  return promise;
}
