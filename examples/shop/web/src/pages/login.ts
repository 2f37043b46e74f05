import { type AccountView, api } from "../api.ts";
import { element } from "../elements.ts";
import { formOf } from "../form.ts";
import { setAccount } from "../session.ts";
import { goTo, type View } from "../view.ts";

const email = { name: "email", label: "Email", type: "email", autocomplete: "email" } as const;
const password = { name: "password", label: "Password", type: "password" } as const;

/** Lets the visitor log in, or create an account. */
export async function loginPage(): Promise<View> {
  const logIn = formOf({
    title: "Log in",
    fields: [email, { ...password, autocomplete: "current-password" }],
    send: async (body) => welcome(await api.post("/session", { body })),
  });
  const register = formOf({
    title: "Create an account",
    fields: [
      { name: "name", label: "Name", type: "text", autocomplete: "name" },
      email,
      { ...password, autocomplete: "new-password" },
    ],
    send: async (body) => welcome(await api.post("/accounts", { body })),
  });
  return { title: "Log in", content: [element("div", { className: "forms" }, logIn, register)] };
}

async function welcome(account: AccountView): Promise<void> {
  await setAccount(account);
  goTo("#/", `Welcome, ${account.name}!`);
}
