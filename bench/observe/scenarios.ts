/** Names of the requests that are sent repeatedly. */
export const scenarioNames = ["get-sync", "get-guarded", "post-guarded", "handler", "not-found"] as const;
