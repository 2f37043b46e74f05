import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";

import type { FileSite } from "@kit/types";

import { isInside } from "../files/is-inside.ts";
import type { ReadStaticFiles, StaticFilesOptions } from "../files/static-files.ts";
import { requireStaticPath } from "./plain-path.ts";
import { suggestName } from "./suggestion.ts";

const known: Readonly<Record<keyof StaticFilesOptions, true>> = {
  dir: true,
  prefix: true,
  cacheControl: true,
  headers: true,
  precompressed: true,
  spa: true,
  spaExcept: true,
  dotFiles: true,
  followSymlinks: true,
};

/** Headers that depend on the file, so that an option cannot set them. */
const ownHeaders: ReadonlySet<string> = new Set([
  "accept-ranges",
  "connection",
  "date",
  "etag",
  "last-modified",
  "location",
  "set-cookie",
  "transfer-encoding",
  "vary",
]);

/**
 * Reads the option `staticFiles`. The list is empty if the option is off.
 *
 * @throws {TypeError} If the option is invalid. The message names the problem.
 */
export function readStaticFiles(
  given: StaticFilesOptions | readonly StaticFilesOptions[] | undefined,
): readonly ReadStaticFiles[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) return [readOne(given, "staticFiles")];
  return given.map((one: unknown, index) => readOne(one, `staticFiles[${index}]`));
}

function readOne(given: unknown, name: string): ReadStaticFiles {
  if (typeof given !== "object" || given === null) {
    throw new TypeError(`createApp: \`${name}\` must be an object such as { dir: "public" }`);
  }
  for (const member of Object.keys(given)) {
    if (Object.hasOwn(known, member)) continue;
    const near = suggestName(member, Object.keys(known));
    throw new TypeError(`createApp: there is no option \`${name}.${member}\`${near}`);
  }
  const {
    dir,
    prefix = "/",
    cacheControl = "no-cache",
    headers = {},
    spa,
    spaExcept = [],
    ...flags
  } = given as Partial<StaticFilesOptions>;
  if (typeof dir !== "string" || dir === "") {
    throw new TypeError(`createApp: \`${name}.dir\` must be the path of a directory, such as "public"`);
  }
  if (prefix !== "/") requireStaticPath(prefix, `${name}.prefix`, "/assets");
  if (spa !== undefined) requireFileName(spa, `${name}.spa`);
  if (!Array.isArray(spaExcept)) {
    throw new TypeError(`createApp: \`${name}.spaExcept\` must be a list of paths such as ["/api"]`);
  }
  for (const [index, path] of spaExcept.entries()) {
    requireStaticPath(path, `${name}.spaExcept[${index}]`, "/api");
  }
  if (spaExcept.length > 0 && spa === undefined) {
    throw new TypeError(`createApp: \`${name}.spaExcept\` has no effect without \`${name}.spa\``);
  }
  const { precompressed = false, dotFiles = false, followSymlinks = false } = flags;
  for (const [flag, value] of Object.entries({ precompressed, dotFiles, followSymlinks })) {
    if (typeof value === "boolean") continue;
    throw new TypeError(`createApp: \`${name}.${flag}\` must be true or false`);
  }
  requireValue(cacheControl, `${name}.cacheControl`);
  return {
    name,
    dir,
    prefix: prefix === "/" ? "" : prefix,
    headers: ["cache-control", cacheControl, ...readHeaders(headers, `${name}.headers`)],
    precompressed,
    spa: spa ?? null,
    spaExcept,
    dotFiles,
    followSymlinks,
  };
}

function readHeaders(headers: unknown, name: string): readonly string[] {
  if (typeof headers !== "object" || headers === null || Array.isArray(headers)) {
    throw new TypeError(
      `createApp: \`${name}\` must be an object such as { "referrer-policy": "no-referrer" }`,
    );
  }
  return Object.entries(headers).flatMap(([given, value]: [string, unknown]) => {
    const header = given.toLowerCase();
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(header)) {
      throw new TypeError(`createApp: \`${name}\` has ${JSON.stringify(given)}, which is not a header name`);
    }
    const isOwn = ownHeaders.has(header) || /^content-(?:encoding|length|range|type)$/.test(header);
    if (isOwn) throw new TypeError(`createApp: \`${name}\` has ${given}, which kit sets itself`);
    if (header === "cache-control") {
      throw new TypeError(`createApp: \`${name}\` has ${given}; set the option \`cacheControl\` instead`);
    }
    requireValue(value, `${name}.${given}`);
    return [header, value as string];
  });
}

function requireValue(value: unknown, name: string): void {
  if (typeof value === "string" && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return;
  throw new TypeError(`createApp: \`${name}\` must be the value of a header, of printable ASCII characters`);
}

function requireFileName(value: unknown, name: string): void {
  const isFile = typeof value === "string" && value.split("/").every((part) => /^(?!\.)[^\\]+$/.test(part));
  if (!isFile) {
    throw new TypeError(`createApp: \`${name}\` must be the path of a file in \`dir\`, such as "index.html"`);
  }
}

/**
 * Finds the directories of the option `staticFiles`. Relative paths begin at the project's root.
 *
 * @throws {Error} If a directory or a file of `spa` does not exist, or if a directory contains the project. The message
 * names the option and the path.
 */
export function findSites(list: readonly ReadStaticFiles[], projectRoot: string): readonly FileSite[] {
  return list.map(({ name, dir, spa, ...site }) => {
    const path = resolve(projectRoot, dir);
    const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (!isDirectory) {
      throw new Error(
        `createApp: \`${name}.dir\`: there is no directory ${path}. Create it, or correct the path, which begins at the project's root (${projectRoot})`,
      );
    }
    const root = realpathSync(path);
    if (isInside(root, realpathSync(projectRoot))) {
      throw new Error(
        `createApp: \`${name}.dir\`: the directory ${root} contains the project, so its sources would be public. Put the files into a directory of their own, such as "public"`,
      );
    }
    if (spa !== null && statSync(resolve(root, spa), { throwIfNoEntry: false })?.isFile() !== true) {
      throw new Error(`createApp: \`${name}.spa\`: there is no file ${resolve(root, spa)}`);
    }
    return { ...site, root, spa: spa === null ? null : spa.split("/") };
  });
}
