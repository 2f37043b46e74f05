import { randomUUID } from "node:crypto";
import type { TestClient } from "@kit/testing";
import type { Role } from "../src/accounts.types.ts";

// Tests send many requests from one address. The application reads the variables later, when a test imports it.
process.env["LOGINS_PER_MINUTE"] ??= "100000";
process.env["WRITES_PER_MINUTE"] ??= "100000";

const password = "correct horse battery staple";

/** Creates an account with a role and logs in. Returns the headers of its requests. */
export async function logIn(client: TestClient, role: Role = "customer"): Promise<Record<string, string>> {
  const email = `${randomUUID()}@example.com`;
  const anonymous = { defaultHeaders: false };
  await client.request("POST", "/accounts", { ...anonymous, body: { name: "Ada", email, password } });
  // No route changes a role. The module connects to the database of the tests, which is set by now.
  const { pool } = await import("../src/database.ts");
  await pool.query("UPDATE accounts SET role = $1 WHERE email = $2", [role, email]);
  const { headers } = await client.request("POST", "/session", { ...anonymous, body: { email, password } });
  return { cookie: cookieOf(headers) };
}

/** Creates an account whose owner is not logged in. */
export async function register(client: TestClient): Promise<{ email: string; password: string }> {
  const email = `${randomUUID()}@example.com`;
  await client.request("POST", "/accounts", {
    defaultHeaders: false,
    body: { name: "Ada", email, password },
  });
  return { email, password };
}

/** Returns the cookie of a response, as a browser sends it. */
export function cookieOf(headers: Headers): string {
  return headers.getSetCookie()[0]!.split(";")[0]!;
}

/** Adds a product and returns its slug. */
export async function addProduct(stock = 10): Promise<string> {
  const slug = randomUUID();
  const { pool } = await import("../src/database.ts");
  await pool.query(
    "INSERT INTO products (slug, name, description, price, stock) VALUES ($1, 'Chair', '', 4500, $2)",
    [slug, stock],
  );
  return slug;
}
