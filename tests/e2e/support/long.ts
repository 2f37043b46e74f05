/**
 * Value for the option `skip` of tests that run only with `cargo xtask test --long`. These tests take long. In other
 * runs, shorter tests cover the same code.
 */
export const onlyLong: string | false = process.env["KIT_LONG"] === "1" ? false : "only with --long";
