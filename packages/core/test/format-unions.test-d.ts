/** Tests of the types of contracts with unions of formats, which only the type checker runs. */
import { defineHandlers, type HandlerInput } from "@kit/core";
import { createClient } from "@kit/client";
import type { Bytes, Events, Form, Json, Lines, Multipart, Raw, Reply, Route, Text } from "@kit/types";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Causes a type error if its argument is not `true`. */
function expectTrue<_T extends true>(): void {}

interface Order {
  title: string;
}
interface Routes {
  "POST /one": Route<{ body: Json<Order>; response: Json<Order> }>;
  "POST /orders": Route<{
    body: Json<Order> | Form<Order> | Text<"text/csv" | "text/plain"> | Raw<"Image/*">;
  }>;
  "POST /plain": Route<{ body: Order | { name: string } | Multipart<{ a: string }> }>;
  "POST /flag": Route<{ body: boolean | Text }>;
  "GET /report": Route<{ response: Json<Order[]> | Text<"text/csv"> | Bytes<"application/pdf"> }>;
  "GET /lines": Route<{ response: Order[] | Lines<Order> | Events<{ added: Order }> }>;
  "GET /reply": Route<{ response: Reply<200, Order | Text<"text/csv">> | Reply<204> }>;
}
type Body<TKey extends keyof Routes> =
  HandlerInput<Routes[TKey]> extends { body: infer TBody } ? TBody : never;
declare const order: Order;

// A contract with one format has no union.
expectTrue<Equal<Body<"POST /one">, Order>>();

// The media type of a request narrows its value.
export function narrowed(body: Body<"POST /orders">): void {
  switch (body.type) {
    case "application/json":
    case "application/x-www-form-urlencoded":
      expectTrue<Equal<typeof body.value, Order>>();
      break;
    case "text/csv":
    case "text/plain":
      expectTrue<Equal<typeof body.value, string>>();
      break;
    default:
      expectTrue<Equal<typeof body.type, `image/${string}`>>();
      expectTrue<Equal<typeof body.value, Uint8Array>>();
  }
}
export function plain(body: Body<"POST /plain">): void {
  if (body.type === "application/json") expectTrue<Equal<typeof body.value, Order | { name: string }>>();
  else expectTrue<Equal<typeof body.value, { a: string }>>();
}
export function flag(body: Body<"POST /flag">): void {
  if (body.type === "application/json") expectTrue<Equal<typeof body.value, boolean>>();
}

// A handler returns one function for each media type.
const others = {
  "POST /one": () => order,
  "POST /orders": () => undefined,
  "POST /plain": () => undefined,
  "POST /flag": () => undefined,
} as const;
const handlers = defineHandlers<Routes>({
  ...others,
  "GET /report": async () => ({
    "application/json": async () => [order],
    "text/csv": () => "title\n",
    "application/pdf": () => new Uint8Array(0),
  }),
  "GET /lines": () => ({
    "application/json": () => [order],
    "application/jsonl": () => [order],
    "text/event-stream": async function* () {
      yield { event: "added", data: order } as const;
    },
  }),
  "GET /reply": ({ reply }) => reply(200, { "application/json": () => order, "text/csv": () => "title\n" }),
});
const wrong = defineHandlers<Pick<Routes, "GET /report" | "GET /reply">>({
  // @ts-expect-error -- the function for PDF is missing
  "GET /report": () => ({ "application/json": () => [order], "text/csv": () => "" }),
  // @ts-expect-error -- a number is no text
  "GET /reply": ({ reply }) => reply(200, { "application/json": () => order, "text/csv": () => 1 }),
});

void [handlers, wrong];

// A client of the contracts, without generated code.
export async function calls(): Promise<void> {
  const api = createClient<Routes>({ baseUrl: "http://localhost" });
  expectTrue<Equal<typeof one, Order>>();
  const one = await api.post("/one", { body: order });
  await api.post("/orders", { body: order });
  await api.post("/orders", { body: new URLSearchParams() });
  await api.post("/orders", { body: "a", contentType: "text/csv" });
  // @ts-expect-error -- a text needs its content type
  await api.post("/orders", { body: "a" });
  const report = await api.get("/report");
  expectTrue<Equal<typeof report, Order[] | Response>>();
}
