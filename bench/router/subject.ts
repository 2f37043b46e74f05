/** What was found: the index of a route, -1 for 404, -2 for 405; and decoded values. */
export interface Found {
  readonly route: number;
  readonly values: readonly string[];
}

/** A router with all routes. */
export type Find = (method: string, path: string) => Found;

/** How a router is made. */
export interface Loader {
  /** Whether it tells 405 from 404. */
  readonly knowsMethods?: boolean;
  /** What is done before loading is measured. */
  readonly prepare: (routes: readonly string[], document: unknown) => () => Find;
}
