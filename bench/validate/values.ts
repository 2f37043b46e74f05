/**
 * Values that are measured. They are the same in every process. There are several values of each type, with and without optional
 * properties, so that an engine cannot optimize for one value or one hidden class.
 */

let state = 7;

function random(below: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return (state >>> 8) % below;
}

function pick<T>(items: readonly T[]): T {
  return items[random(items.length)] as T;
}

const words = [
  "milk",
  "eggs",
  "a letter",
  "flour",
  "Zürich",
  "the weekend",
  "something",
  "tea & cake",
  "notes",
];

function text(count: number): string {
  return Array.from({ length: count }, () => pick(words)).join(" ");
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function hexadecimal(length: number): string {
  return many(length, () => random(16).toString(16)).join("");
}

const profile = (): Record<string, unknown> => ({
  id: 1 + random(1_000_000),
  name: text(1 + random(3)),
  active: random(2) === 0,
  score: random(10_000) / 8,
  role: pick(["admin", "editor", "reader"]),
  ...(random(2) === 0 ? { note: text(6) } : undefined),
});

const line = (): Record<string, unknown> => ({
  sku: `sku-${random(100_000)}`,
  quantity: 1 + random(20),
  price: random(100_000) / 100,
  comment: random(3) === 0 ? text(4) : null,
  options: { size: pick(["S", "M", "L"]), gift: random(4) === 0 },
});

const order = (): Record<string, unknown> => ({
  customer: text(2),
  address: { street: text(3), city: text(1), zip: `${10_000 + random(80_000)}` },
  lines: many(100, line),
  tags: many(5, () => text(1)),
});

const event = (index: number): Record<string, unknown> => {
  const at = 1_700_000_000_000 + random(1_000_000_000);
  switch (index % 5) {
    case 0:
      return { kind: "opened", at, by: text(1) };
    case 1:
      return { kind: "moved", at, x: random(1000), y: random(1000) / 4 };
    case 2:
      return { kind: "renamed", at, from: text(2), to: text(2) };
    case 3:
      return { kind: "tagged", at, tags: many(3, () => text(1)) };
    default:
      return { kind: "closed", at, reason: random(2) === 0 ? null : text(3) };
  }
};

const payment = (index: number): Record<string, unknown> => {
  switch (index % 3) {
    case 0:
      return { cardNumber: `${random(1e9)}`, expires: "12/29", cvc: "123" };
    case 1:
      return { iban: `DE${random(1e9)}`, holder: text(2) };
    default:
      return { voucher: hexadecimal(12) };
  }
};

const contact = (): Record<string, unknown> => ({
  id: `${hexadecimal(8)}-${hexadecimal(4)}-4${hexadecimal(3)}-a${hexadecimal(3)}-${hexadecimal(12)}`,
  email: `${pick(["ada", "grace.hopper", "jean-luc", "x"])}@${pick(["example.com", "mail.example.org", "kit.test"])}`,
  joined: new Date(1_500_000_000_000 + random(1_000_000_000) * 500).toISOString(),
  address: many(4, () => random(256)).join("."),
});

const article = (): Record<string, unknown> => ({
  id: hexadecimal(32),
  title: text(5),
  views: random(1_000_000),
  draft: random(2) === 0,
  createdAt: new Date(1_500_000_000_000 + random(1_000_000_000) * 500),
  updatedAt: new Date(1_500_000_000_000 + random(1_000_000_000) * 500),
});

const message = (): Record<string, unknown> => ({
  from: `"${text(1)}" <${pick(["ada", "grace"])}@example.com>`,
  subject: `${text(2)}: "${text(2)}"`,
  body: many(6, () => `${text(8)}\n\t"${text(3)}" \\ ${text(2)}`).join("\n"),
});

/** Objects like the data of a form. */
export const profiles: readonly Record<string, unknown>[] = many(64, profile);
/** Orders with a hundred lines. */
export const orders: readonly Record<string, unknown>[] = many(4, order);
/** Lists of twenty events of five kinds. */
export const logs: readonly Record<string, unknown>[] = many(16, () => ({ events: many(20, event) }));
/** Lists of twenty payments of three kinds. */
export const payments: readonly Record<string, unknown>[] = many(16, () => ({ payments: many(20, payment) }));
/** Objects whose strings have a format. */
export const contacts: readonly Record<string, unknown>[] = many(64, contact);
/** Pages of twenty articles. */
export const articles: readonly Record<string, unknown>[] = many(8, () => ({
  data: many(20, article),
  total: 1000 + random(1000),
}));
/** Strings with quotes and line breaks. */
export const messages: readonly Record<string, unknown>[] = many(32, message);

/** Returns a copy of a value with undeclared properties in addition. */
export function withUnknownKeys<T extends object>(value: T): T {
  return { ...value, debug: true, extra: { nested: [1, 2, 3] }, isAdmin: "yes" };
}
