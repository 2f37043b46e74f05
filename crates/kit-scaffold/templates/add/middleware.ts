import { defineMiddleware } from "@kit/core";

/** Runs before the handlers. What it returns is added to their context; give its type as the type argument. */
export const exampleMiddleware = defineMiddleware<object>(({ ctx }) => {
  ctx.log.debug("exampleMiddleware");
  return {};
});
