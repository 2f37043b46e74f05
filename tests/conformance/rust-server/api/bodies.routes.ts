// The contracts of `conformance/bodies.json`: those of the program `bodies` in `crates/kit-test-programs`.

import type {
  Bytes,
  Events,
  Form,
  Lines,
  Multipart,
  Raw,
  Reply,
  Route,
  Text,
  Upload,
  Uploads,
} from "@kit/types";

export interface Album {
  /** @minLength 1 @maxLength 40 */
  name: string;
  opened?: Date;
}

export interface Photo {
  /** @format uuid */
  id: string;
  /** @minLength 1 @maxLength 40 */
  title: string;
}

export interface Book {
  /** @minLength 1 @maxLength 40 */
  title: string;
  /** @minimum 1 @integer */
  pages: number;
  printed: Date;
}

export interface Progress {
  percent: number;
}

export interface NewSession {
  /** @minLength 3 @maxLength 100 */
  email: string;
  /** @minimum 1 @maximum 9 @integer */
  count: number;
  remember?: boolean;
  topics?: ("news" | "offers")[];
}

export interface NewPhoto {
  /** @minLength 1 @maxLength 100 */
  title: string;
  taken?: Date;
  /** @maxItems 3 */
  tags?: string[];
  album: Album;
  /**
   * @maxBytes 5 MiB
   * @mime image/png, image/jpeg
   */
  photo: File;
  /**
   * @maxItems 3
   * @mime image/*
   */
  more?: File[];
}

export interface NewFile {
  /** @maxBytes 1000 */
  file: File;
}

export interface NewComment {
  /** @minLength 1 @maxLength 100 */
  text: string;
  /** @minimum 1 @maximum 9 @integer */
  stars: number;
}

export interface NewVideo {
  /** @minLength 1 @maxLength 100 */
  title: string;
  album?: Album;
  /**
   * @maxBytes 200000
   * @mime video/webm, text/*
   */
  video: Upload;
  /**
   * @maxBytes 1000
   * @mime image/png
   */
  cover?: File;
}

export interface NewArchives {
  /** @minItems 2 @maxItems 3 @maxBytes 1000 */
  archives: Uploads;
}

export interface NewAvatar {
  /** @maxBytes 1099511627776 */
  avatar?: Upload;
}

export interface PhotoRoutes {
  "POST /sessions": Route<{ body: Form<NewSession> }>;
  "POST /photos": Route<{ body: Multipart<NewPhoto>; response: Photo }>;
  "POST /files": Route<{ body: Multipart<NewFile> }>;
  "POST /comments": Route<{ body: Multipart<NewComment> }>;
  "POST /videos": Route<{ body: Multipart<NewVideo> }>;
  "POST /archives": Route<{ body: Multipart<NewArchives> }>;
  "POST /avatars": Route<{ body: Multipart<NewAvatar> }>;
  "POST /hooks": Route<{ body: Raw<"application/json"> }>;
  "POST /blobs": Route<{ body: Raw }>;
  "POST /tables": Route<{ body: Text<"text/csv" | "text/tab-separated-values"> }>;
  "POST /images": Route<{ body: Bytes<"image/*"> }>;
  "POST /icons": Route<{ body: Bytes<"image/png"> }>;
  "POST /imports": Route<{ body: Lines<Book>; response: { imported: number } }>;
  "GET /table": Route<{ response: Text<"text/csv"> }>;
  "GET /image": Route<{ response: Bytes<"image/png"> }>;
  "GET /books": Route<{ response: Lines<Book> }>;
  "GET /events": Route<{ response: Events<{ progress: Progress; done: Book; stopped: void }> }>;
  "GET /report": Route<{
    response:
      | Reply<200, Text<"text/csv">>
      | Reply<202, Progress>
      | Reply<203, Lines<Book>>
      | Reply<207, Events<{ progress: Progress; done: Book; stopped: void }>>;
  }>;
}
