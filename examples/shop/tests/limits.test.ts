import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { createIntegrationSuite } from "@kit/testing";

process.env["LOGINS_PER_MINUTE"] = "3";
const suite = await createIntegrationSuite({ app: () => import("../src/app.ts") });

test("an address may try three passwords in a minute if the limit is three, also in tests", async () => {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const body = { email: `${randomUUID()}@example.com`, password: "correct horse battery staple" };
    const { status, headers } = await suite.client.request("POST", "/session", { body });
    statuses.push(status);
    if (attempt === 3) assert.match(headers.get("retry-after")!, /^[1-9]\d*$/);
  }
  assert.deepEqual(statuses, [401, 401, 401, 429]);
});
