import { defineFixtures } from "@kit/testing";
import { photoOf } from "./photo.ts";

/** A photo of the album, because contracts cannot specify which ids exist. */
export default defineFixtures({
  routes: {
    "DELETE /photos/:id": async (client) => {
      const { body } = await client.request("POST", "/photos", { body: photoOf("Sea") });
      return { params: { id: (body as { id: string }).id } };
    },
  },
});
