//! Tests of decimal numbers as text: `Decimal<10, 2>` of `@kit/types`, and of column types that `@storedAs` selects.

use crate::support::{check_mistakes, check_types, dedent};

const IMPORT: &str = "import type { Decimal } from \"@kit/types\";\n";

const PRICE: &str = r"string /* @pattern ^-?(?:0|[1-9][0-9]{0,7})(?:\.[0-9]{1,2})?$ */";

#[track_caller]
fn refused(text: &str, expected: &str) {
    check_mistakes(
        &[("src/a.types.ts", &format!("{IMPORT}{}", dedent(text)))],
        expected,
    );
}

#[test]
fn a_decimal_keeps_its_digits_through_aliases_unions_generics_and_references() {
    check_types(
        &format!(
            r#"{IMPORT}
        export type Price = Decimal<10, 2>;
        type Digits<P extends number> = Decimal<P, 2>;
        type Text<T> = T extends string ? T : never;
        /** @table */
        export interface Item {{
          /** @id */ price: Decimal<10, 2>;
          named: Price | null;
          generic?: Digits<10>;
          picked: Text<Price>;
          listed: Price[];
          /** @references Item.price */ other: string;
        }}
        export type Part = Pick<Item, "price">;
        "#
        ),
        &format!(
            r"
        type Price = {PRICE}
        type Item = {{
          /* @id */ price: {PRICE};
          named: {PRICE} | null;
          generic?: {PRICE};
          picked: {PRICE};
          listed: {PRICE}[];
          /* @references Item.price */ other: {PRICE};
        }}
        type Part = {{
          /* @id */ price: {PRICE};
        }}
        entity Item = table items
        "
        ),
    );
}

#[test]
fn the_scale_of_a_decimal_is_zero_unless_given() {
    check_types(
        &format!("{IMPORT}export interface A {{ a: Decimal<1>; b: Decimal<2, 2>; c: Decimal<2, 1> }}"),
        r"
        type A = {
          a: string /* @pattern ^-?(?:0|[1-9])$ */;
          b: string /* @pattern ^-?0(?:\.[0-9]{1,2})?$ */;
          c: string /* @pattern ^-?(?:0|[1-9])(?:\.[0-9])?$ */;
        }
        ",
    );
}

#[test]
fn wrong_digits_are_refused() {
    refused(
        r"
        /** @table */
        export interface A {
          none: Decimal<0>;
          scale: Decimal<2, 3>;
          many: Decimal<1001>;
          negative: Decimal<3, -1>;
          open: Decimal<number>;
          missing: Decimal;
        }
        ",
        r"
        src/a.types.ts:4:9 KIT1308 `Decimal<0, 0>` is not a decimal type of PostgreSQL
          help: write the number of all digits, 1 to 1000, and the number of digits after the point, which must not be greater: `Decimal<10, 2>`
        src/a.types.ts:5:10 KIT1308 `Decimal<2, 3>` is not a decimal type of PostgreSQL
          help: write the number of all digits, 1 to 1000, and the number of digits after the point, which must not be greater: `Decimal<10, 2>`
        src/a.types.ts:6:9 KIT1308 `Decimal<1001, 0>` is not a decimal type of PostgreSQL
          help: write the number of all digits, 1 to 1000, and the number of digits after the point, which must not be greater: `Decimal<10, 2>`
        src/a.types.ts:7:13 KIT1308 `Decimal<3, -1>` is not a decimal type of PostgreSQL
          help: write the number of all digits, 1 to 1000, and the number of digits after the point, which must not be greater: `Decimal<10, 2>`
        src/a.types.ts:8:9 KIT1308 `Decimal<number, 0>` is not a decimal type of PostgreSQL
          help: write the number of all digits, 1 to 1000, and the number of digits after the point, which must not be greater: `Decimal<10, 2>`
        src/a.types.ts:9:12 KIT1308 `Decimal` takes 1 to 2 type arguments, not 0
          help: write `Decimal<10, 2>` for numbers with 10 digits, of which 2 are after the point
        ",
    );
}

#[test]
fn rules_of_other_types_do_not_fit_a_decimal() {
    refused(
        r"
        /** @table */
        export interface A {
          /** @maxLength 9 */ long: Decimal<3>;
          /** @minimum 0 */ least: Decimal<3> | null;
          keys: Record<Decimal<3>, string>;
          part: `EUR ${Decimal<3>}`;
        }
        ",
        r"
        src/a.types.ts:4:7 KIT1304 `@maxLength` is for strings, and this is `Decimal<3, 0>`
          help: remove the tag; the database checks other rules of a decimal number: `@check price >= 0`
        src/a.types.ts:5:7 KIT1304 `@minimum` is for numbers, and this is `Decimal<3, 0>`
          help: remove the tag; the database checks other rules of a decimal number: `@check price >= 0`
        src/a.types.ts:6:24 KIT1301 a `Decimal` cannot be a key, because kit would not check its digits there
          help: write `string`, or an alias of `string` with a `@pattern`
        src/a.types.ts:7:24 KIT1301 a `Decimal` cannot be a part of a template literal type, because kit would not check its digits there
          help: write `string`, or an alias of `string` with a `@pattern`
        ",
    );
}

#[test]
fn stored_as_adds_the_rules_of_the_column_type() {
    check_types(
        r"
        export interface A {
          /** @storedAs smallint */ a: number;
          /** @storedAs smallint @minimum 1 @maximum 99999 */ b: number | null;
          /** @storedAs date */ c?: string;
          /** @storedAs array */ e: Date[] | null;
          /** @storedAs citext @maxLength 9 */ f: string;
          /** @generated uuidv7 */ d: string;
        }
        ",
        r"
        type A = {
          /* @storedAs smallint */ a: number /* @minimum -32768 @maximum 32767 @integer */;
          /* @storedAs smallint */ b: number /* @minimum 1 @maximum 32767 @integer */ | null;
          /* @storedAs date */ c?: string /* @format date @pattern ^(?:[1-9]|0[1-9]|00[1-9]|000[1-9]) */;
          /* @storedAs array */ e: Date[] | null;
          /* @storedAs citext */ f: string /* @maxLength 9 */;
          /* @generated uuidv7 */ d: string /* @format uuid */;
        }
        ",
    );
}

#[test]
fn stored_as_is_refused_for_other_types() {
    refused(
        r"
        export interface A {
          /** @storedAs smallint */ a: string;
          /** @storedAs date */ b: Date;
          /** @storedAs date */ c: string | number;
          /** @storedAs money */ d: string;
          /** @storedAs array */ e: string;
          /** @storedAs citext */ f: string | number;
        }
        ",
        r"
        src/a.types.ts:3:7 KIT1304 `@storedAs smallint` needs a property of type `number`
          help: change the type to `number` or `number | null`, or remove the tag
        src/a.types.ts:4:7 KIT1304 `@storedAs date` needs a property of type `string`
          help: change the type to `string` or `string | null`, or remove the tag
        src/a.types.ts:5:7 KIT1304 `@storedAs date` needs a property of type `string`
          help: change the type to `string` or `string | null`, or remove the tag
        src/a.types.ts:6:7 KIT1303 `@storedAs money` is not valid
          help: write `@storedAs smallint`, `@storedAs date`, `@storedAs array`, `@storedAs citext` or `@storedAs enum my_type`
        src/a.types.ts:7:7 KIT1304 `@storedAs array` needs a property whose type is an array
          help: change the type to `string[]` or `string[] | null`, or remove the tag
        src/a.types.ts:8:7 KIT1304 `@storedAs citext` needs a property of type `string`
          help: change the type to `string` or `string | null`, or remove the tag
        ",
    );
}
