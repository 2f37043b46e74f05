import type { Failure, Lines, Multipart, Route } from "@kit/types";
import type { Imported, Login, NewPhoto, Photo, PhotoChange } from "./photos.types.ts";

/** Routes for everybody. */
export interface PhotoRoutes {
  /** Returns the photos, the newest first. */
  "GET /photos": Route<{ query: { tag?: string }; response: Photo[] }>;
  /** Returns titles and tags of all photos, in the format of the import. */
  "GET /photos/export": Route<{ response: Lines<PhotoChange> }>;
}

/** Login of the owner. */
export interface SessionRoutes {
  /** Logs the owner in. */
  "POST /session": Route<{ body: Login; errors: Failure<401, "WRONG_PASSWORD"> }>;
  /** Logs the owner out. */
  "DELETE /session": Route<{}>;
}

/** Routes for the owner. */
export interface OwnerRoutes {
  /** Adds a photo. */
  "POST /photos": Route<{ body: Multipart<NewPhoto>; response: Photo }>;
  /**
   * Changes titles and tags of many photos.
   * @status 200
   */
  "POST /photos/import": Route<{ body: Lines<PhotoChange>; response: Imported }>;
  /** Removes a photo. */
  "DELETE /photos/:id": Route<{ params: Pick<Photo, "id">; errors: Failure<404, "PHOTO_NOT_FOUND"> }>;
}
