import { defineFixtures, type FixtureMaker } from "@kit/testing";

/** Creates a todo, so that a valid request succeeds. */
const todo: FixtureMaker = async (client) => {
  const { body } = await client.request("POST", "/todos", { body: { title: "Buy milk" } });
  return { params: { id: (body as { id: string }).id } };
};

/** Values for the contract tests that the contracts do not contain. Each build generates the tests in `.kit/tests`. */
export default defineFixtures({
  routes: { "GET /todos/:id": todo, "PUT /todos/:id": todo, "DELETE /todos/:id": todo },
});
