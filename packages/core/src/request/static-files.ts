import { randomBytes } from "node:crypto";

import type { FileSite, ServerExchange } from "@kit/types";

import { type DirectoryRedirect, findFile, type FoundFile } from "../files/find-file.ts";
import { pathInSite } from "../files/file-path.ts";
import type { ByteRange } from "../files/range.ts";
import { validatorsOf } from "../files/validators.ts";
import * as phases from "../observe/phases.ts";
import { pathOf } from "../router/path-of.ts";
import type { BodyPart } from "./file-chunks.ts";
import { methodNotAllowed, notFound } from "./refusals.ts";
import type { RequestState } from "./request-state.ts";
import { contentRange, selectRanges, setHeaders } from "./select-ranges.ts";
import { sendParts } from "./send-parts.ts";

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
  const { size, site, vary, coding } = found;
  const headers = [...site.headers, ...(vary === "" ? [] : ["vary", vary])];
  const ranges = selectRanges(state, { size, validators: validatorsOf(found), headers });
  if (ranges === undefined) return false;
  if (coding !== null) state.setHeader("content-encoding", coding);
  const status = ranges === null ? 200 : 206;
  const [first] = ranges ?? [];
  let parts: readonly BodyPart[] = size === 0 ? [] : [first ?? { first: 0, last: size - 1 }];
  let { contentType } = found;
  if (first !== undefined && ranges!.length > 1) ({ parts, contentType } = multipart(ranges!, found));
  else if (first !== undefined) state.setHeader("content-range", contentRange(first, size));
  return sendParts(state, found.file, { status, contentType, parts });
}

/** Returns the parts and the content type of a body with several ranges (RFC 9110, 14.6). */
function multipart(
  ranges: readonly ByteRange[],
  { size, contentType }: FoundFile,
): { parts: readonly BodyPart[]; contentType: string } {
  const boundary = randomBytes(16).toString("hex");
  const parts = ranges.flatMap((range): BodyPart[] => {
    const head = `\r\n--${boundary}\r\ncontent-type: ${contentType}\r\ncontent-range: ${contentRange(range, size)}\r\n\r\n`;
    return [Buffer.from(head), range];
  });
  return {
    parts: [...parts, Buffer.from(`\r\n--${boundary}--\r\n`)],
    contentType: `multipart/byteranges; boundary=${boundary}`,
  };
}
