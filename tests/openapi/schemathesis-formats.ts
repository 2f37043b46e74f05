import { shop } from "./schemathesis-project.ts";

/**
 * Application that Schemathesis checks, because its contracts have bodies of all formats in place of JSON. No form has an array
 * of strings, because a text in place of such an array is an array with one item on the wire. Schemathesis cannot send lines.
 */
export const gallery: ReadonlyMap<string, string> = new Map([
  ["package.json", shop.get("package.json")!.replace('"shop"', '"gallery"')],
  ["tsconfig.json", shop.get("tsconfig.json")!],
  ["src/main.ts", shop.get("src/main.ts")!],
  [
    "src/pictures.routes.ts",
    `import type { Bytes, Events, Failure, Form, Lines, Multipart, Raw, Reply, Route, Text, Upload } from "@kit/types";

export interface Picture {
  /** @format uuid */
  id: string;
  /** @minLength 1 @maxLength 40 */
  title: string;
  /** @integer @minimum 0 */
  bytes: number;
}

export interface NewPicture {
  /** @minLength 1 @maxLength 40 */
  title: string;
  /** @integer @minimum 1 @maximum 5 */
  stars?: number;
  /** @maxBytes 100 KiB */
  picture: File;
}

export interface NewFilm {
  /** @minLength 1 @maxLength 40 */
  title: string;
  film: Upload;
}

export interface Search {
  /** @minLength 1 @maxLength 40 */
  title: string;
  /** @integer @minimum 1 @maximum 100 @default 10 */
  limit: number;
}

/** Pictures of a gallery. */
export interface PictureRoutes {
  /** Stores a picture.
   * @summary Store a picture
   */
  "POST /pictures": Route<{ body: Multipart<NewPicture>; response: Reply<201, Picture> }>;
  /** Stores a film.
   * @summary Store a film
   */
  "POST /films": Route<{ body: Multipart<NewFilm>; response: Reply<201, Picture> }>;
  /** Reads a picture.
   * @summary Read a picture
   */
  "GET /pictures/:id": Route<{
    params: { /** @format uuid */ id: string };
    response: Picture;
    errors: Failure<404, "PICTURE_NOT_FOUND">;
  }>;
  /** Finds pictures.
   * @summary Find pictures
   */
  "POST /search": Route<{ body: Form<Search>; response: Reply<200, Picture[]> }>;
  /** Receives a webhook.
   * @summary Receive a webhook
   */
  "POST /hook": Route<{ body: Raw; response: Reply<202, { bytes: number }> }>;
  /** Writes the description.
   * @summary Write the description
   */
  "PUT /description": Route<{ body: Text; response: Reply<204> }>;
  /** Reads the description.
   * @summary Read the description
   */
  "GET /description": Route<{ response: Text }>;
  /** Reads the logo.
   * @summary Read the logo
   */
  "GET /logo": Route<{ response: Bytes<"image/gif"> }>;
  /** Reads all pictures.
   * @summary Read all pictures
   */
  "GET /pictures": Route<{ response: Lines<Picture> }>;
  /** Reads a table, which is empty sometimes.
   * @summary Read a table
   */
  "GET /table": Route<{
    query: { empty?: boolean };
    response: Reply<200, Text<"text/csv">>;
    errors: Failure<404, "TABLE_EMPTY">;
  }>;
  /** Reads the progress.
   * @summary Read the progress
   */
  "GET /progress": Route<{ response: Events<{ progress: { percent: number }; done: void }> }>;
}
`,
  ],
  [
    "src/app.ts",
    `import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { Picture, PictureRoutes } from "./pictures.routes.ts";

const pictures: Picture[] = [];
let description = "Pictures";

function add(title: string, bytes: number): Picture {
  const picture = { id: crypto.randomUUID(), title, bytes };
  pictures.push(picture);
  return picture;
}

export const handlers = defineHandlers<PictureRoutes>({
  "POST /pictures": ({ body, reply }) => reply(201, add(body.title, body.picture.size)),
  "POST /films": async ({ body, reply }) => {
    let bytes = 0;
    for await (const chunk of body.film) bytes += chunk.length;
    return reply(201, add(body.title, bytes));
  },
  "GET /pictures/:id": ({ params, ctx }) =>
    pictures.find(({ id }) => id === params.id) ?? ctx.fail(404, "PICTURE_NOT_FOUND", "There is no such picture"),
  "POST /search": ({ body, reply }) => reply(200, pictures.filter(({ title }) => title === body.title).slice(0, body.limit)),
  "POST /hook": ({ body, reply }) => reply(202, { bytes: body.length }),
  "PUT /description": ({ body, reply }) => {
    description = body;
    return reply(204);
  },
  "GET /description": () => description,
  "GET /logo": () => Buffer.from("R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=", "base64"),
  "GET /pictures": () => pictures.slice(-20),
  "GET /table": ({ query, reply, ctx }) =>
    query.empty ? ctx.fail(404, "TABLE_EMPTY", "The table is empty") : reply(200, "id,title\\n"),
  "GET /progress": async function* () {
    yield { event: "progress", data: { percent: 50 } };
    yield { event: "done", data: undefined };
  },
});

export const app = createApp({
  server: nativeServer(),
  requestLog: true,
  routes: [{ handlers }],
});
`,
  ],
]);
