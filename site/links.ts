import { posix } from "node:path";

/** Link of a page that leads to no file, or to no heading of a file. */
export interface BrokenLink {
  readonly page: string;
  readonly target: string;
}

/** Page of the playground in the repository, and its path on the site. */
const PLAYGROUND = "site/playground/index.html";
const PLAYGROUND_PAGE = "playground/index.html";

/** Address of the public repository, which has the files that are not a part of the site. */
export const REPOSITORY = "https://github.com/kit-framework/kit";

/**
 * Returns the text of a page with the links of the site: links to `README.md` lead to `index.md`, and links to files outside of `docs/`
 * lead to the public repository, but for the page of the playground. Links in code stay.
 *
 * @param page - Path of the page in the repository, such as `docs/guide/routes.md`.
 * @param isDirectory - Returns true for a directory, false for a file, and `undefined` for a path that does not exist.
 * @throws {Error} If a link leads to a path that does not exist.
 */
export function siteLinks(
  page: string,
  text: string,
  isDirectory: (path: string) => boolean | undefined,
): string {
  const written: string[] = [];
  // Lines of one paragraph, because code can begin in one line and end in the next.
  let paragraph: string[] = [];
  const end = (): void => {
    if (paragraph.length === 0) return;
    written.push(linksOf(page, paragraph.join("\n"), isDirectory));
    paragraph = [];
  };
  let inCode = false;
  for (const line of text.split("\n")) {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) inCode = !inCode;
    if (isFence || inCode || line.trim() === "") {
      end();
      written.push(line);
    } else {
      paragraph.push(line);
    }
  }
  end();
  return written.join("\n");
}

function linksOf(page: string, text: string, isDirectory: (path: string) => boolean | undefined): string {
  return text.replaceAll(/(`+)[^`]+\1|\]\(([^)\s]+)\)/g, (match: string, _: string, target?: string) => {
    if (target === undefined) return match;
    const link = siteLink(page, target, isDirectory);
    // The attribute makes the browser load the page, which is not a page of VitePress.
    return link.endsWith(PLAYGROUND_PAGE) ? `](${link}){target="_self"}` : `](${link})`;
  });
}

function siteLink(page: string, target: string, isDirectory: (path: string) => boolean | undefined): string {
  if (target.startsWith("#") || /^[a-z]+:/.test(target)) return target;
  const [path = "", heading] = target.split("#");
  const at = new URL(path, `file:///${page}`).pathname.slice(1);
  const suffix = heading === undefined ? "" : `#${heading}`;
  const kind = isDirectory(at);
  if (kind === undefined) throw new Error(`${page} links to ${target}, which does not exist`);
  // VitePress leaves links with a target as they are, so the link must work below any path.
  if (at === PLAYGROUND) return posix.relative(posix.dirname(page), `docs/${PLAYGROUND_PAGE}`);
  if (!at.startsWith("docs/"))
    return `${REPOSITORY}/${kind ? "tree" : "blob"}/main/${at.replace(/\/$/, "")}${suffix}`;
  if (kind) return `${path.replace(/\/$/, "")}/index.md${suffix}`;
  return pagePath(path) + suffix;
}

/** Returns the path of a page in the site: `README.md` of a directory is its `index.md`. */
export function pagePath(path: string): string {
  return path.replace(/(^|\/)README\.md$/, "$1index.md");
}

/** Returns the id of a heading, as GitHub makes it, so that links of the pages work on both sites. */
export function headingId(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Mark}\p{Number}\p{Connector_Punctuation} -]/gu, "")
    .replaceAll(" ", "-");
}

/** Returns true if a link leads to a part of the site, such as `crates`. Links can be relative to their page. */
export function leadsTo(part: string, { page, target }: BrokenLink, base: string): boolean {
  return new URL(target, `http://site${base}${page}`).pathname.startsWith(`${base}${part}/`);
}

/** Returns the links of built pages that lead nowhere. `files` has the content of each HTML file by its path, and other files as `null`. */
export function brokenLinks(files: ReadonlyMap<string, string | null>, base: string): BrokenLink[] {
  const ids = new Map<string, Set<string>>();
  for (const [path, html] of files) {
    if (html !== null)
      ids.set(path, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => unescaped(id!))));
  }
  const broken: BrokenLink[] = [];
  for (const [page, html] of files) {
    if (html === null) continue;
    for (const [, raw] of html.matchAll(/<(?:a|link|img|script)\s[^>]*?(?:href|src)="([^"]*)"/g)) {
      const target = unescaped(raw!);
      if (/^([a-z]+:|\/\/)/i.test(target)) continue;
      const url = new URL(target, `http://site${base}${page}`);
      if (!url.pathname.startsWith(base)) {
        broken.push({ page, target });
        continue;
      }
      const path = decodeURIComponent(url.pathname.slice(base.length));
      const found = [
        path,
        `${path}.html`,
        path === "" || path.endsWith("/") ? `${path}index.html` : `${path}/index.html`,
      ].find((one) => files.has(one));
      const id = decodeURIComponent(url.hash.slice(1));
      const isMissing = found === undefined || (id !== "" && ids.get(found)?.has(id) === false);
      if (isMissing) broken.push({ page, target });
    }
  }
  return broken;
}

function unescaped(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
