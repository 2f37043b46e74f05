import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Photo, PhotoChange } from "./photos.types.ts";

/** Endings of the names of images, by their types. */
const endings: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
};

/** Photos in a directory: the images in `images`, and one file with all titles and tags. */
export class Album {
  readonly #directory: string;
  readonly #photos: Map<string, Photo>;
  #saving: Promise<void> = Promise.resolve();

  private constructor(directory: string, photos: readonly Photo[]) {
    this.#directory = directory;
    this.#photos = new Map(photos.map((photo) => [photo.id, photo]));
  }

  /** Opens the album of a directory, which is created if it does not exist. */
  static async open(directory: string): Promise<Album> {
    await mkdir(join(directory, "images"), { recursive: true });
    const text = await readFile(join(directory, "photos.json"), "utf8").catch(() => "[]");
    const saved = JSON.parse(text, (key, value: unknown) =>
      key === "addedAt" ? new Date(String(value)) : value,
    ) as Photo[];
    return new Album(directory, saved);
  }

  /** Returns the photos with a tag, or all photos. The newest photo is the first. */
  list(tag?: string): Photo[] {
    const photos = [...this.#photos.values()].toReversed();
    return tag === undefined ? photos : photos.filter(({ tags }) => tags.includes(tag));
  }

  /** Stores an image while it arrives. An image that does not arrive completely leaves nothing behind. */
  async add(
    about: Pick<Photo, "title" | "tags">,
    type: string,
    content: AsyncIterable<Uint8Array>,
  ): Promise<Photo> {
    const id = randomUUID();
    const image = `/images/${id}.${endings[type]}`;
    const partial = this.#path(`${id}.partial`);
    try {
      await pipeline(content, createWriteStream(partial, { flags: "wx" }));
      const { size } = await stat(partial);
      await rename(partial, this.#path(image));
      const photo = { id, ...about, image, bytes: size, addedAt: new Date() };
      this.#photos.set(id, photo);
      await this.save();
      return photo;
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  /** Changes title and tags of a photo. Returns false if there is no such photo. Call {@link Album.save} afterwards. */
  change({ id, ...change }: PhotoChange): boolean {
    const photo = this.#photos.get(id);
    if (photo === undefined) return false;
    this.#photos.set(id, { ...photo, ...change });
    return true;
  }

  /** Removes a photo. Returns false if there is no such photo. */
  async remove(id: string): Promise<boolean> {
    const photo = this.#photos.get(id);
    if (photo === undefined) return false;
    this.#photos.delete(id);
    await this.save();
    await rm(this.#path(photo.image), { force: true });
    return true;
  }

  /** Writes titles and tags to the disk, after the earlier writes. A crash leaves the old file or the new one. */
  save(): Promise<void> {
    const path = this.#path("photos.json");
    const save = async (): Promise<void> => {
      await writeFile(`${path}.partial`, JSON.stringify([...this.#photos.values()]));
      await rename(`${path}.partial`, path);
    };
    this.#saving = this.#saving.then(save, save);
    return this.#saving;
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}

/** Directory of the album. */
export const directory: string = process.env["PHOTOS_DIR"] ?? ".data/photos";

/** Album of the application. */
export const album = await Album.open(directory);
