import { defineErrorFormat } from "@kit/core";

/** Error body of the RealWorld specification: texts by the name of the part that they are about. */
export interface ConduitErrors {
  errors: Record<string, string[]>;
}

/** Texts of the specification for the errors of access tokens. */
const tokenTexts: Readonly<Record<string, string>> = {
  UNAUTHORIZED: "is missing",
  INVALID_TOKEN: "is invalid",
};

/** Error format of all responses. The name of an error is the first word of its code: `article` for `ARTICLE_NOT_FOUND`. */
export const errorFormat = defineErrorFormat<ConduitErrors>({
  body: ({ code, message, fields }) => {
    const errors: Record<string, string[]> = {};
    for (const { path, rule, expected } of fields) {
      const name = path.split(".").at(-1) ?? path;
      const isBlank = rule === "minLength" || rule === "required";
      (errors[name] ??= []).push(isBlank ? "can't be blank" : `must be ${expected}`);
    }
    const aboutToken = tokenTexts[code];
    if (aboutToken !== undefined) errors["token"] = [aboutToken];
    else if (fields.length === 0) errors[code.split("_")[0]!.toLowerCase()] = [message];
    return { errors };
  },
});
