/**
 * Phases of a request as numbers. Phases that every request may have are constants, and middleware has the numbers
 * after them.
 */

export const received = 0;
export const normalize = 1;
export const paramsValidation = 2;
export const queryValidation = 3;
/** Phase of routes whose contract declares headers. */
export const headersValidation = 4;
/** Phase of routes whose contract declares cookies. */
export const cookiesValidation = 5;
export const bodyValidation = 6;
export const handler = 7;
export const serialization = 8;
export const write = 9;
export const response = 10;
/** Number of the first middleware of a chain. The other middleware has the following numbers. */
export const firstMiddleware = 11;

const fixed: readonly string[] = [
  "received",
  "server:normalize",
  "validation:params",
  "validation:query",
  "validation:headers",
  "validation:cookies",
  "validation:body",
  "handler",
  "serialization",
  "server:write",
  "response",
];

/** Returns the phase names of a route by phase number. `middleware` contains the names of the route's middleware. */
export function phaseNames(middleware: readonly string[]): readonly string[] {
  return [...fixed, ...middleware.map((name) => `middleware:${name}`)];
}

/** Names of the phases of a request without a route. */
export const namesOutsideRoutes: readonly string[] = phaseNames([]);

/** Returns true if a phase validates a slot of the request. */
export function isValidation(phase: number): boolean {
  return phase >= paramsValidation && phase <= bodyValidation;
}

/** Returns phase numbers in the order in which a request passes them. `middleware` is the length of the chain. */
export function phaseOrder(middleware: number): readonly number[] {
  return [
    received,
    normalize,
    ...Array.from({ length: middleware }, (_, index) => firstMiddleware + index),
    paramsValidation,
    queryValidation,
    headersValidation,
    cookiesValidation,
    bodyValidation,
    handler,
    serialization,
    write,
    response,
  ];
}
