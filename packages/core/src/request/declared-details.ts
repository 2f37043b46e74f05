import { AppError } from "@kit/errors";

import type { ExecutableRoute } from "./executable-route.ts";
import { ResponseContractError } from "../validation-error.ts";

/**
 * Returns an error with the details that its contract declares: declared properties only, in their JSON form. An error
 * without declared details is returned unchanged. If the details break the contract, returns an error that says so,
 * which becomes a 500 response.
 */
export function withDeclaredDetails(
  error: unknown,
  executable: ExecutableRoute | null,
  isChecked: boolean,
): unknown {
  const declared = executable?.compiled.details;
  if (declared === undefined) return error;
  if (!AppError.isAppError(error) || !Object.hasOwn(declared, error.code)) return error;
  const { ref } = executable!.compiled;
  const { code, details } = error;
  const serializer = declared[code]!;
  if (isChecked) {
    const failures = serializer.failures(details);
    if (failures.length > 0) {
      const found = `the error ${code} with details that are not a valid`;
      return new ResponseContractError(ref, serializer.name, failures, found);
    }
  }
  try {
    const written: unknown = JSON.parse(serializer.serialize(details));
    // The error itself stays unchanged, because the application may use it later.
    return Object.create(error, { details: { value: written, enumerable: true } }) as unknown;
  } catch (failure) {
    return failure;
  }
}
