/** First bytes of a PNG image. */
export const png: Uint8Array<ArrayBuffer> = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Returns the form with which a browser adds a photo. `size` is the size of the image in bytes. */
export function photoOf(title: string, size = 1000, tags: readonly string[] = []): FormData {
  const form = new FormData();
  form.append("title", title);
  for (const tag of tags) form.append("tags", tag);
  const rest = new Uint8Array(size - png.length);
  form.append("photo", new File([png, rest], "photo.png", { type: "image/png" }));
  return form;
}
