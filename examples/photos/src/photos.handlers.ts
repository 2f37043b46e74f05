import { defineHandlers } from "@kit/core";
import { album } from "./album.ts";
import { isPassword, type Owner, sessions } from "./auth.ts";
import type { OwnerRoutes, PhotoRoutes, SessionRoutes } from "./photos.routes.ts";

export const photoHandlers = defineHandlers<PhotoRoutes>({
  "GET /photos": ({ query }) => album.list(query.tag),

  "GET /photos/export": () => album.list().map(({ id, title, tags }) => ({ id, title, tags })),
});

export const sessionHandlers = defineHandlers<SessionRoutes>({
  "POST /session": async ({ body, ctx }) => {
    if (!isPassword(body.password)) ctx.fail(401, "WRONG_PASSWORD", "The password is wrong");
    await sessions.start(ctx, "owner", null);
  },

  "DELETE /session": ({ ctx }) => sessions.end(ctx),
});

export const ownerHandlers = defineHandlers<OwnerRoutes, Owner>({
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

  "DELETE /photos/:id": async ({ params, ctx }) => {
    if (!(await album.remove(params.id))) ctx.fail(404, "PHOTO_NOT_FOUND", "There is no such photo");
  },
});
