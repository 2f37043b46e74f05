import { isApiError } from "@kit/client";
import { showProblem } from "./messages.ts";
import { setAccount } from "./session.ts";
import { goTo } from "./view.ts";

/** Runs the action of a button and shows its failure. The button is disabled until then, so that a second click does nothing. */
export async function act(button: HTMLButtonElement, run: () => Promise<void>): Promise<void> {
  button.disabled = true;
  try {
    await run();
  } catch (error) {
    await handleFailure(error);
  } finally {
    button.disabled = false;
  }
}

/** Shows a failure. If the visitor is not logged in, or the session has ended, the page for the login is opened. */
export async function handleFailure(error: unknown): Promise<void> {
  if (!isApiError(error, "UNAUTHORIZED")) return showProblem(error);
  await setAccount(null);
  goTo("#/login", "Log in to continue.");
}
