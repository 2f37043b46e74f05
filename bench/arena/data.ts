/** Creates data of the same shape and size as the data of HttpArena: a data set, static files, and a table of PostgreSQL. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

import { type FilledDatabase, openFilled } from "../http/database.ts";

/** Item of the data set. */
export interface Item {
  readonly id: number;
  readonly name: string;
  readonly category: string;
  readonly price: number;
  readonly quantity: number;
  readonly active: boolean;
  readonly tags: readonly string[];
  readonly rating: { readonly score: number; readonly count: number };
}

const categories = ["electronics", "tools", "garden", "kitchen", "office"];
const tags = ["fast", "new", "sale", "popular", "wireless"];

/** Items of the data set. HttpArena has 50 as well. */
export const items: readonly Item[] = Array.from({ length: 50 }, (_, index) => ({
  id: index + 1,
  name: `Item number ${index + 1}`,
  category: categories[index % categories.length]!,
  price: 10 + ((index * 37) % 490),
  quantity: 1 + ((index * 13) % 99),
  active: index % 3 !== 0,
  tags: tags.slice(0, 2 + (index % 4)),
  rating: { score: (index * 7) % 50, count: (index * 53) % 300 },
}));

/** Static file with its size in KiB. Text has compressed copies beside it. */
export interface StaticFile {
  readonly name: string;
  readonly kib: number;
  readonly isText: boolean;
}

const text = (name: string, kib: number): StaticFile => ({ name, kib, isText: true });
const binary = (name: string, kib: number): StaticFile => ({ name, kib, isText: false });

/** Files of a page: 20 files with about 840 KiB, as in HttpArena. */
export const files: readonly StaticFile[] = [
  text("reset.css", 8),
  text("layout.css", 20),
  text("theme.css", 30),
  text("components.css", 80),
  text("utilities.css", 100),
  text("analytics.js", 12),
  text("helpers.js", 20),
  text("app.js", 80),
  text("vendor.js", 150),
  text("router.js", 30),
  text("header.html", 55),
  text("footer.html", 70),
  text("logo.svg", 15),
  text("icon-sprite.svg", 70),
  text("manifest.json", 3),
  binary("regular.woff2", 18),
  binary("bold.woff2", 22),
  binary("hero.webp", 45),
  binary("thumb1.webp", 6),
  binary("thumb2.webp", 7),
];

/** Writes the data set and the static files into a directory, in place of older ones. */
export function writeData(directory: string): void {
  const folder = join(directory, "static");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(directory, "dataset.json"), JSON.stringify(items));
  for (const file of files) {
    const bytes = contentOf(file);
    const path = join(folder, file.name);
    writeFileSync(path, bytes);
    if (!file.isText) continue;
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(
      `${path}.br`,
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
  }
}

/** Returns the content of a static file. The numbers make text less repetitive, so that compressed copies have a likely size. */
export function contentOf({ kib, isText }: StaticFile): Buffer {
  const size = kib * 1024;
  const bytes = Buffer.alloc(size, " ");
  let state = 1;
  const next = (): number => (state = (state * 48_271) % 2_147_483_647);
  if (!isText) {
    for (let index = 0; index < size; index += 1) bytes[index] = next() & 255;
    return bytes;
  }
  let line = "";
  for (let index = 0; line.length < size; index += 1)
    line += `.rule-${index} { margin: ${next() % 1000}px; }\n`;
  bytes.write(line);
  return bytes;
}

/** Returns the row of the table with an id. `openItems` writes the same values with SQL. */
export function rowOf(id: number): Item {
  return {
    id,
    name: `Item number ${id}`,
    category: "tools",
    price: 10 + ((id * 37) % 490),
    quantity: 1 + ((id * 13) % 99),
    active: id % 3 !== 0,
    tags: tags.slice(0, 3),
    rating: { score: (id * 7) % 50, count: (id * 53) % 300 },
  };
}

/** Opens kit's embedded PostgreSQL with the table that HttpArena describes: 100,000 rows, no index on the price. */
export function openItems(): Promise<FilledDatabase> {
  return openFilled(
    join(import.meta.dirname, "entry"),
    "arena",
    `
      drop table if exists items;
      create table items (
        id integer primary key,
        name text not null,
        category text not null,
        price integer not null,
        quantity integer not null,
        active boolean not null,
        tags jsonb not null,
        rating_score integer not null,
        rating_count integer not null
      );
      insert into items
        select n, 'Item number ' || n, 'tools', 10 + (n * 37) % 490, 1 + (n * 13) % 99, n % 3 <> 0,
          '["fast", "new", "sale"]', (n * 7) % 50, (n * 53) % 300
        from generate_series(1, 100000) as n;
      analyze items;
    `,
  );
}
