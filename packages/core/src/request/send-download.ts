import { OpenDescriptor } from "../files/open-descriptor.ts";
import type { ByteRange } from "../files/range.ts";
import type { DownloadSource } from "./download.ts";
import type { OpenDownload } from "./open-download.ts";
import { RawResponse } from "./raw-response.ts";
import type { RequestState } from "./request-state.ts";
import { contentRange, selectRanges } from "./select-ranges.ts";
import { sendParts } from "./send-parts.ts";

/** Value of `cache-control` without which caches would guess a time from `last-modified` (RFC 9111, 4.2.2). */
const defaultCaching = "private, no-cache";

/** Part of a download that is sent. */
interface Part {
  readonly status: number;
  readonly contentType: string;
  readonly range: ByteRange;
}

/** Sends a download, a range of the download, or the status 304, 412 or 416. Never throws. */
export async function sendDownload(
  state: RequestState,
  download: OpenDownload,
  contentType: string,
): Promise<void> {
  // The response closes the file if the body is a stream.
  let isOpen = true;
  try {
    if (state.chosenStatus !== 0) {
      throw new TypeError(
        `${state.route!.ref} sends a download, whose status is 200 or 206, so ctx.status cannot change the status`,
      );
    }
    const { size, validators, disposition } = download;
    const caching = download.cacheControl ?? state.responseHeaders.get("cache-control") ?? defaultCaching;
    const ranges = selectRanges(state, { size, validators, headers: ["cache-control", caching] });
    if (ranges === undefined) return;
    if (disposition !== null) state.setHeader("content-disposition", disposition);
    // A server may send the whole body in place of several ranges (RFC 9110, 14.2).
    const chosen = ranges?.length === 1 ? ranges[0]! : null;
    if (chosen !== null) state.setHeader("content-range", contentRange(chosen, size));
    const range = chosen ?? { first: 0, last: size - 1 };
    isOpen = !(await sendPart(state, download, { status: chosen === null ? 200 : 206, contentType, range }));
  } catch (error) {
    state.fail(error);
  } finally {
    if (isOpen) download.close();
  }
}

/** Sends a part. Returns true if the response closes the file. */
async function sendPart(
  state: RequestState,
  { body, size }: OpenDownload,
  { status, contentType, range }: Part,
): Promise<boolean> {
  if (body instanceof OpenDescriptor)
    return sendParts(state, body, { status, contentType, parts: size === 0 ? [] : [range] });
  const raw =
    body instanceof Uint8Array
      ? new RawResponse(body.subarray(range.first, range.last + 1), { contentType })
      : await openSource(state, body, range, contentType);
  if (state.isAnswered) raw.cancel(new Error("The response was already sent"));
  else state.respondRaw(status, raw);
  return false;
}

/** Asks a source for the bytes of a range. A response without bytes does not ask. */
async function openSource(
  state: RequestState,
  source: DownloadSource,
  { first, last }: ByteRange,
  contentType: string,
): Promise<RawResponse> {
  const length = last - first + 1;
  if (length === 0) return new RawResponse(new Uint8Array(0), { contentType });
  if (state.method === "HEAD") return new RawResponse(noBytes(), { contentType, length });
  state.wait();
  return new RawResponse(await source.read(first, last, state.signal), { contentType, length });
}

async function* noBytes(): AsyncGenerator<never, void, undefined> {
  // A response to HEAD has no body.
}
