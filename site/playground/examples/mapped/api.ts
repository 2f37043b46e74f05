import type { Route } from "@kit/types";

/** Settings of a user. */
export interface Settings {
  theme: "light" | "dark";
  /** @integer @minimum 8 @maximum 40 */
  fontSize: number;
  newsletter: boolean;
}

export type SettingsUpdate = { [Name in keyof Settings]?: Settings[Name] };

export type Flags = Record<"search" | "export", boolean>;

/** Settings. */
export interface SettingsRoutes {
  /** @summary Changes settings */
  "PATCH /settings": Route<{ body: SettingsUpdate; response: Settings }>;
  /** @summary Reads the features */
  "GET /flags": Route<{ response: Flags }>;
}
