/** Tests of the types of downloads, which only the type checker runs. */
import { createClient } from "@kit/client";
import { defineHandlers, download } from "@kit/core";
import type { Download, Route } from "@kit/types";

interface Routes {
  "GET /film": Route<{ response: Download<"video/mp4"> }>;
  "GET /any": Route<{ response: Download }>;
  "GET /note": Route<{ response: { title: string } }>;
}

const others = {
  "GET /film": () => download({ dir: "films", name: "a.mp4" }),
  "GET /any": () => new Uint8Array(1),
  "GET /note": () => ({ title: "a" }),
} as const;
defineHandlers<Routes>(others);
defineHandlers<Routes>({
  ...others,
  "GET /film": async () =>
    download({
      size: 1,
      etag: undefined,
      lastModified: new Date(),
      async *read(first: number, last: number, signal: AbortSignal) {
        signal.throwIfAborted();
        yield new Uint8Array(last - first + 1);
      },
    }),
});
defineHandlers<Routes>({
  ...others,
  // @ts-expect-error an async iterable has no size
  "GET /film": async function* () {
    yield new Uint8Array(1);
  },
});
defineHandlers<Routes>({
  ...others,
  // @ts-expect-error the contract has no Download
  "GET /note": () => download(new Uint8Array(1)),
});
// @ts-expect-error a source has a size
download({ read: async function* () {} });

const api = createClient<Routes>({ baseUrl: "" });
export async function calls(): Promise<void> {
  await api.get("/film", { range: { first: 0 } });
  await api.get("/film", { range: { first: 0, last: 9, tag: '"7"' } });
  await api.get("/film");
  // @ts-expect-error a range has a first position
  await api.get("/film", { range: { last: 9 } });
  // @ts-expect-error a note is no download
  await api.get("/note", { range: { first: 0 } });
}
