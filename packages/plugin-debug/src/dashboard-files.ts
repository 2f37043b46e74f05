import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { extname } from "node:path";

/** Beside the package's code, as it stands in the repository and as it is published. */
const directory = new URL("../dist-dashboard/", import.meta.url);

/** Scripts, styles and questions of this origin alone; nothing may make HTML of a text, and nobody may frame the page. */
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

/** What of a request decides which file it is answered with, and how. */
export interface FileQuestion {
  readonly method: string;
  readonly target: string;
  readonly accept: string;
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
}

/** A file as it is sent. */
export interface FileAnswer {
  readonly status: 200 | 304 | 404 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}

interface StoredFile {
  readonly etag: string;
  readonly plain: Uint8Array;
  /** By the name of the encoding. */
  readonly encoded: ReadonlyMap<string, Uint8Array>;
}

/**
 * Whether a request is for the dashboard's page or a file of it. These are the same for everybody who installs the package and hold nothing of the application, so
 * they are served without a key: the page is what asks for one.
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

/** Browsers name HTML; programs that read JSON mostly take anything. */
function wantsPage(accept: string): boolean {
  return accept.split(",").some((range) => range.split(";", 1)[0]!.trim().toLowerCase() === "text/html");
}

let files: Promise<ReadonlyMap<string, StoredFile>> | undefined;

/** The answer to a request that {@link isForFile}. The files are read when the first one asks, and kept: they are small. */
export async function fileAnswer(question: FileQuestion): Promise<FileAnswer> {
  files ??= readFiles();
  let stored: ReadonlyMap<string, StoredFile>;
  try {
    stored = await files;
  } catch {
    // They may be there the next time.
    files = undefined;
    return plain(
      503,
      "The dashboard is not there: @kit/plugin-debug is installed without its files. Install it anew; in kit's own repository, run `cargo xtask dashboard`.\nWhat can be asked as JSON stands at /?format=json\n",
    );
  }
  const [path = ""] = question.target.split("?", 1);
  const name = path === "/" ? "index.html" : path.slice(1);
  const file = stored.get(name);
  if (file === undefined) return plain(404, "The dashboard has no such file; load its page anew.\n");
  const common = {
    ...commonHeaders,
    etag: file.etag,
    vary: "accept, accept-encoding",
    // The names of all but the page change with what they hold.
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

/** Whether `Accept-Encoding` names an encoding, and not with `q=0`. */
function takes(accepted: string, encoding: string): boolean {
  return accepted.split(",").some((item) => {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** Every file below the directory, by its path there. */
async function readFiles(): Promise<ReadonlyMap<string, StoredFile>> {
  const names = (await readdir(directory, { recursive: true })).map((name) => name.replaceAll("\\", "/"));
  const there = new Set(names);
  const found = new Map<string, StoredFile>();
  for (const name of names) {
    // Others are these, encoded, or directories.
    if (!Object.hasOwn(contentTypes, extname(name))) continue;
    const read = (path: string): Promise<Uint8Array> => readFile(new URL(path, directory));
    const bytes = await read(name);
    const encoded = new Map<string, Uint8Array>();
    for (const [encoding, ending] of [
      ["br", ".br"],
      ["gzip", ".gz"],
    ] as const)
      if (there.has(name + ending)) encoded.set(encoding, await read(name + ending));
    // Weak: the encodings of a file share it.
    const etag = `W/"${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}"`;
    found.set(name, { etag, plain: bytes, encoded });
  }
  if (!found.has("index.html")) throw new Error(`${directory.pathname} has no index.html`);
  return found;
}
