// Sends requests to the playground that fail.

import assert from "node:assert/strict";
import type { Api } from "../e2e/support/api.ts";
import { errorOf, type Json } from "./read.ts";
import { playgroundApp, playgroundInProduction } from "./projects.ts";

/** Returns a client of the playground in development. */
export const development = async (): Promise<Api> => (await playgroundApp()).with({});

/** Returns a client of the playground in production. */
export const production = async (): Promise<Api> => (await playgroundInProduction()).with({});

/** Sends a GET request that must fail with this status. Returns the error. */
export async function failing(api: Api, path: string, status: number): Promise<Json> {
  const answer = await api.get(path);
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual(Object.keys(answer.body as object), ["error"]);
  return errorOf(answer.body);
}

/** Sends an invalid body. Returns the status of the response and the invalid fields. */
export async function invalid(
  api: Api,
  body: object,
): Promise<{ status: number; error: Json; fields: readonly Json[] }> {
  const answer = await api.post("/things", body);
  const error = errorOf(answer.body);
  const { fields } = error["details"] as { fields: Json[] };
  return { status: answer.status, error, fields };
}
