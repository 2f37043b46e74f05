import type { CompiledRoute } from "@kit/types";

import type { TestResponse } from "../test-response.ts";
import { type Content, contentOf, contentOfBytes, fileOf, filesOf } from "./contents.ts";
import type { Each } from "./each.ts";
import { expectError, expectRefused } from "./expect.ts";
import { send, type Slots, slotsOf } from "./request.ts";
import type { Running } from "./running.ts";
import type { RouteTable, TestedFile, TestedFormat } from "./tables.ts";

/** Largest body or file, in bytes, that the tests send to reach a limit. Larger ones would take too long to send. */
export const LARGEST_BODY: number = 16 * 1024 * 1024;

/** Reason why the test of a limit of bodies is skipped. */
export const LIMIT_TOO_LARGE = "the limit of the body is too large to send more";

/** Media type that no contract of a test declares. */
const OTHER_TYPE = "application/x-kit-other";

/** Declares tests of a body that is not JSON: its content type, its size, its framing and its files. */
export function formatTests(table: RouteTable, format: TestedFormat, each: Each): void {
  const sent = async (app: Running, content: Content): Promise<TestResponse> =>
    send(app, table, slotsOf(table, {}, []), { content, headers: await app.headers(table.route) });
  const valid = (): Content => contentOf(format, table.request?.body);
  if (!format.types.includes("*/*")) {
    each(`refuses ${OTHER_TYPE}`, async (app) => {
      const answer = await sent(app, contentOfBytes("x", OTHER_TYPE));
      expectError(table, answer, 415, "UNSUPPORTED_MEDIA_TYPE");
    });
  }
  each("refuses a body that is too large", async (app, context) => {
    const limit = app.bodyLimit(table.route);
    if (limit > LARGEST_BODY) return context.skip(LIMIT_TOO_LARGE);
    const { type } = await bytesOf(valid());
    const answer = await sent(app, contentOfBytes(new Uint8Array(limit + 1).fill(0x61), type));
    expectError(table, answer, 413, "PAYLOAD_TOO_LARGE");
  });
  if (format.kind === "lines") {
    each("refuses a line that is not JSON", async (app) => {
      const lines = await bytesOf(valid());
      const answer = await sent(app, contentOfBytes(`${lines.bytes.toString()}{ "cut"\n`, lines.type));
      expectRefused(table, answer, "$[1]", false);
    });
  }
  if (format.kind === "text") {
    each("refuses bytes that are not UTF-8", async (app) => {
      const { type } = valid();
      expectRefused(table, await sent(app, contentOfBytes(new Uint8Array([0xff, 0xfe]), type)), "$", false);
    });
  }
  if (format.kind === "multipart") multipartTests(table, format, each, sent);
}

function multipartTests(
  table: RouteTable,
  format: TestedFormat,
  each: Each,
  sent: (app: Running, content: Content) => Promise<TestResponse>,
): void {
  const fields = table.request?.body;
  const files = format.files ?? [];
  const refuses = (what: string, path: string, content: () => Content | Promise<Content>): unknown =>
    each(`refuses body ${path}: ${what}`, async (app) =>
      expectRefused(table, await sent(app, await content()), path, false),
    );
  refuses("missing", "$", () => ({}));
  refuses("no boundary", "$", () => contentOfBytes("x", "multipart/form-data"));
  refuses("without its last boundary", "$", async () => {
    const { bytes, type } = await bytesOf(contentOf(format, fields));
    return contentOfBytes(bytes.subarray(0, -8), type);
  });
  for (const file of files) {
    const path = /^[a-z_]\w*$/i.test(file.name) ? `$.${file.name}` : `$[${JSON.stringify(file.name)}]`;
    const given = (value: unknown) => () =>
      contentOf(format, { ...filesOf(files), ...(fields as object | undefined), [file.name]: value });
    // The index of a file is part of its path only if the contract has a list of files.
    const first = file.many === true ? `${path}[0]` : path;
    const isNeeded = file.optional === undefined && (file.many === undefined || (file.minItems ?? 0) > 0);
    if (isNeeded) refuses("missing", path, given(undefined));
    refuses("a text instead of a file", first, given("text"));
    if (file.many === undefined) refuses("two files", path, given([fileOf(file), fileOf(file)]));
    const most = file.maxItems ?? Infinity;
    if (most < 100) refuses(`${most + 1} files (maximum ${most})`, path, given(several(file, most + 1)));
    const least = file.minItems ?? 0;
    if (least > 1) refuses(`${least - 1} files (minimum ${least})`, path, given(several(file, least - 1)));
    const { maxBytes = Infinity } = file;
    if (maxBytes < LARGEST_BODY) {
      each(`refuses body ${first}: ${maxBytes + 1} bytes (maximum ${maxBytes})`, async (app, context) => {
        // The limit of the whole body would refuse the request first.
        if (app.bodyLimit(table.route) < maxBytes + 4096)
          return context.skip("the limit of the whole body is less than that of the file");
        const large = new File([new Uint8Array(maxBytes + 1)], "file", { type: fileOf(file).type });
        expectRefused(table, await sent(app, given(listed(file, large))()), first, false);
      });
    }
    if (file.types !== undefined && !file.types.includes("*/*")) {
      const other = new File(["text"], "file", { type: OTHER_TYPE });
      refuses(`a file of the type ${OTHER_TYPE}`, first, given(listed(file, other)));
    }
  }
}

/** Returns a file as the value of a part: in a list with enough files, if the part is a list. */
function listed(file: TestedFile, one: File): File | File[] {
  return file.many === true ? [one, ...several(file, (file.minItems ?? 1) - 1)] : one;
}

function several(file: TestedFile, count: number): File[] {
  return Array.from({ length: Math.max(0, count) }, () => fileOf(file));
}

/** Returns the bytes of a body as `fetch` would send them. */
async function bytesOf({ body, type }: Content): Promise<{ bytes: Buffer; type: string | undefined }> {
  const response = new Response(body ?? null);
  const own = response.headers.get("content-type") ?? undefined;
  return { bytes: Buffer.from(await response.arrayBuffer()), type: type ?? own };
}

/** Returns the body that the handler gets for a valid request, as far as a row of a table can set it. */
export function decodedBody(compiled: CompiledRoute, format: TestedFormat, { body }: Slots): unknown {
  const validator = compiled.bodyFormat?.validator;
  const received = receivedBody(compiled, format, body);
  return format.kind === "lines"
    ? (received as unknown[]).map((line) => validator?.decode(line))
    : validator?.decode(received);
}

/** Returns the value that the validator receives if `body` is sent: the fields, the parts that are no files, or the lines. */
export function receivedBody({ bodyFormat }: CompiledRoute, format: TestedFormat, body: unknown): unknown {
  if (format.kind === "lines") return JSON.parse(JSON.stringify(body)) as unknown;
  const { body: content } = contentOf(format, body);
  if (content instanceof URLSearchParams) return bodyFormat?.form?.(String(content));
  if (!(content instanceof FormData)) return undefined;
  const read = (name: string): string | string[] | undefined => {
    const texts = content.getAll(name).filter((item) => typeof item === "string");
    return texts.length > 1 ? texts : texts[0];
  };
  return bodyFormat?.multipart?.(read);
}
