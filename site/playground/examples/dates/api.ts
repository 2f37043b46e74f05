import type { Route } from "@kit/types";

/** A stay in a hotel. */
export interface Stay {
  from: Date;
  to: Date;
  /** Price in cents. */
  price: bigint;
  guests: Record<string, number>;
}

/** Stays. */
export interface StayRoutes {
  /** @summary Books a stay */
  "PUT /stays/:room": Route<{ params: { room: string }; body: Stay; response: Stay }>;
}
