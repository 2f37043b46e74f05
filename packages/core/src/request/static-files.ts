import { randomBytes } from "node:crypto";

import type { FileSite, ServerExchange } from "@kit/types";

import { evaluatePreconditions } from "../edge/preconditions.ts";
import { type DirectoryRedirect, findFile, type FoundFile } from "../files/find-file.ts";
import { pathInSite } from "../files/file-path.ts";
import { rangesOf } from "../files/range.ts";
import { type FileValidators, holdsIfRange, validatorsOf } from "../files/validators.ts";
import * as phases from "../observe/phases.ts";
import { pathOf } from "../router/path-of.ts";
import { type BodyPart, FileChunks, lengthOfParts } from "./file-chunks.ts";
import { RawResponse } from "./raw-response.ts";
import { methodNotAllowed, notFound, preconditionFailed, rangeNotSatisfiable } from "./refusals.ts";
import type { RequestState } from "./request-state.ts";

/** Maximum number of bytes that are read before the head of the response is sent. A longer body is a stream. */
const wholeBytes = 64 * 1024;
const allow = "GET, HEAD";

/**
 * Serves the files of the option `staticFiles`, for paths that no route matches. No middleware runs. The counterpart for
 * the native server and the Rust server is `crates/kit-static`.
 */
export class StaticFiles {
  readonly sites: readonly FileSite[];

  private constructor(sites: readonly FileSite[]) {
    this.sites = sites;
  }

  /** Creates the files of an application. Returns `null` if it has none. */
  static of(sites: readonly FileSite[]): StaticFiles | null {
    return sites.length === 0 ? null : new StaticFiles(sites);
  }

  /** Returns true if there may be a file at the path of a request. */
  covers({ target }: ServerExchange): boolean {
    const path = pathOf(target);
    return this.sites.some((site) => pathInSite(site, path, false) !== null);
  }

  /** Responds to a request that {@link StaticFiles.covers}. Never throws. */
  async answer(state: RequestState): Promise<void> {
    state.enter(phases.handler);
    state.wait();
    try {
      const { exchange, path } = state;
      const found = await findFile(this.sites, {
        path,
        hadSlash: exchange.hadTrailingSlash === true,
        header: (name) => exchange.header(name),
      });
      await respond(state, found);
    } catch (error) {
      state.fail(error);
    }
  }
}

async function respond(state: RequestState, found: FoundFile | DirectoryRedirect | null): Promise<void> {
  if (found === null) {
    if (!state.isAnswered) state.refuse(notFound());
    return;
  }
  const isRead = state.method === "GET" || state.method === "HEAD";
  if ("location" in found) {
    if (state.isAnswered) return;
    if (isRead) redirect(state, found);
    else refuseMethod(state);
    return;
  }
  // The body closes the file if it is a stream.
  let isOpen = true;
  try {
    // The request may have timed out meanwhile.
    if (state.isAnswered) return;
    if (isRead) isOpen = !(await send(state, found));
    else refuseMethod(state);
  } finally {
    if (isOpen) found.file.close();
  }
}

function refuseMethod(state: RequestState): void {
  state.setHeader("allow", allow);
  state.refuse(methodNotAllowed(state.method, allow));
}

function redirect(state: RequestState, { site, location }: DirectoryRedirect): void {
  const { target } = state.exchange;
  setHeaders(state, site.headers);
  state.setHeader("location", location + target.slice(pathOf(target).length));
  state.respond(301, null);
}

/** Sends a file, or the status 304, 412 or 416. Returns true if the body closes the file. */
async function send(state: RequestState, found: FoundFile): Promise<boolean> {
  const { exchange, method } = state;
  const header = (name: string): string | undefined => exchange.header(name);
  const { size, site } = found;
  const validators = validatorsOf(found);
  const result = evaluatePreconditions(method, header, validators);
  if (result === "failed") {
    state.refuse(preconditionFailed());
    return false;
  }
  const shared = [...site.headers, ...(found.vary === "" ? [] : ["vary", found.vary])];
  if (result === "not-modified") {
    setHeaders(state, [...shared, ...validatorHeaders(validators, true)]);
    state.respond(304, null);
    return false;
  }
  const ranges = rangesFor(method, header, validators, size);
  if (ranges?.length === 0) {
    state.refuse(rangeNotSatisfiable(size));
    return false;
  }
  setHeaders(state, [...shared, ...validatorHeaders(validators, false), "accept-ranges", "bytes"]);
  if (found.coding !== null) state.setHeader("content-encoding", found.coding);
  const status = ranges === null ? 200 : 206;
  const [first] = ranges ?? [];
  let parts: readonly BodyPart[] = size === 0 ? [] : [first ?? { first: 0, last: size - 1 }];
  let { contentType } = found;
  if (first !== undefined && ranges!.length > 1) ({ parts, contentType } = multipart(ranges!, found));
  else if (first !== undefined)
    state.setHeader("content-range", `bytes ${first.first}-${first.last}/${size}`);
  return sendParts(state, found, { status, contentType, parts });
}

/** Returns the ranges of a response, or `null` if the whole file is sent. */
function rangesFor(
  method: string,
  header: (name: string) => string | undefined,
  validators: FileValidators,
  size: number,
): ReturnType<typeof rangesOf> {
  const range = header("range");
  // RFC 9110, 14.2: ranges are defined for GET only.
  if (range === undefined || method !== "GET" || !holdsIfRange(header("if-range"), validators)) return null;
  return rangesOf(range, size);
}

/** Returns the parts and the content type of a body with several ranges (RFC 9110, 14.6). */
function multipart(
  ranges: NonNullable<ReturnType<typeof rangesOf>>,
  { size, contentType }: FoundFile,
): { parts: readonly BodyPart[]; contentType: string } {
  const boundary = randomBytes(16).toString("hex");
  const parts = ranges.flatMap((range): BodyPart[] => {
    const { first, last } = range;
    const head = `\r\n--${boundary}\r\ncontent-type: ${contentType}\r\ncontent-range: bytes ${first}-${last}/${size}\r\n\r\n`;
    return [Buffer.from(head), range];
  });
  return {
    parts: [...parts, Buffer.from(`\r\n--${boundary}--\r\n`)],
    contentType: `multipart/byteranges; boundary=${boundary}`,
  };
}

interface PartsResponse {
  readonly status: number;
  readonly contentType: string;
  readonly parts: readonly BodyPart[];
}

/** Sends a body. Returns true if the body closes the file. */
async function sendParts(
  state: RequestState,
  { file }: FoundFile,
  { status, contentType, parts }: PartsResponse,
): Promise<boolean> {
  const length = lengthOfParts(parts);
  const [only] = parts;
  if (only === undefined) {
    state.respondRaw(status, new RawResponse(new Uint8Array(0), { contentType }));
    return false;
  }
  if (state.method === "GET" && parts.length === 1 && length <= wholeBytes && "first" in only) {
    const body = await file.read(only.first, length);
    // A read that is interrupted returns fewer bytes. The stream below reads the rest, or notices that the file is shorter.
    if (body.length === length) {
      if (!state.isAnswered) state.respondRaw(status, new RawResponse(body, { contentType }));
      return false;
    }
  }
  if (state.isAnswered) return false;
  state.respondRaw(status, new RawResponse(new FileChunks(file, parts), { contentType, length }));
  return true;
}

function setHeaders(state: RequestState, headers: readonly string[]): void {
  for (let index = 0; index < headers.length; index += 2)
    state.setHeader(headers[index]!, headers[index + 1]!);
}

/** Returns the headers with the validators. A 304 response has `last-modified` only if there is no entity tag. */
function validatorHeaders({ tag, lastModified }: FileValidators, isShort: boolean): readonly string[] {
  return [
    ...(tag === null ? [] : ["etag", tag]),
    ...(lastModified === null || (isShort && tag !== null) ? [] : ["last-modified", lastModified]),
  ];
}
