import { createHash } from "node:crypto";

import type { ApiDocs, ApiDocsFile, CompiledApplication, ServerExchange } from "@kit/types";

import * as phases from "../observe/phases.ts";
import { pathOf } from "../router/path-of.ts";
import { jsonType } from "./body-rules.ts";
import type { RequestState } from "./request-state.ts";

/** Path of a resource below the page of the API reference, such as `openapi.json`. Empty for the page itself. */
type Part = string;

const page: Part = "";
/**
 * Path of the OpenAPI document below the page. The page uses its own copy, because `/openapi.json` may be a route of
 * the application, and is not served in production.
 */
const openApi: Part = "openapi.json";
/** Path of the AsyncAPI document below the page, to which the page links. */
const asyncApi: Part = "asyncapi.json";

/**
 * Serves the API reference: a page, the files of its viewer, and the OpenAPI and AsyncAPI documents. The paths of the reference
 * are not routes, so no middleware runs for them. If the application has a route with one of these paths, the
 * reference is not served at all.
 */
export class ApiReference {
  readonly #path: string;
  readonly #docs: ApiDocs;
  readonly #compiled: CompiledApplication;
  readonly #parts: ReadonlySet<Part>;

  private constructor(path: string, docs: ApiDocs, compiled: CompiledApplication) {
    this.#path = path;
    this.#docs = docs;
    this.#compiled = compiled;
    const messages = compiled.asyncapi === undefined ? [] : [asyncApi];
    this.#parts = new Set([page, openApi, ...messages, ...docs.files]);
  }

  /** Creates the reference of an application. Returns `null` if the application has a route at one of its paths. */
  static of(path: string, docs: ApiDocs, compiled: CompiledApplication): ApiReference | null {
    const reference = new ApiReference(path, docs, compiled);
    const isTaken = compiled.routes.some((route) => reference.#partAt(route.path) !== undefined);
    return isTaken ? null : reference;
  }

  /** Returns the name of the requested resource, or `undefined` if the path does not belong to the reference. */
  find({ target }: ServerExchange): Part | undefined {
    return target.startsWith(this.#path) ? this.#partAt(pathOf(target)) : undefined;
  }

  /** Paths of the reference. */
  get paths(): readonly string[] {
    return [...this.#parts].map((part) => (part === page ? this.#path : `${this.#path}/${part}`));
  }

  /** Responds to a GET or HEAD request for a resource that {@link ApiReference.find} returned. Never throws. */
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
    const { openapi, asyncapi } = this.#compiled;
    if (part === openApi) return textFile(jsonType, await openapi());
    if (part === asyncApi) return textFile(jsonType, await asyncapi!());
    if (part !== page) return this.#docs.file(part);
    // If a file of the viewer cannot be read, an error response is more useful than a page that stays empty.
    await Promise.all(this.#docs.files.map((name) => this.#docs.file(name)));
    state.setHeader("content-security-policy", this.#docs.contentSecurityPolicy);
    state.setHeader("referrer-policy", "no-referrer");
    return textFile("text/html; charset=utf-8", this.#page(state.path));
  }

  /** Creates the page. Links are relative, because only the browser knows the path prefix that a proxy adds. */
  #page(path: string): string {
    const isDirectory = path.endsWith("/");
    const files = isDirectory ? "./" : `${path.slice(path.lastIndexOf("/") + 1)}/`;
    const above = path.split("/").length - 2;
    const root = above === 0 ? "./" : "../".repeat(above);
    const messages = this.#parts.has(asyncApi) ? { messages: files + asyncApi } : {};
    return this.#docs.page({ files, document: files + openApi, root, ...messages });
  }
}

function textFile(contentType: string, text: string): ApiDocsFile {
  const body = Buffer.from(text);
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 16);
  return { contentType, hash, body, isGzipped: false };
}

/**
 * Sends a file. The browser caches it and revalidates it each time, so a new version is visible immediately, and
 * unchanged files are not sent again.
 */
async function send(state: RequestState, file: ApiDocsFile): Promise<void> {
  const { exchange } = state;
  const isGzip = file.isGzipped && acceptsGzip(exchange.header("accept-encoding"));
  const tag = `"${file.hash}${isGzip ? "-gzip" : ""}"`;
  state.setHeader("etag", tag);
  state.setHeader("cache-control", "no-cache");
  state.setHeader("x-content-type-options", "nosniff");
  if (file.isGzipped) state.setHeader("vary", "accept-encoding");
  if (hasTag(exchange.header("if-none-match"), tag)) return state.respond(304, null);
  const body = file.isGzipped && !isGzip ? await gunzip(file.body) : file.body;
  state.setHeader("content-type", file.contentType);
  if (isGzip) state.setHeader("content-encoding", "gzip");
  state.respond(200, body);
}

/** Returns true if `accept-encoding` accepts gzip. Without the header, the client may not support gzip. */
export function acceptsGzip(header: string | undefined): boolean {
  const accepted = new Map<string, boolean>();
  for (const item of (header ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
    accepted.set(name, !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter)));
  }
  return accepted.get("gzip") ?? accepted.get("*") ?? false;
}

/** Returns true if `if-none-match` contains the entity tag of the response. */
function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((item) => {
    const wanted = item.trim();
    return wanted === "*" || wanted === tag || wanted === `W/${tag}`;
  });
}

/** Decompresses a file. `node:zlib` is loaded only here, because almost all clients accept gzip. */
async function gunzip(bytes: Uint8Array): Promise<Uint8Array> {
  const zlib = await import("node:zlib");
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  zlib.gunzip(bytes, (error, result) => (error === null ? resolve(result) : reject(error)));
  return promise;
}
