/** kit with all texts of failures, in a separate process. */
export { inFull as subject } from "./kit.ts";
