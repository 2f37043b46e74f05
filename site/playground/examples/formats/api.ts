import type { Route } from "@kit/types";

/** A profile with checked texts. */
export interface Profile {
  /** @format email */
  email: string;
  /** @format uri */
  website?: string;
  /** @format ipv4 */
  address: string;
  /** @sensitive @minLength 12 */
  password: string;
  /** @uniqueItems @maxItems 5 */
  languages: string[];
}

/** Profiles. */
export interface ProfileRoutes {
  /** @summary Creates a profile */
  "POST /profiles": Route<{ body: Profile; response: Omit<Profile, "password"> }>;
}
