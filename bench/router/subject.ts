/** Result of a router: the index of the route with its decoded parameters, or -1 for 404 and -2 for 405. */
export interface Found {
  readonly route: number;
  readonly values: readonly string[];
}

/** Function that finds the route of a request, in a router that contains all routes of a set. */
export type Find = (method: string, path: string) => Found;

/** Router library, from which a router can be created. */
export interface Loader {
  /** True if the router distinguishes a wrong method (405) from an unknown path (404). */
  readonly knowsMethods?: boolean;
  /** Prepares the input of the router. The function that it returns creates the router; only that is measured as loading. */
  readonly prepare: (routes: readonly string[], document: unknown) => () => Find;
}
