import type { Decimal } from "@kit/types";

/** A choice, whose name is one of Rust's. @table options */
export interface Option {
  /** @id @generated */
  id: bigint;
  type: string;
  self: string;
  crate: string;
  super: string;
  async: string;
  level: 1 | 2 | 3;
  ratio: 0.5 | 1;
  seen: bigint;
  even: 2n | 4n;
  picture: Uint8Array;
  thumbnail?: Uint8Array | null;
  code: `o-${number}`;
  kind: Result;
  place: [x: number, y: number, label?: string];
  prices: { [currency: `${string}-price`]: number; [year: number]: string };
  json: Json;
  slug: Slug;
  nick?: Leaf | null;
  since: Date;
  rank: Rank;
  next?: Rank;
  price: Price;
  mass: Decimal<30, 2>;
  /** @default 0.50 */
  rate: Decimal<3, 3> | null;
  /** @storedAs date */
  day: string;
  /** @storedAs date */
  until?: string;
  /** @storedAs smallint */
  small: number;
  /** @generated uuidv7 */
  event: string;
  /** @storedAs array @index using gin */
  labels: string[];
  /** @storedAs array */
  results: Result[];
  /** @storedAs array @default [] */
  amounts: Price[];
  /** @storedAs array */
  bigs?: bigint[] | null;
  /** @storedAs array */
  moments: Date[];
  /** @storedAs array */
  ranks: Rank[];
  /** @storedAs array */
  ratios: number[];
  /** @storedAs array */
  flags?: boolean[];
  /** @storedAs citext */
  email: string;
  /** @storedAs enum option_state @default open */
  state: "open" | "shut down";
  /** @storedAs enum option_state */
  former?: "open" | "shut down" | null;
}

/** An amount of money. */
export type Price = Decimal<28, 2>;

/** Place in a list of results. */
export type Rank = 1 | 2 | 3;

export type Result = "ok" | "err" | "self" | "Self";

/** Hides the prelude's. */
export interface String {
  value: Vec[];
  box: Box | null;
  some: Some;
}

export type Vec = [string, ...Box[]];

export type Box = { kind: "full"; inside: string } | { kind: "empty"; inside?: never };

export type Some = string | 5 | true | null | Box;

export interface Error {
  code: string;
  Self: string;
  self: string;
  userName: string;
  user_name: string;
  "user-name": string;
}

export type Json = { [key: string]: string };

/** Names that generated modules import. */
export interface Value {
  timestamp: Timestamp;
  shape: Shape;
  property?: Property;
  bigint: BigInt;
  notice?: Notice;
}

export interface Timestamp {
  at: Date;
}

export type Shape = { serialize: Serialize } | { deserialize: Deserialize };

export type Property = `p-${"a" | "b"}${bigint}`;

export interface BigInt {
  /** @default 1 */
  big: bigint;
  /** @default now */
  since: Date;
}

export interface Serialize {
  /** @sensitive */
  "pin code": number;
  [key: string]: number;
}

export interface Deserialize {
  never?: never;
}

export interface user_account {
  name: string;
}

export interface UserAccount {
  name: string;
  account: user_account;
}

export interface $Odd_name {
  /** @default ["a", "b"] */
  list: ("a" | "b")[];
  /** @default [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28] */
  counts: number[];
  /** @default {"kind":"full","inside":"a text that is long enough to need a line of its own, or nearly so"} */
  box: Box;
  /** @default {"a":{"deep":[[1,"x"]]}} */
  nested: { [key: string]: { deep: [number, string][]; also?: boolean } };
  /** @default {"any":[1,null]} */
  any: unknown;
  /** @default [0, 0] */
  point: [number, number];
  /** @default null */
  nothing: string | null;
  /** @default 5 */
  some: Some;
  /** @default now */
  now: Date;
  /** @default {"name":"n","account":{"name":"m"}} */
  named: UserAccount;
  /** @default {"kind":"closed","hard":true,"after":[{"kind":"shut-down"}]} */
  notice: Notice;
  /** @default -0.0 */
  zero: Price;
}

/** Differs in the text of its first property, and holds itself. */
export type Notice = Opened | Closed | { kind: "shut-down" };

export interface Opened {
  kind: "opened";
  at: Date;
}

export interface Closed {
  kind: "closed";
  /** @default false */
  hard: boolean;
  after: Notice[];
}

/** Holds itself through a union that is a member of another one, with rules on the way. */
export type Tree = Leaf | Tree[];

/** @minLength 2 */
export type Leaf = string;

export type Forest = Tree | { trees: Tree; pattern: Slug } | 7n;

/** @pattern ^[a-z]+$ */
export type Slug = string;

export interface Context {
  request: Request;
  response: Response;
}

export interface Request {
  router: Router[];
}

export interface Response {
  status: 200 | 404;
}

export interface Router {
  routes: [];
  one: [boolean];
}
