/** Validation rules of the application in zod, which users of Express and Hono often choose. */
import { z } from "zod";

import { type Field, invalid } from "../../subjects/shared.ts";

/** Input for creating a note. */
export const noteInput = z.object({
  title: z.string().min(1).max(200),
  content: z.string().max(10_000),
  archived: z.boolean().default(false),
});

/** Path parameters of a route whose id is a UUID. */
export const storedNoteParams = z.object({ id: z.guid() });

/** Converts the issues that zod reports to the error format of the application. */
export function refusal(error: z.core.$ZodError, value: unknown): Error {
  const fields = error.issues.map(({ path, message }): Field => ({
    path: ["$", ...path].join("."),
    expected: message,
    value: path.length === 0 ? value : (value as Record<PropertyKey, unknown>)[path[0]!],
  }));
  return invalid(fields);
}
