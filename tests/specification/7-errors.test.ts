import { run } from "./run.ts";
import { applicationErrors, errorMiddleware } from "./sections/7-1-errors.ts";
import { codes, extendedFields } from "./sections/7-3-answers.ts";

run(applicationErrors, errorMiddleware, extendedFields, codes);
