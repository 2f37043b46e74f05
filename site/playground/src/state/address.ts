/** The project in the address of the page: `#example=NAME`, or `#code=` with the compressed files. */
import type { Files } from "../compiler/messages.ts";
import { type Example, examples } from "./examples.ts";
import { defaultManifest, MANIFEST, MAXIMUM_FILES, MAXIMUM_TEXT, ordered, pathProblem } from "./project.ts";

/** Characters that an address contains at most. Many programs that pass on a link cut longer ones. */
export const MAXIMUM_ADDRESS = 30_000;

/** Project that an address names. */
export interface Opened {
  readonly files: Files;
  /** Name of the example, if the address names one. */
  readonly example?: string;
  /** Description of the error, if the address names no project. `files` are those of the first example. */
  readonly problem?: string;
}

/** Returns the project of an address. An empty fragment names the first example. */
export async function open(fragment: string): Promise<Opened> {
  const first = examples[0]!;
  const [kind, value = ""] = fragment.replace(/^#/, "").split("=", 2);
  if (kind === "") return opened(first);
  if (kind === "example") {
    const found = examples.find(({ name }) => name === value);
    if (found !== undefined) return opened(found);
    return { ...opened(first), problem: `There is no example \`${value}\`.` };
  }
  try {
    if (kind !== "code") throw new Error("it does not begin with #code= or #example=");
    return { files: filesOf(await unpack(value)) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const problem = `The link is damaged: ${reason}. Ask its sender for the whole link. Below is an example; the address stays until you change the example.`;
    return { ...opened(first), problem };
  }
}

function opened({ name, files }: Example): Opened {
  return { files, example: name };
}

/** Returns the fragment with which the page shows these files again. `undefined` if it would be too long. */
export async function fragmentOf(files: Files): Promise<string | undefined> {
  const shared = [...files].filter(([path, text]) => path !== MANIFEST || text !== defaultManifest);
  const text = JSON.stringify(Object.fromEntries(shared));
  // Text that repeats itself fits into a short link, which the page would not open.
  if (text.length > MAXIMUM_TEXT) return undefined;
  const fragment = `#code=${await pack(text)}`;
  return fragment.length > MAXIMUM_ADDRESS ? undefined : fragment;
}

/** Returns the files of the text in a fragment. */
function filesOf(text: string): Files {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("it has no files");
  const files = new Map<string, string>();
  for (const [path, content] of Object.entries(value)) {
    const isAllowed = path === MANIFEST || pathProblem(path, files) === undefined;
    if (!isAllowed || typeof content !== "string" || files.size >= MAXIMUM_FILES)
      throw new Error("it has files that a project cannot have");
    files.set(path, content.replaceAll(/\r\n?/g, "\n"));
  }
  return ordered(files);
}

async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpack(value: string): Promise<string> {
  if (value.length > MAXIMUM_ADDRESS) throw new Error("it is too long");
  let binary: string;
  try {
    binary = atob(value.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    throw new Error("it has characters that do not belong there");
  }
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for (;;) {
      const { done, value: chunk } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(chunk, { stream: true });
      // A short link can contain a very long text.
      if (text.length > MAXIMUM_TEXT) break;
    }
  } catch {
    throw new Error("a part of it is missing or was changed");
  }
  await reader.cancel();
  throw new Error("its files are too large");
}
