import { createClient, type Routes } from "../../.kit/client/index.ts";

export type { AccountView, Cart, OrderView, ProductView, Tag } from "../../.kit/types.ts";

/** Client of the API. The API has another origin, so the browser sends the cookie of the session only if it is told so. */
export const api = createClient<Routes>({
  baseUrl: import.meta.env["VITE_API_URL"] as string,
  credentials: "include",
});
