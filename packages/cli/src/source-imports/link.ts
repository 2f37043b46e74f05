/**
 * Loaded with `--import` into processes that run sources of the project.
 *
 * @module
 */
import { resolveSourceImports } from "./hook.ts";
import { explainUnsupportedSyntax } from "./unsupported-syntax.ts";

resolveSourceImports();
explainUnsupportedSyntax();
