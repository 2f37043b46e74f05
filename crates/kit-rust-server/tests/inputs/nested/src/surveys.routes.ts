import type { Route } from "@kit/types";
import type { NewSurvey, Survey } from "./surveys.types.ts";

export interface SurveyRoutes {
  "POST /surveys": Route<{ body: NewSurvey; response: Survey }>;
}
