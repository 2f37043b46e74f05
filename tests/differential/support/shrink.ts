import type { Sent } from "./request.ts";

/** Maximum number of requests that are sent in order to reduce one request. */
const MOST = 200;

/**
 * Returns the smallest request found that still shows the difference: without the headers and the parts of the target and body that it does
 * not need.
 */
export async function shrink(sent: Sent, isDifferent: (request: Sent) => Promise<boolean>): Promise<Sent> {
  let least = sent;
  let left = MOST;
  const holds = async (request: Sent): Promise<boolean> => left-- > 0 && (await isDifferent(request));
  // The difference may depend on earlier requests. Then the difference does not occur with this request alone.
  if (!(await holds(sent))) return sent;
  if (sent.raw !== undefined) return sent;
  const keep = async (request: Sent): Promise<boolean> => {
    if (!(await holds(request))) return false;
    least = request;
    return true;
  };
  for (const header of sent.headers) {
    // Without `Host`, the request would fail for another reason.
    if (header[0].toLowerCase() === "host") continue;
    await keep({ ...least, headers: least.headers.filter((other) => other !== header) });
  }
  if (least.chunks !== undefined) {
    const { chunks: _, ...whole } = least;
    await keep(whole);
  }
  if (least.cuts !== undefined) {
    const { cuts: _, ...whole } = least;
    await keep(whole);
  }
  await cut(least.target, (target) =>
    keep({ ...least, target: target.startsWith("/") ? target : `/${target}` }),
  );
  if (least.body !== undefined) {
    await cut(least.body.toString("latin1"), (body) => keep({ ...least, body: Buffer.from(body, "latin1") }));
  }
  return least;
}

/** Removes parts of a text, large parts first, as long as `keep` returns true for the remaining text. */
async function cut(text: string, keep: (text: string) => Promise<boolean>): Promise<void> {
  let rest = text;
  for (let size = Math.ceil(rest.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < rest.length;) {
      const without = rest.slice(0, at) + rest.slice(at + size);
      if (await keep(without)) rest = without;
      else at += size;
    }
  }
}
