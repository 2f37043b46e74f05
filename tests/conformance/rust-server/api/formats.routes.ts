// The contracts of `conformance/format-unions.json`: those of the program `formats` in `crates/kit-test-programs`, with a prefix,
// because other contracts of this application have their paths.

import type {
  Bytes,
  Events,
  Failure,
  Form,
  Json,
  Lines,
  Multipart,
  Raw,
  Reply,
  Route,
  Text,
} from "@kit/types";

import type { Progress } from "./bodies.routes.ts";

export interface Row {
  /** @minLength 1 @maxLength 40 */
  title: string;
  /** @minimum 1 @maximum 9 @integer */
  count: number;
  due: Date;
}

export interface Received {
  type: string;
  text: string;
}

export interface TitledPhoto {
  /** @minLength 1 @maxLength 40 */
  title: string;
  /** @maxBytes 1000 */
  photo: File;
}

export interface FormatRoutes {
  "POST /formats/orders": Route<{
    body: Json<Row> | Form<Row> | Text<"text/csv" | "text/tab-separated-values"> | Raw<"image/*">;
    response: Received;
  }>;
  "POST /formats/photos": Route<{
    body: Multipart<TitledPhoto> | Raw<"application/json">;
    response: Received;
  }>;
  "GET /formats/report": Route<{
    response: Json<Row[]> | Text<"text/csv"> | Bytes<"application/pdf"> | Lines<Row>;
    errors: Failure<409, "CONFLICT">;
  }>;
  "GET /formats/export": Route<{
    response: Reply<200, Text<"text/csv"> | Json<Row>> | Reply<202, Progress> | Reply<204>;
  }>;
  "GET /formats/watch": Route<{ response: Json<Progress> | Events<{ progress: Progress }> }>;
}
