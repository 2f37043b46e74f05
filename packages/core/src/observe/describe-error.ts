import { AppError } from "@kit/errors";
import type { ErrorRecord } from "@kit/types";

import { createErrorMiddleware } from "../error-middleware.ts";
import type { RequestFailure } from "../failed-request.ts";
import { messageForLog } from "../logging/database-error.ts";
import { toLoggable } from "../logging/loggable.ts";
import type { Redactor } from "../logging/redact.ts";
import { shownPath } from "./target.ts";
import { describeWithoutStack, describeCauses, describeThrown } from "../thrown.ts";

const inDevelopment = createErrorMiddleware({ isDev: true });

/** Returns a complete description of a failure, as plain data. Never throws. */
export function describeError(error: unknown, request: RequestFailure, redactor: Redactor): ErrorRecord {
  const { method, phase, traceId, requestId, route } = request;
  const path = shownPath(request.path, route, redactor);
  const place = { traceId, requestId, method, path, route: route?.ref ?? null, phase };
  const timestamp = new Date().toISOString();
  try {
    const { body } = inDevelopment(error, request);
    const { server: _, serverAdapter: __, ...told } = body.error as Record<string, unknown>;
    const shown = { ...told, ...(AppError.isAppError(error) ? stackOf(error) : withoutData(error, told)) };
    // Only these properties contain data of the application. The others contain names that kit defines.
    const { details, failures, message, stack, ...rest } = shown as Record<string, unknown>;
    const own = toLoggable({ details, failures }, redactor) as Pick<ErrorRecord, "details" | "failures">;
    const texts = {
      message: redactor.redactMessage(String(message)),
      ...(typeof stack === "string" && { stack: redactor.redactMessage(stack) }),
    };
    return {
      ...(rest as unknown as ErrorRecord),
      ...texts,
      ...definedOf(own),
      ...place,
      timestamp,
    };
  } catch (failure) {
    const { message } = describeWithoutStack(failure);
    const code = "INTERNAL_SERVER_ERROR";
    return { ...place, timestamp, status: 500, code, message: `The error cannot be described: ${message}` };
  }
}

function stackOf(error: unknown): { stack?: string } {
  const { stack } = describeThrown(error);
  return stack === undefined ? {} : { stack };
}

/**
 * Returns the message and details of an unknown error, without the user data that libraries write into
 * messages and stacks.
 */
function withoutData(error: unknown, told: Record<string, unknown>): object {
  const message = messageForLog(error, describeWithoutStack(error).message);
  const causes = describeCauses(error, messageForLog);
  const { stack: own } = describeThrown(error);
  const stack = own?.split(describeWithoutStack(error).message).join(message);
  const details = {
    ...(told["details"] as object | undefined),
    ...(causes.length > 0 && { causes }),
    ...(stack !== undefined && { stack }),
  };
  return { message, details, ...(stack !== undefined && { stack }) };
}

function definedOf<T extends object>(object: T): Partial<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<T>;
}
