import { defineFixtures, type FixtureMaker } from "@kit/testing";

/** Creates a note, because contracts cannot specify which ids exist. */
const note: FixtureMaker = async (client) => {
  const { body } = await client.request("POST", "/notes", { body: { title: "Groceries", content: "Milk" } });
  return { params: { id: (body as { id: string }).id } };
};

export default defineFixtures({
  routes: { "GET /notes/:id": note, "PUT /notes/:id": note, "DELETE /notes/:id": note },
});
