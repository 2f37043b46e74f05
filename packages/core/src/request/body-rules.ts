/** Content type of JSON bodies. JSON is UTF-8 by definition, so there is no charset. */
export const jsonType = "application/json";

/** Statuses of responses without a body. */
export const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);
