import type { Failure, Lines, Multipart, Route } from "@kit/types";
import type { Imported, NewPhoto, Photo, PhotoChange } from "./photos.types.ts";

/** Routes of the album. */
export interface PhotoRoutes {
  /** Returns the photos, the newest first. */
  "GET /photos": Route<{ query: { tag?: string }; response: Photo[] }>;
  /** Adds a photo. */
  "POST /photos": Route<{ body: Multipart<NewPhoto>; response: Photo }>;
  /**
   * Changes titles and tags of many photos.
   * @status 200
   */
  "POST /photos/import": Route<{ body: Lines<PhotoChange>; response: Imported }>;
  /** Returns titles and tags of all photos, in the format of the import. */
  "GET /photos/export": Route<{ response: Lines<PhotoChange> }>;
  /** Removes a photo. */
  "DELETE /photos/:id": Route<{ params: Pick<Photo, "id">; errors: Failure<404, "PHOTO_NOT_FOUND"> }>;
}
