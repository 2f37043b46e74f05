/** Function of any wrapper, as the runtime uses it. */
export type AnyWrapperFunction = (input: object, next: (added?: unknown) => Promise<object>) => unknown;

/** Middleware that `defineWrapper` created. It is registered like other middleware. */
export class Wrapper<TAdded extends object | void = void> {
  /** Exists only for the type checker: the properties that the wrapper adds to `ctx`. */
  declare readonly addsToContext: TAdded;
  /** Function of the wrapper. Only the pipeline calls it. */
  readonly run: AnyWrapperFunction;

  constructor(run: AnyWrapperFunction) {
    this.run = run;
  }
}

/** Any wrapper. */
export type AnyWrapper = Wrapper<object | void>;
