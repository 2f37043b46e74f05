/**
 * Bodies that are not JSON. Generated clients import this module if their API has such bodies.
 *
 * @module
 */
import { encode } from "./encode.ts";
import type { BodyFormats } from "../body-format.ts";
import { isEndless, read } from "./read.ts";

/** Functions that write requests and read responses which are not JSON. */
export const bodyFormats: BodyFormats = { encode, read, isEndless };
