import { isApiError } from "@kit/client";
import { createClient, type Routes } from "../../.kit/client/index.ts";
import type { Todo } from "../../.kit/types.ts";

/** Client of the API, which has the same origin as the page. */
const api = createClient<Routes>({ baseUrl: location.origin });

const list = document.querySelector<HTMLUListElement>("#todos")!;
const problem = document.querySelector<HTMLParagraphElement>("#problem")!;
const form = document.querySelector<HTMLFormElement>("#add")!;

/** Runs an action, then shows the todos. Shows the message of the API if the action fails. */
async function act(action: () => Promise<unknown>): Promise<void> {
  problem.textContent = "";
  try {
    await action();
    list.replaceChildren(...(await api.get("/todos")).map(itemOf));
  } catch (error) {
    problem.textContent = isApiError(error) ? error.message : "The API cannot be reached.";
  }
}

/** Creates the list item of a todo. */
function itemOf({ id, title, completed }: Todo): HTMLLIElement {
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = completed;
  box.addEventListener("change", () =>
    act(() => api.put("/todos/:id", { params: { id }, body: { completed: box.checked } })),
  );
  const label = document.createElement("label");
  label.append(box, title);
  const remove = document.createElement("button");
  remove.textContent = "Delete";
  remove.ariaLabel = `Delete ${title}`;
  remove.addEventListener("click", () => act(() => api.delete("/todos/:id", { params: { id } })));
  const item = document.createElement("li");
  item.append(label, remove);
  return item;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const title = String(new FormData(form).get("title"));
  // The API checks the title: the rules are in `src/todos.types.ts`.
  void act(async () => {
    await api.post("/todos", { body: { title } });
    form.reset();
  });
});

void act(async () => {});
