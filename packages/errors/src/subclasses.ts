import { AppError } from "./app-error.ts";

// Each constructor accepts a code and a message, or neither. The types refuse a single string, since it could be
// either.

/**
 * Error for status 404: the requested resource does not exist. The default code is `NOT_FOUND`.
 *
 * @example
 * ```ts
 * const note = await findNote(params.id);
 * if (!note) throw new NotFoundError("NOTE_NOT_FOUND", `There is no note ${params.id}`);
 * ```
 */
export class NotFoundError extends AppError {
  static {
    nameIt(this, "NotFoundError");
  }

  constructor();
  constructor(code: string, message: string, details?: object, options?: ErrorOptions);
  constructor(code = "NOT_FOUND", message = "Not found", details?: object, options?: ErrorOptions) {
    super(code, 404, message, details, options);
  }
}

/**
 * Error for status 400: the input breaks a rule that its type cannot express. The default code is `VALIDATION_ERROR`.
 *
 * @example
 * ```ts
 * if (body.from > body.to) throw new ValidationError("EMPTY_RANGE", "`from` is after `to`", { field: "from" });
 * ```
 */
export class ValidationError extends AppError {
  static {
    nameIt(this, "ValidationError");
  }

  constructor();
  constructor(code: string, message: string, details?: object, options?: ErrorOptions);
  constructor(
    code = "VALIDATION_ERROR",
    message = "Validation failed",
    details?: object,
    options?: ErrorOptions,
  ) {
    super(code, 400, message, details, options);
  }
}

/**
 * Error for status 401: the client is not authenticated. The default code is `UNAUTHORIZED`.
 *
 * @example
 * ```ts
 * if (!userId) throw new UnauthorizedError("INVALID_TOKEN", "The token names no user");
 * ```
 */
export class UnauthorizedError extends AppError {
  static {
    nameIt(this, "UnauthorizedError");
  }

  constructor();
  constructor(code: string, message: string, details?: object, options?: ErrorOptions);
  constructor(code = "UNAUTHORIZED", message = "Unauthorized", details?: object, options?: ErrorOptions) {
    super(code, 401, message, details, options);
  }
}

/**
 * Error for status 403: the client is authenticated but lacks the permission. The default code is `FORBIDDEN`.
 *
 * @example
 * ```ts
 * if (note.authorId !== ctx.userId) throw new ForbiddenError("NOT_YOURS", "Only its author may delete a note");
 * ```
 */
export class ForbiddenError extends AppError {
  static {
    nameIt(this, "ForbiddenError");
  }

  constructor();
  constructor(code: string, message: string, details?: object, options?: ErrorOptions);
  constructor(code = "FORBIDDEN", message = "Forbidden", details?: object, options?: ErrorOptions) {
    super(code, 403, message, details, options);
  }
}

/**
 * Error for status 409: the request conflicts with stored data. The default code is `CONFLICT`.
 *
 * @example
 * ```ts
 * if (await userByEmail(body.email)) throw new ConflictError("USER_EMAIL_CONFLICT", "The address is taken");
 * ```
 */
export class ConflictError extends AppError {
  static {
    nameIt(this, "ConflictError");
  }

  constructor();
  constructor(code: string, message: string, details?: object, options?: ErrorOptions);
  constructor(code = "CONFLICT", message = "Conflict", details?: object, options?: ErrorOptions) {
    super(code, 409, message, details, options);
  }
}

/**
 * Sets the `name` of a class's instances. The name is a constant because minifiers rename classes, which
 * changes `new.target.name`.
 */
function nameIt(constructor: { readonly prototype: AppError }, name: string): void {
  Object.defineProperty(constructor.prototype, "name", { value: name, configurable: true, writable: true });
}
