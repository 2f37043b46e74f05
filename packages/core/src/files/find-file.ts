import type { FileSite } from "@kit/types";

import { chooseCoding } from "../edge/accept-encoding.ts";
import { acceptsHtml } from "./accepts-html.ts";
import { pathInSite } from "./file-path.ts";
import { contentTypeOf } from "./media-types.ts";
import { openFile, type OpenFile } from "./open-file.ts";

/** Parts of a request from which its file is found. */
export interface FileRequest {
  /** Path in its normal form. */
  readonly path: string;
  /** True if the client sent a slash at the end that `path` does not have. */
  readonly hadSlash: boolean;
  /** Returns a request header by its lower-case name. */
  header(name: string): string | undefined;
}

/** File for a request. The caller must close it. */
export interface FoundFile extends OpenFile {
  readonly site: FileSite;
  readonly contentType: string;
  /** Coding of the file. `null` if the file is not compressed. */
  readonly coding: Coding | null;
  /** Value of the header `vary`. Empty if the choice of the file does not depend on headers. */
  readonly vary: string;
}

/** Path of a directory without a slash at its end. The client must use another path, so that relative links work. */
export interface DirectoryRedirect {
  readonly site: FileSite;
  /** Value of the header `location`, without the query. */
  readonly location: string;
}

/** Coding of a compressed file (RFC 9110, 8.4.1), the preferred one first. */
type Coding = "br" | "zstd" | "gzip";

const codings: readonly Coding[] = ["br", "zstd", "gzip"];
const endings: Readonly<Record<Coding, string>> = { br: ".br", zstd: ".zst", gzip: ".gz" };
const index = "index.html";

/**
 * Finds the file for a request in the first site that has one. Returns `null` if there is none.
 *
 * @throws Errors of {@link openFile}.
 */
export async function findFile(
  sites: readonly FileSite[],
  request: FileRequest,
): Promise<FoundFile | DirectoryRedirect | null> {
  for (const site of sites) {
    const path = pathInSite(site, request.path, request.hadSlash);
    if (path === null) continue;
    const { names, isDirectory } = path;
    const opened = await openFile(site, isDirectory ? [...names, index] : names);
    if (opened === "directory") {
      if (isDirectory || !(await hasIndex(site, names))) continue;
      return { site, location: `./${request.path.slice(request.path.lastIndexOf("/") + 1)}/` };
    }
    if (opened !== null) return chooseVariant(site, isDirectory ? [...names, index] : names, opened, request);
  }
  return findPage(sites, request);
}

/** Returns true if a directory has an index. */
async function hasIndex(site: FileSite, names: readonly string[]): Promise<boolean> {
  const opened = await openFile(site, [...names, index]);
  if (opened === null || opened === "directory") return false;
  opened.file.close();
  return true;
}

/** Finds the page of the option `spa` for a path without a file. */
async function findPage(sites: readonly FileSite[], request: FileRequest): Promise<FoundFile | null> {
  if (!acceptsHtml(request.header("accept"))) return null;
  for (const site of sites) {
    if (site.spa === null || pathInSite(site, request.path, request.hadSlash) === null) continue;
    if (site.spaExcept.some((path) => request.path === path || request.path.startsWith(`${path}/`))) continue;
    const opened = await openFile(site, site.spa);
    if (opened === null || opened === "directory") continue;
    const found = await chooseVariant(site, site.spa, opened, request);
    return { ...found, vary: found.vary === "" ? "accept" : `accept, ${found.vary}` };
  }
  return null;
}

/** Replaces a file by its compressed variant if the client accepts the variant's coding. */
async function chooseVariant(
  site: FileSite,
  names: readonly string[],
  plain: OpenFile,
  request: FileRequest,
): Promise<FoundFile> {
  const name = names.at(-1)!;
  const found = { site, contentType: contentTypeOf(name), vary: site.precompressed ? "accept-encoding" : "" };
  let left = site.precompressed ? codings : [];
  try {
    for (;;) {
      const { coding } = chooseCoding(request.header("accept-encoding"), left);
      if (coding === null) return { ...found, ...plain, coding: null };
      const opened = await openFile(site, [...names.slice(0, -1), name + endings[coding]]);
      if (opened !== null && opened !== "directory") {
        plain.file.close();
        return { ...found, ...opened, coding };
      }
      left = left.filter((other) => other !== coding);
    }
  } catch (error) {
    plain.file.close();
    throw error;
  }
}
