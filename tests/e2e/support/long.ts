/**
 * Value for the option `skip` of tests that run only with `cargo xtask test --long`. Such a test takes long, and a shorter test covers the
 * same code in the other runs.
 */
export const onlyLong: string | false = process.env["KIT_LONG"] === "1" ? false : "only with --long";
