import { defineFixtures } from "@kit/testing";

let cookie: string | undefined;

/** Session of a member. */
export default defineFixtures({
  setup: async (client) => {
    const { headers } = await client.request("POST", "/session", { body: { name: "Ada" } });
    cookie = headers.getSetCookie()[0]!.split(";")[0];
  },
  headers: (): Record<string, string> => (cookie === undefined ? {} : { cookie }),
});
