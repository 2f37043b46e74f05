/** The phases of a request, by number: those that every request may pass have fixed ones, middleware comes after them. */

export const received = 0;
export const normalize = 1;
export const paramsValidation = 2;
export const queryValidation = 3;
export const bodyValidation = 4;
export const handler = 5;
export const serialization = 6;
export const write = 7;
export const response = 8;
/** Of the first middleware of a chain; the others follow. */
export const firstMiddleware = 9;

const fixed: readonly string[] = [
  "received",
  "server:normalize",
  "validation:params",
  "validation:query",
  "validation:body",
  "handler",
  "serialization",
  "server:write",
  "response",
];

/** Names by phase number of a route with that middleware. */
export function phaseNames(middleware: readonly string[]): readonly string[] {
  return [...fixed, ...middleware.map((name) => `middleware:${name}`)];
}

/** Names of a request that no route took. */
export const namesOutsideRoutes: readonly string[] = phaseNames([]);

/** Whether a phase is the validation of a slot. */
export function isValidation(phase: number): boolean {
  return phase >= paramsValidation && phase <= bodyValidation;
}

/** Phase numbers in the order in which a request passes them, of a chain of that length. */
export function phaseOrder(middleware: number): readonly number[] {
  return [
    received,
    normalize,
    ...Array.from({ length: middleware }, (_, index) => firstMiddleware + index),
    paramsValidation,
    queryValidation,
    bodyValidation,
    handler,
    serialization,
    write,
    response,
  ];
}
