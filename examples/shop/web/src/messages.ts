import { isApiError } from "@kit/client";
import { byId, element } from "./elements.ts";

/** Shows a message, which screen readers read when they have finished their sentence. */
export function announce(text: string): void {
  clearMessages();
  byId("status").textContent = text;
}

/** Shows a failure, which screen readers read at once. */
export function showProblem(error: unknown): void {
  clearMessages();
  console.error(error);
  byId("alert").replaceChildren(element("p", { textContent: explain(error) }));
}

/** Removes the messages of the last action. */
export function clearMessages(): void {
  byId("status").textContent = "";
  byId("alert").replaceChildren();
}

/** Returns the text for a failure. The API explains a refusal in its problem details, which are the message of the error. */
function explain(error: unknown): string {
  if (!isApiError(error)) return "The page does not work. Load it again.";
  if (error.status === 0) return "The shop cannot be reached. Try again.";
  if (error.code === "RATE_LIMITED") {
    return `You have tried too often. Try again in ${error.headers.get("retry-after")} seconds.`;
  }
  if (error.status < 500) return error.message;
  return `The shop has a fault. If you ask for help, name this number: ${error.traceId}`;
}
