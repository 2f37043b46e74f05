import { defineFixtures, type FixtureMaker, type TestClient } from "@kit/testing";

const password = "correct horse battery staple";

/** Creates an account and returns its name, its address and its token. */
async function register(client: TestClient): Promise<{ username: string; email: string; token: string }> {
  const username = crypto.randomUUID();
  const body = { user: { username, email: `${username}@example.com`, password } };
  const answer = await client.request("POST", "/api/users", { body });
  return (answer.body as { user: { username: string; email: string; token: string } }).user;
}

async function addArticle(client: TestClient): Promise<string> {
  const article = { title: "How to train your dragon", description: "Ever wonder how?", body: "With food." };
  const answer = await client.request("POST", "/api/articles", { body: { article } });
  return (answer.body as { article: { slug: string } }).article.slug;
}

let token: string | undefined;

const newUser: FixtureMaker = () => {
  const username = crypto.randomUUID();
  return { body: { user: { username, email: `${username}@example.com`, password } } };
};
const profile: FixtureMaker = async (client) => ({ params: { username: (await register(client)).username } });
const article: FixtureMaker = async (client) => ({ params: { slug: await addArticle(client) } });
const login: FixtureMaker = async (client) => ({
  body: { user: { email: (await register(client)).email, password } },
});

/** The user who is logged in, and values that contracts cannot specify. */
export default defineFixtures({
  setup: async (client) => {
    ({ token } = await register(client));
  },
  headers: (): Record<string, string> => (token === undefined ? {} : { authorization: `Bearer ${token}` }),
  routes: {
    "POST /api/users": newUser,
    "POST /api/users/login": login,
    "PUT /api/user": newUser,
    "GET /api/profiles/:username": profile,
    "POST /api/profiles/:username/follow": profile,
    "DELETE /api/profiles/:username/follow": profile,
    "GET /api/articles/:slug": article,
    "PUT /api/articles/:slug": article,
    "DELETE /api/articles/:slug": article,
    "GET /api/articles/:slug/comments": article,
    "POST /api/articles/:slug/comments": article,
    "POST /api/articles/:slug/favorite": article,
    "DELETE /api/articles/:slug/favorite": article,
    "DELETE /api/articles/:slug/comments/:id": async (client) => {
      const slug = await addArticle(client);
      const comment = { body: "Thank you!" };
      const answer = await client.request("POST", `/api/articles/${slug}/comments`, { body: { comment } });
      return { params: { slug, id: String((answer.body as { comment: { id: number } }).comment.id) } };
    },
  },
});
