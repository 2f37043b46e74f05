import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import type { Photo } from "../src/photos.types.ts";
import { photoOf, png } from "./photo.ts";

const directory = await mkdtemp(join(tmpdir(), "photos-"));
process.env["PHOTOS_DIR"] = directory;
const { app } = await import("../src/app.ts");
const { password } = await import("../src/auth.ts");

let url: string;
let cookie: string;
before(async () => {
  ({ url } = await app.listen({ port: 0, host: "127.0.0.1" }));
  const body = JSON.stringify({ password });
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/session`, { method: "POST", headers, body });
  cookie = response.headers.getSetCookie()[0]!.split(";")[0]!;
});
after(async () => {
  await app.close();
  await rm(directory, { recursive: true });
});

async function add(title: string, size?: number, tags?: readonly string[]): Promise<Photo> {
  const response = await fetch(`${url}/photos`, {
    method: "POST",
    headers: { cookie },
    body: photoOf(title, size, tags),
  });
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()) as Photo;
}

async function list(query = ""): Promise<Photo[]> {
  return (await (await fetch(`${url}/photos${query}`)).json()) as Photo[];
}

async function partialFiles(): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith(".partial"));
}

describe("the album", () => {
  test("stores a photo of many chunks, and sends the same bytes with their type", async () => {
    const photo = await add("Sea", 5_000_000, ["blue", "wet"]);
    assert.deepEqual([photo.title, photo.tags, photo.bytes], ["Sea", ["blue", "wet"], 5_000_000]);
    const response = await fetch(url + photo.image);
    assert.equal(response.headers.get("content-type"), "image/png");
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.equal(bytes.length, 5_000_000);
    assert.deepEqual(bytes.subarray(0, png.length), png);
    assert.deepEqual(
      (await list("?tag=wet")).map(({ id }) => id),
      [photo.id],
    );
    assert.deepEqual(await list("?tag=dry"), []);
  });

  test("does not store a photo that is too large or has another type", async () => {
    const count = (await list()).length;
    const large = await fetch(`${url}/photos`, {
      method: "POST",
      headers: { cookie },
      body: photoOf("Large", 52_430_000),
    });
    assert.equal(large.status, 400);
    const form = new FormData();
    form.append("title", "Text");
    form.append("photo", new File(["text"], "photo.png", { type: "image/png" }));
    assert.equal(
      (await fetch(`${url}/photos`, { method: "POST", headers: { cookie }, body: form })).status,
      400,
    );
    assert.equal((await list()).length, count);
    assert.deepEqual(await partialFiles(), []);
  });

  test("does not store a photo whose client disconnects", async () => {
    const count = (await list()).length;
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const head =
      'Content-Disposition: form-data; name="title"\r\n\r\nSea\r\n--b\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\nContent-Type: image/png';
    socket.write(
      `POST /photos HTTP/1.1\r\nhost: a\r\ncookie: ${cookie}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 9000\r\n\r\n--b\r\n${head}\r\n\r\n`,
    );
    socket.write(Buffer.concat([png, new Uint8Array(1000)]));
    while ((await partialFiles()).length === 0) await sleep(5);
    socket.destroy();
    while ((await partialFiles()).length > 0) await sleep(5);
    assert.equal((await list()).length, count);
  });

  test("refuses a photo of anybody but the owner, before the photo arrives", async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(
      "POST /photos HTTP/1.1\r\nhost: a\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 9000\r\n\r\n",
    );
    const [head] = (await once(socket, "data")) as [Buffer];
    assert.match(head.toString(), /^HTTP\/1\.1 401 /);
    socket.destroy();
    assert.equal((await fetch(`${url}/photos/${crypto.randomUUID()}`, { method: "DELETE" })).status, 401);
  });

  test("removes a photo with its image", async () => {
    const { id, image } = await add("Gone");
    assert.equal((await fetch(`${url}/photos/${id}`, { method: "DELETE", headers: { cookie } })).status, 204);
    assert.equal((await fetch(url + image)).status, 404);
    assert.equal((await fetch(`${url}/photos/${id}`, { method: "DELETE", headers: { cookie } })).status, 404);
    assert.ok(!(await readdir(join(directory, "images"))).join().includes(id));
  });
});

/** Returns the headers of an import by the owner. */
function headersOf(): Record<string, string> {
  return { "content-type": "application/jsonl", cookie };
}

describe("an import", () => {
  test("changes the titles of photos from a file of 100,000 lines", async () => {
    const photos = await Promise.all(Array.from({ length: 10 }, (_, index) => add(`Photo ${index}`)));
    const unknown = crypto.randomUUID();
    async function* lines(): AsyncGenerator<Uint8Array> {
      for (let block = 0; block < 100; block += 1) {
        const ids = Array.from({ length: 1000 }, (_, line) =>
          line % 2 === 0 ? photos[line % 10]!.id : unknown,
        );
        const text = ids.map((id, line) => `${JSON.stringify({ id, title: `${block}/${line}` })}\n`);
        yield Buffer.from(text.join(""));
      }
    }
    const init = { method: "POST", headers: headersOf(), body: ReadableStream.from(lines()), duplex: "half" };
    const response = await fetch(`${url}/photos/import`, init as RequestInit);
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { changed: 50_000, unknown: 50_000 });
    const changed = (await list()).find(({ id }) => id === photos[0]!.id);
    assert.equal(changed?.title, "99/990");
  });

  test("accepts the file that an export returns", async () => {
    const exported = await (await fetch(`${url}/photos/export`)).text();
    const response = await fetch(`${url}/photos/import`, {
      method: "POST",
      headers: headersOf(),
      body: exported,
    });
    assert.deepEqual(await response.json(), { changed: (await list()).length, unknown: 0 });
  });

  test("keeps the lines before a broken line, and names the broken line", async () => {
    const { id } = await add("Old");
    const body = `${JSON.stringify({ id, title: "New" })}\n${JSON.stringify({ id, title: "" })}\n`;
    const response = await fetch(`${url}/photos/import`, { method: "POST", headers: headersOf(), body });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /\$\[1\]\.title/);
    assert.equal((await list()).find((photo) => photo.id === id)?.title, "New");
  });
});
