/** Changes of a table that `cargo xtask bench migrations` measures. */

/** A change: a property of the entity before and after, and the SQL that changes the table in one transaction. */
export interface Case {
  readonly name: string;
  /** Properties before the change; by default, those of `ITEM`. */
  readonly before?: string;
  readonly after: string;
  /** Statements of one transaction with the same result, without regard for other sessions. */
  readonly plain: string;
}

/** Properties that no case changes. The load uses only their columns. */
const FIXED = `  /** @id @integer @minimum 0 @maximum 2000000000 */
  id: number;
  /** @integer @minimum 0 @maximum 2000000000 */
  hits: number;
`;

/** Properties that the cases change. */
const ITEM = `  /** @maxLength 40 */
  code: string;
  /** @integer @minimum 0 @maximum 2000000000 @default 1 */
  amount: number;
  kind: "a" | "b";
  note?: string;
  /** @integer @minimum 0 @maximum 2000000000 */
  shop?: number;
`;

/** Returns the types with the given properties of the table `items`. */
export function types(properties: string = ITEM): string {
  return `/** @table items */
export interface Item {
${FIXED}${properties}}

/** @table shops */
export interface Shop {
  /** @id @integer @minimum 0 @maximum 2000000000 */
  id: number;
}
`;
}

/** Replaces a part of the properties of `ITEM`, and throws an error if the part is missing. */
function changed(from: string, to: string): string {
  if (!ITEM.includes(from)) throw new Error(`the properties do not contain ${from}`);
  return ITEM.replace(from, to);
}

export const CASES: readonly Case[] = [
  {
    name: "index",
    after: changed("/** @maxLength 40 */", "/** @maxLength 40 @index */"),
    plain: "CREATE INDEX items_code_idx ON items (code)",
  },
  {
    name: "unique",
    after: changed("/** @maxLength 40 */", "/** @maxLength 40 @unique */"),
    plain: "ALTER TABLE items ADD CONSTRAINT items_code_unique UNIQUE (code)",
  },
  {
    name: "check",
    after: changed("/** @maxLength 40 */", "/** @maxLength 40 @minLength 2 */"),
    plain: "ALTER TABLE items ADD CONSTRAINT items_code_length_check CHECK (char_length(code) >= 2)",
  },
  {
    name: "enum value",
    after: changed('"a" | "b"', '"a" | "b" | "c"'),
    plain:
      "ALTER TABLE items DROP CONSTRAINT items_kind_check; ALTER TABLE items ADD CONSTRAINT items_kind_check CHECK (kind IN ('a', 'b', 'c'))",
  },
  {
    name: "not null",
    after: changed("note?: string", "note: string"),
    plain: "ALTER TABLE items ALTER COLUMN note SET NOT NULL",
  },
  {
    name: "foreign key",
    after: changed(
      "  /** @integer @minimum 0 @maximum 2000000000 */\n  shop?",
      "  /** @integer @minimum 0 @maximum 2000000000 @references Shop.id */\n  shop?",
    ),
    plain: "ALTER TABLE items ADD CONSTRAINT items_shop_shops_id_fk FOREIGN KEY (shop) REFERENCES shops (id)",
  },
  {
    name: "integer to bigint",
    after: changed("@maximum 2000000000 @default 1 */", "@maximum 9000000000 @default 1 */"),
    plain: "ALTER TABLE items ALTER COLUMN amount TYPE bigint",
  },
  {
    name: "integer to text",
    after: changed("  /** @integer @minimum 0 @maximum 2000000000 */\n  shop?: number", "  shop?: string"),
    plain:
      "ALTER TABLE items DROP CONSTRAINT IF EXISTS items_shop_range_check; ALTER TABLE items ALTER COLUMN shop TYPE text USING shop::text",
  },
  {
    name: "shorter text",
    after: changed("@maxLength 40", "@maxLength 20"),
    plain: "ALTER TABLE items ALTER COLUMN code TYPE varchar(20)",
  },
  {
    name: "longer text with a check",
    before: changed("/** @maxLength 40 */", "/** @maxLength 40 @minLength 1 */"),
    after: changed("/** @maxLength 40 */", "/** @maxLength 80 @minLength 1 */"),
    plain: "ALTER TABLE items ALTER COLUMN code TYPE varchar(80)",
  },
  {
    name: "primary key",
    after: changed("  kind:", "  /** @id */\n  kind:"),
    plain: "ALTER TABLE items DROP CONSTRAINT items_pkey; ALTER TABLE items ADD CONSTRAINT items_pkey PRIMARY KEY (id, kind)",
  },
  {
    name: "column with its own values",
    after: `${ITEM}  /** @generated uuid */\n  token: string;\n`,
    plain: "ALTER TABLE items ADD COLUMN token uuid DEFAULT gen_random_uuid() NOT NULL",
  },
  {
    name: "column with a default",
    after: `${ITEM}  /** @default false */\n  done: boolean;\n`,
    plain: "ALTER TABLE items ADD COLUMN done boolean DEFAULT false NOT NULL",
  },
  {
    name: "rename",
    after: changed("note?:", "/** @renamedFrom note */\n  remark?:"),
    plain: "ALTER TABLE items RENAME COLUMN note TO remark",
  },
];

/** Statement that fills the tables with a number of rows. */
export function rows(count: number): string {
  return (
    "INSERT INTO shops SELECT n FROM generate_series(1, 1000) AS n;" +
    "INSERT INTO items (id, hits, code, amount, kind, note, shop) " +
    `SELECT n, 0, 'code ' || n, n, 'a', 'note', 1 + n % 1000 FROM generate_series(1, ${count}) AS n;` +
    "ANALYZE"
  );
}
