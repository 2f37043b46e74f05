import { defineFixtures, type FixtureMaker } from "@kit/testing";
import { developmentToken } from "./token.ts";

/** A todo that is there, so that a valid request must succeed. */
const todo: FixtureMaker = async (client) => {
  const { body } = await client.request("POST", "/todos", { body: { title: "Buy milk" } });
  return { params: { id: (body as { id: string }).id } };
};

/** What the contract tests need besides the contracts; the tests themselves are in `.kit/tests`, made anew by each build. */
export default defineFixtures({
  // `requireAuth` lets these requests pass.
  headers: async () => ({ authorization: `Bearer ${await developmentToken("tester")}` }),
  routes: { "GET /todos/:id": todo, "PUT /todos/:id": todo, "DELETE /todos/:id": todo },
});
