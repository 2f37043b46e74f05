/** Result of a match: the index of a route, -1 for 404 or -2 for 405, with decoded values. */
export interface Found {
  readonly route: number;
  readonly values: readonly string[];
}

/** Router with all routes of a set. */
export type Find = (method: string, path: string) => Found;

/** Creates a router. */
export interface Loader {
  /** True if the router distinguishes 405 from 404. */
  readonly knowsMethods?: boolean;
  /** Does the work before the measurement of loading starts. */
  readonly prepare: (routes: readonly string[], document: unknown) => () => Find;
}
