import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { extname } from "node:path";

/**
 * Directory of the built dashboard. The directory has the same place relative to this module in the repository and in the published
 * package.
 */
const directory = new URL("../dist-dashboard/", import.meta.url);

/**
 * Content security policy: allows only scripts, styles and requests of the page's own origin. Forbids frames and HTML from strings (Trusted
 * Types).
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".md": "text/markdown; charset=utf-8",
};

/** Parts of a request that decide which file is sent, and in which encoding. */
export interface FileQuestion {
  readonly method: string;
  readonly target: string;
  readonly accept: string;
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
}

/** Response that contains a file. */
export interface FileAnswer {
  readonly status: 200 | 304 | 404 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}

interface StoredFile {
  readonly etag: string;
  readonly plain: Uint8Array;
  /** Compressed content by name of the encoding, such as `br`. */
  readonly encoded: ReadonlyMap<string, Uint8Array>;
}

/**
 * Returns true if a request is for the dashboard's page or one of its files. These requests need no key,
 * because the files contain no data of the application and are the same everywhere. The page itself asks the
 * user for the key.
 */
export function isForFile({
  method,
  target,
  accept,
}: Omit<FileQuestion, "acceptEncoding" | "ifNoneMatch">): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  const [path = "", query = ""] = target.split("?", 2);
  if (path.startsWith("/assets/")) return true;
  return path === "/" && wantsPage(accept) && new URLSearchParams(query).get("format") !== "json";
}

/** Returns true if `Accept` names HTML, as it does in requests of browsers. Programs that read JSON usually accept any type. */
function wantsPage(accept: string): boolean {
  return accept.split(",").some((range) => range.split(";", 1)[0]!.trim().toLowerCase() === "text/html");
}

let files: Promise<ReadonlyMap<string, StoredFile>> | undefined;

/** Returns the response to a request for which {@link isForFile} is true. The files are small, so they are read once and stay in memory. */
export async function fileAnswer(question: FileQuestion): Promise<FileAnswer> {
  files ??= readFiles();
  let stored: ReadonlyMap<string, StoredFile>;
  try {
    stored = await files;
  } catch {
    // Forgets a failed read, because the files may exist the next time.
    files = undefined;
    return plain(
      503,
      "The files of the dashboard are missing in @kit/plugin-debug. Reinstall the package; in kit's own repository, run `cargo xtask dashboard`.\nThe paths with JSON are listed at /?format=json\n",
    );
  }
  const [path = ""] = question.target.split("?", 1);
  const name = path === "/" ? "index.html" : path.slice(1);
  const file = stored.get(name);
  if (file === undefined) return plain(404, "The dashboard does not have this file; reload the page.\n");
  const common = {
    ...commonHeaders,
    etag: file.etag,
    vary: "accept, accept-encoding",
    // The names of all files except the page contain a hash of their content, so their content never changes.
    "cache-control": path === "/" ? "no-cache" : "public, max-age=31536000, immutable",
  };
  if (question.ifNoneMatch.split(",").some((tag) => tag.trim() === file.etag))
    return { status: 304, headers: common, body: "" };
  const encoding = [...file.encoded.keys()].find((candidate) => takes(question.acceptEncoding, candidate));
  return {
    status: 200,
    headers: {
      ...common,
      "content-type": contentTypes[extname(name)] ?? "application/octet-stream",
      ...(encoding !== undefined && { "content-encoding": encoding }),
    },
    body: encoding === undefined ? file.plain : file.encoded.get(encoding)!,
  };
}

const commonHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

function plain(status: 404 | 503, text: string): FileAnswer {
  const headers = {
    ...commonHeaders,
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
  };
  return { status, headers, body: text };
}

/** Returns true if `Accept-Encoding` names an encoding and does not exclude it with `q=0`. */
function takes(accepted: string, encoding: string): boolean {
  return accepted.split(",").some((item) => {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** Reads every file below the directory. Returns the files by relative path. */
async function readFiles(): Promise<ReadonlyMap<string, StoredFile>> {
  const names = (await readdir(directory, { recursive: true })).map((name) => name.replaceAll("\\", "/"));
  const there = new Set(names);
  const found = new Map<string, StoredFile>();
  for (const name of names) {
    // Other entries are directories, or compressed copies of a file.
    if (!Object.hasOwn(contentTypes, extname(name))) continue;
    const read = (path: string): Promise<Uint8Array> => readFile(new URL(path, directory));
    const bytes = await read(name);
    const encoded = new Map<string, Uint8Array>();
    for (const [encoding, ending] of [
      ["br", ".br"],
      ["gzip", ".gz"],
    ] as const)
      if (there.has(name + ending)) encoded.set(encoding, await read(name + ending));
    // The ETag is weak, because all encodings of a file share it.
    const etag = `W/"${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}"`;
    found.set(name, { etag, plain: bytes, encoded });
  }
  if (!found.has("index.html")) throw new Error(`${directory.pathname} has no index.html`);
  return found;
}
