/** Function of any wrapper, as the runtime uses it. */
export type AnyWrapperFunction = (input: object, next: (added?: unknown) => Promise<object>) => unknown;

/**
 * Any wrapper. Do not use this type as the type of a constant: it hides the declarations of the wrapper, so the build
 * refuses the constant.
 */
export class AnyWrapper {
  /** Function of the wrapper. Only the pipeline calls it. */
  readonly run: AnyWrapperFunction;

  constructor(run: AnyWrapperFunction) {
    this.run = run;
  }
}

/**
 * Middleware that `defineWrapper` created. It is registered like other middleware. The type argument has the parts that
 * the wrapper declares, in the form of the type argument of `defineWrapper`. The build reads the parts there if the
 * wrapper comes from a package.
 */
export class Wrapper<TParts extends object = {}> extends AnyWrapper {
  /**
   * Exists only for the type checker. The parts are also a parameter, so that a wrapper cannot be assigned to a type with
   * fewer replies or failures.
   */
  declare readonly parts: (parts: TParts) => TParts;
}
