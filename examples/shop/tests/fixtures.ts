import { randomUUID } from "node:crypto";
import { defineFixtures, type FixtureMaker, type TestClient } from "@kit/testing";
import { newDelivery, productId } from "./deliveries.ts";
import { addProduct, logIn, register } from "./people.ts";

let customer: Record<string, string> = {};
let staff: Record<string, string> = {};
let blocked: Record<string, string> = {};

const product: FixtureMaker = async () => ({ params: { slug: await addProduct() } });

/** Creates a delivery with a product, for the staff. */
async function delivery(
  client: TestClient,
): Promise<{ headers: Record<string, string>; params: { id: string } }> {
  const body = newDelivery([await productId()]);
  const { body: made } = await client.request("POST", "/deliveries", { headers: staff, body });
  return { headers: staff, params: { id: (made as { id: string }).id } };
}

async function fillCart(client: TestClient): Promise<void> {
  await client.request("PUT", `/cart/${await addProduct()}`, { body: { quantity: 2 } });
}

/** Users who are logged in, and values that contracts cannot specify. */
export default defineFixtures({
  setup: async (client) => {
    customer = await logIn(client);
    staff = await logIn(client, "staff");
    blocked = await logIn(client, "blocked");
  },
  headers: () => customer,
  withoutScopes: () => blocked,
  routes: {
    "POST /accounts": () => ({ body: { email: `${randomUUID()}@example.com` } }),
    "POST /session": async (client) => ({ body: await register(client) }),
    "GET /products/:slug": product,
    "PUT /products/:slug/stock": async () => ({ headers: staff, params: { slug: await addProduct() } }),
    "POST /deliveries": async () => ({ headers: staff, body: newDelivery([await productId()]) }),
    "GET /deliveries": () => ({ headers: staff }),
    "GET /deliveries/:id": delivery,
    "PATCH /deliveries/:id": delivery,
    "DELETE /deliveries/:id": delivery,
    "PUT /cart/:slug": product,
    "DELETE /cart/:slug": product,
    "POST /orders": async (client) => {
      await fillCart(client);
      return { headers: { "idempotency-key": randomUUID() } };
    },
    "GET /orders/:id": async (client) => {
      await fillCart(client);
      const headers = { "idempotency-key": randomUUID() };
      const { body } = await client.request("POST", "/orders", { headers });
      return { params: { id: (body as { id: string }).id } };
    },
  },
});
