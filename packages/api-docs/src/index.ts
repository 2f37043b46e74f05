/**
 * The API reference page: a viewer of the OpenAPI document that loads nothing from other hosts. `@kit/core` serves the
 * page. Programs need not import this module.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

import type { ApiDocs, ApiDocsFile, ApiDocsLinks } from "@kit/types";

const directory = new URL("../viewer/", import.meta.url);

/** Stored files by the name under which they are served. */
const stored: Readonly<Record<string, string>> = {
  "viewer.js": "standalone.js.gz",
  "start.js": "start.js",
};

/** Allows scripts and requests of this origin only. Inline styles are allowed, because the viewer creates them. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const read = new Map<string, Promise<ApiDocsFile>>();

/** Page and files that the runtime serves. */
export const apiDocs: ApiDocs = {
  version: 1,
  contentSecurityPolicy,
  files: Object.keys(stored),
  page,
  file(name) {
    const known = read.get(name);
    if (known !== undefined) return known;
    const reading = readStored(name);
    read.set(name, reading);
    // A failed read is not cached, because the file may exist the next time.
    reading.catch(() => read.delete(name));
    return reading;
  },
};

function page({ files, document, root, messages }: ApiDocsLinks): string {
  const note =
    messages === undefined
      ? ""
      : `
    <p style="margin: 8px 16px; font: 14px system-ui, sans-serif; color: CanvasText">WebSockets and events are described in the <a href="${attribute(messages)}" style="color: LinkText">AsyncAPI document</a>.</p>`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>API reference</title>
    <link rel="icon" href="data:,">
  </head>
  <body>${note}
    <noscript>The API reference needs JavaScript. The API is described in the <a href="${attribute(document)}">OpenAPI document</a> too.</noscript>
    <div id="reference" data-document="${attribute(document)}" data-root="${attribute(root)}"></div>
    <script src="${attribute(files)}viewer.js"></script>
    <script src="${attribute(files)}start.js"></script>
  </body>
</html>
`;
}

async function readStored(name: string): Promise<ApiDocsFile> {
  const file = Object.hasOwn(stored, name) ? stored[name] : undefined;
  if (file === undefined) throw new RangeError(`The API reference has no file ${JSON.stringify(name)}`);
  let body: Uint8Array;
  try {
    body = await readFile(new URL(file, directory));
  } catch (cause) {
    throw new Error(
      `The API reference lacks its file ${file}. Reinstall @kit/api-docs; in kit's own repository, run \`cargo xtask viewer\``,
      { cause },
    );
  }
  return {
    contentType: "text/javascript; charset=utf-8",
    hash: createHash("sha256").update(body).digest("hex").slice(0, 16),
    body,
    isGzipped: file.endsWith(".gz"),
  };
}

function attribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
