import type { Upload } from "@kit/types";

/** A photo of the album. */
export interface Photo {
  /** @format uuid */
  id: string;
  /** @minLength 1 @maxLength 100 */
  title: string;
  tags: string[];
  /** Path of the image: `/images/….png`. */
  image: string;
  /** Size in bytes. */
  bytes: number;
  addedAt: Date;
}

/** Form with which a client adds a photo. The photo is the last part, because it is read while it arrives. */
export interface NewPhoto {
  /** @minLength 1 @maxLength 100 */
  title: string;
  /** @maxItems 10 */
  tags?: string[];
  /**
   * @maxBytes 50 MiB
   * @mime image/png, image/jpeg, image/webp
   */
  photo: Upload;
}

/** Line of an import: title and tags of a photo that is in the album. */
export interface PhotoChange {
  /** @format uuid */
  id: string;
  /** @minLength 1 @maxLength 100 */
  title?: string;
  /** @maxItems 10 */
  tags?: string[];
}

/** Result of an import. */
export interface Imported {
  /** Number of photos that were changed. */
  changed: number;
  /** Number of lines about photos that are not in the album. */
  unknown: number;
}

/** Values with which the owner logs in. */
export interface Login {
  /** @minLength 1 @maxLength 200 @sensitive */
  password: string;
}
