import { defineErrorFormat, type ErrorFormat } from "@kit/core";

/** Error body of RealWorld. */
export interface RealWorldError {
  errors: { body: string[] };
}

export const realWorldErrors: ErrorFormat<RealWorldError> = defineErrorFormat<RealWorldError>({
  body: ({ message, fields }) => ({
    errors: {
      body:
        fields.length > 0
          ? fields.map(({ path, expected }) => `${path.slice(2)} must be ${expected}`)
          : [message],
    },
  }),
});
