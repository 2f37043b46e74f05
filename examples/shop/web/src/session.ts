import { type AccountView, api, type Cart } from "./api.ts";

/** State of the visitor, which the pages share. */
export const session: { account: AccountView | null; cart: Cart } = {
  account: null,
  cart: { lines: [], total: 0 },
};

const listeners = new Set<() => void>();

/** Calls a function after each change of the state. */
export function onChange(listener: () => void): void {
  listeners.add(listener);
}

/** Stores the account of the visitor, and reads the cart. */
export async function setAccount(account: AccountView | null): Promise<void> {
  session.account = account;
  setCart(account === null ? { lines: [], total: 0 } : await api.get("/cart"));
}

/** Stores the cart that a response has. */
export function setCart(cart: Cart): void {
  session.cart = cart;
  for (const listener of listeners) listener();
}

/** Asks the API who is logged in. */
export async function readSession(): Promise<void> {
  await setAccount((await api.get("/session")).account);
}
