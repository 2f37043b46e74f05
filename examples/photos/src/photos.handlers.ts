import { defineHandlers } from "@kit/core";
import { album } from "./album.ts";
import type { PhotoRoutes } from "./photos.routes.ts";

/** Handlers of the album. */
export const photoHandlers = defineHandlers<PhotoRoutes>({
  "GET /photos": ({ query }) => album.list(query.tag),

  "POST /photos": ({ body }) => {
    const { title, tags = [], photo } = body;
    return album.add({ title, tags }, photo.type, photo);
  },

  "POST /photos/import": async ({ body }) => {
    const imported = { changed: 0, unknown: 0 };
    try {
      for await (const change of body) imported[album.change(change) ? "changed" : "unknown"] += 1;
    } finally {
      // The lines before a broken line stay.
      await album.save();
    }
    return imported;
  },

  "GET /photos/export": () => album.list().map(({ id, title, tags }) => ({ id, title, tags })),

  "DELETE /photos/:id": async ({ params, ctx }) => {
    if (!(await album.remove(params.id))) ctx.fail(404, "PHOTO_NOT_FOUND", "There is no such photo");
  },
});
