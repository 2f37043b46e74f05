/** kit's failures with all their words, in a process of its own. */
export { inFull as subject } from "./kit.ts";
