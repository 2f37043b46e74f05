import type { ValidationFailure } from "@kit/types";

/** Result of reading a body: the value for the handler, the broken rules, or the reason for a response 415. */
export type BodyResult =
  | {
      readonly value: unknown;
      /** True if the value may have characters that databases cannot store. */
      readonly mayBeUnstorable: boolean;
    }
  | {
      readonly failures: readonly ValidationFailure[];
      /** Name of the type that the value breaks, if the content type chose the type. */
      readonly type?: string | undefined;
    }
  | { readonly unsupported: string };
