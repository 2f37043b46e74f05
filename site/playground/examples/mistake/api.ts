import type { Route } from "@kit/types";

/** A measurement, with two mistakes. */
export interface Measurement {
  /** @minimum 10 @maximum 1 */
  value: number;
  /** @format emial */
  author: string;
}

/** Measurements. */
export interface MeasurementRoutes {
  /** @summary Stores a measurement */
  "POST /measurements": Route<{ body: Measurement; response: Measurement }>;
}
