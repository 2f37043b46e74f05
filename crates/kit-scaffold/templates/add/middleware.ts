import { defineMiddleware } from "@kit/core";

/** Runs before the handlers. Its result is added to their context; the type argument is the type of the result. */
export const exampleMiddleware = defineMiddleware<object>(({ ctx }) => {
  ctx.log.debug("exampleMiddleware");
  return {};
});
