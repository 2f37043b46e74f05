import { createApp } from "@kit/core";
import { chosenServer } from "../../subjects/chosen-server.ts";
import { allowedOrigin, chosenFeature } from "../../subjects/edge.ts";
import { edgeHandlers } from "./edge.handlers.ts";

const feature = chosenFeature();

/** Application that is measured. Only the feature that the benchmark has chosen is on. */
export const app = createApp({
  server: await chosenServer(),
  ...(feature === "cors" && { cors: { origins: [allowedOrigin] } }),
  ...(feature === "etag" && { etag: true }),
  ...(feature === "compression" && { compression: { encodings: ["gzip" as const] } }),
  routes: [{ handlers: edgeHandlers }],
});
