/** Language of a survey. */
export type LanguageCode = "de" | "en";

/** @table surveys @owner none */
export interface Survey {
  /** @id @generated @integer */
  id: number;
  /** @maxLength 100 */
  title: string;
}

/** @table languages @owner none */
export interface Language {
  /** @id */
  code: LanguageCode;
  /** @maxLength 60 */
  name: string;
}

/** @table samples @owner none */
export interface Sample {
  /** @id */
  serial: bigint;
}

/** A survey has many samples, and a sample many surveys. @table survey_samples @owner none */
export interface SurveySample {
  /** @id @integer @references Survey.id cascade */
  surveyId: number;
  /** @id @references Sample.serial */
  sample: bigint;
}

/** A survey has many languages, and a language many surveys. @table survey_languages @owner none */
export interface SurveyLanguage {
  /** @id @integer @references Survey.id cascade */
  surveyId: number;
  /** @id @references Language.code */
  language: LanguageCode;
}

/** @table slots @owner none */
export interface Slot {
  /** @id */
  begin: Date;
}

/** Visit of a survey. @table visits @owner none */
export interface Visit {
  /** @id @integer @references Survey.id cascade */
  surveyId: number;
  /** @id @references Slot.begin */
  begin: Date;
  /** @maxLength 200 */
  note: string | null;
}

/** Question of a survey, which may belong to another question. @table questions @owner none */
export interface Question {
  /** @id @maxLength 60 */
  id: string;
  /** @integer @references Survey.id cascade */
  surveyId: number;
  /** @references Question.id cascade */
  parentId?: string;
  /** @references Language.code */
  language: LanguageCode;
}

/** Picture of a survey, in a room that may be unknown. @table pictures @owner none */
export interface Picture {
  /** @id @integer @references Survey.id cascade */
  surveyId: number;
  /** @id @integer @minimum 1 @maximum 1000 */
  line: number;
  /** @integer @references Room.number */
  room?: number;
}

/** @table rooms @owner none */
export interface Room {
  /** @id @integer */
  number: number;
}

/** Values of a new survey. */
export type NewSurvey = Omit<Survey, "id"> & {
  samples: bigint[];
  languages: LanguageCode[];
  visits: Omit<Visit, "surveyId">[];
  questions: Omit<Question, "surveyId">[];
  pictures: Omit<Picture, "surveyId">[];
};

/** Survey with its languages. */
export type SurveyInLanguages = Survey & { languages: LanguageCode[] };
