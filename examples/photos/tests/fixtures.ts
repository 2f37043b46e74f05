import { defineFixtures } from "@kit/testing";
import { photoOf } from "./photo.ts";

let cookie = "";

/** The session of the owner, and a photo of the album, because contracts cannot specify which ids exist. */
export default defineFixtures({
  setup: async (client) => {
    const { password } = await import("../src/auth.ts");
    const { headers } = await client.request("POST", "/session", { body: { password } });
    cookie = headers.getSetCookie()[0]!.split(";")[0]!;
  },
  headers: (): Record<string, string> => (cookie === "" ? {} : { cookie }),
  routes: {
    "POST /session": async () => {
      const { password } = await import("../src/auth.ts");
      return { body: { password } };
    },
    "DELETE /photos/:id": async (client) => {
      const { body } = await client.request("POST", "/photos", { body: photoOf("Sea") });
      return { params: { id: (body as { id: string }).id } };
    },
  },
});
