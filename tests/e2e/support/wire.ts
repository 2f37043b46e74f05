/** Types of values on the wire. They are handwritten from the specification, so that they do not repeat mistakes in tested code. */

export interface NoteJson {
  id: string;
  title: string;
  content: string;
  authorId: string;
  archived: boolean;
  createdAt: string;
  updatedAt: string;
}

export interface PageJson {
  data: { id: string; title: string; archived: boolean; createdAt: string }[];
  pagination: { total: number; page: number; pageSize: number; totalPages: number };
}

export interface ErrorJson {
  error: {
    code: string;
    message: string;
    traceId: string;
    details?: {
      fields?: { path: string; expected: string; value?: unknown; rule: string; limit?: unknown }[];
      stack?: string;
      name?: string;
    };
    [extended: string]: unknown;
  };
}

/** Id that no note has. */
export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
