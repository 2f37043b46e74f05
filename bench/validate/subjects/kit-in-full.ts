/** Subject in its own process: kit with all details of failures, as in development. */
export { inFull as subject } from "./kit.ts";
