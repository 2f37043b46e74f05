/** What is sent again and again. */
export const scenarioNames = ["get-sync", "get-guarded", "post-guarded", "handler", "not-found"] as const;
