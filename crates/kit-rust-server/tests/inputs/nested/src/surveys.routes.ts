import type { Route } from "@kit/types";
import type { Language, LanguageCode, NewSurvey, Survey, SurveyInLanguages } from "./surveys.types.ts";

export interface SurveyRoutes {
  "POST /languages": Route<{ body: Language; response: Language }>;
  "POST /surveys": Route<{ body: NewSurvey; response: Survey }>;
  "GET /surveys": Route<{ query: { language?: LanguageCode }; response: Survey[] }>;
  "GET /surveys/:id": Route<{ params: Pick<Survey, "id">; response: SurveyInLanguages }>;
  "PATCH /surveys/:id": Route<{
    params: Pick<Survey, "id">;
    body: { title?: string; languages?: LanguageCode[] };
    response: SurveyInLanguages;
  }>;
}
