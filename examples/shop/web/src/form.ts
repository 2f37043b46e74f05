import { type InvalidField, isApiError } from "@kit/client";
import { act } from "./actions.ts";
import { element } from "./elements.ts";
import { clearMessages } from "./messages.ts";

/** Field of a form. */
export interface Field<TName extends string> {
  /** Name of the property in the body. */
  readonly name: TName;
  readonly label: string;
  readonly type: "email" | "password" | "text";
  readonly autocomplete: AutoFill;
}

/** Form that sends its values as a body. */
export interface FormOptions<TName extends string> {
  readonly title: string;
  readonly fields: readonly Field<TName>[];
  readonly send: (body: Record<TName, string>) => Promise<void>;
}

/**
 * Creates a form. The API checks the values: each rule is written once, in the contract. An invalid value is explained at its
 * field, and other failures above the page.
 */
export function formOf<const TName extends string>({ title, fields, send }: FormOptions<TName>): HTMLElement {
  const id = `form-${title.toLowerCase().replaceAll(" ", "-")}`;
  const inputs = fields.map((field) => inputOf(id, field));
  const button = element("button", { className: "primary", textContent: title });
  const rows = inputs.map(({ label, input, message }) =>
    element("div", { className: "field" }, label, input, message),
  );
  const form = element(
    "form",
    { noValidate: true, ariaLabel: title },
    element("h2", { textContent: title }),
    ...rows,
    button,
  );

  const submit = async (): Promise<void> => {
    clearMessages();
    for (const input of inputs) explain(input, []);
    try {
      const body = Object.fromEntries(inputs.map(({ input }) => [input.name, input.value]));
      await send(body as Record<TName, string>);
    } catch (error) {
      const invalid = invalidFields(error);
      for (const input of inputs) explain(input, invalid);
      const first = inputs.find(({ input }) => input.ariaInvalid === "true");
      if (first === undefined) throw error;
      first.input.focus();
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void act(button, submit);
  });
  return form;
}

interface Input {
  readonly label: HTMLLabelElement;
  readonly input: HTMLInputElement;
  readonly message: HTMLElement;
}

function inputOf(form: string, { name, label, type, autocomplete }: Field<string>): Input {
  const id = `${form}-${name}`;
  const message = element("p", { id: `${id}-message`, className: "invalid" });
  const input = element("input", { id, name, type, autocomplete });
  input.setAttribute("aria-describedby", message.id);
  return { label: element("label", { htmlFor: id, textContent: label }), input, message };
}

/** Shows at an input that its value is one of the invalid ones, or removes the message. */
function explain({ input, message }: Input, invalid: readonly InvalidField[]): void {
  const field = invalid.find(({ path }) => path === `$.${input.name}`);
  message.textContent = field === undefined ? "" : adviceOf(field);
  input.ariaInvalid = field === undefined ? null : "true";
}

/** Returns what to write in place of an invalid value. */
function adviceOf({ rule, limit, expected }: InvalidField): string {
  if (rule === "minLength")
    return limit === 1 ? "Fill in this field." : `Write at least ${limit} characters.`;
  if (rule === "maxLength") return `Write at most ${limit} characters.`;
  if (rule === "format") return `This is not a valid ${limit} address.`;
  return `Write ${expected}.`;
}

function invalidFields(error: unknown): readonly InvalidField[] {
  return isApiError(error, "VALIDATION_ERROR")
    ? (error.details as { fields: readonly InvalidField[] }).fields
    : [];
}
