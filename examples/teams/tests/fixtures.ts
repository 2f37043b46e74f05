import { defineFixtures, type FixtureMaker, type TestClient } from "@kit/testing";
import { credentials } from "./token.ts";

/** Creates a resource with the given body, and returns its id. */
async function add(client: TestClient, path: string, body: object): Promise<string> {
  const answer = await client.request("POST", path, { body });
  return (answer.body as { id: string }).id;
}

const addUser = (client: TestClient): Promise<string> =>
  add(client, "/users", { email: `${crypto.randomUUID()}@example.com`, displayName: "Grace Hopper" });
const addTeam = (client: TestClient): Promise<string> => add(client, "/teams", { name: "Compilers" });

const user: FixtureMaker = async (client) => ({ params: { id: await addUser(client) } });
const team: FixtureMaker = async (client) => ({ params: { id: await addTeam(client) } });
const todo: FixtureMaker = async (client) => {
  const userId = await addUser(client);
  return { params: { id: await add(client, "/todos", { title: "Find the moth", userId }) } };
};

/** Callers with and without scopes, and ids of existing resources, because contracts cannot specify which ids exist. */
export default defineFixtures({
  headers: () => credentials(),
  withoutScopes: () => credentials("guest"),
  routes: {
    "GET /users/:id": user,
    "PUT /users/:id": user,
    "DELETE /users/:id": user,
    "POST /todos": async (client) => ({ body: { userId: await addUser(client) } }),
    "GET /todos/:id": todo,
    "PUT /todos/:id": todo,
    "DELETE /todos/:id": todo,
    "GET /teams/:id": team,
    "PUT /teams/:id": team,
    "DELETE /teams/:id": team,
    "POST /teams/:id/members": async (client) => ({
      params: { id: await addTeam(client) },
      body: { userId: await addUser(client) },
    }),
    "DELETE /teams/:id/members/:userId": async (client) => {
      const [id, userId] = [await addTeam(client), await addUser(client)];
      await client.request("POST", `/teams/${id}/members`, { body: { userId } });
      return { params: { id, userId } };
    },
  },
});
