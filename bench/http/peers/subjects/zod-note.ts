/** The rules of the application in zod, which users of Express and Hono reach for. */
import { z } from "zod";

import { type Field, invalid } from "../../subjects/shared.ts";

/** What a client sends to make a note. */
export const noteInput = z.object({
  title: z.string().min(1).max(200),
  content: z.string().max(10_000),
  archived: z.boolean().default(false),
});

/** A path parameter that is a UUID. */
export const storedNoteParams = z.object({ id: z.guid() });

/** What zod found, as the application tells it. */
export function refusal(error: z.core.$ZodError, value: unknown): Error {
  const fields = error.issues.map(({ path, message }): Field => ({
    path: ["$", ...path].join("."),
    expected: message,
    value: path.length === 0 ? value : (value as Record<PropertyKey, unknown>)[path[0]!],
  }));
  return invalid(fields);
}
