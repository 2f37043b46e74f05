//! Tests of decimal numbers as text: `Decimal<10, 2>` of `@kit/types`, and of column types that `@storedAs` selects.

use kit_ir::{Constraints, DecimalRange, Digits};

use crate::support::{check_mistakes, check_types, dedent};

const IMPORT: &str = "import type { Decimal } from \"@kit/types\";\n";

const PRICE: &str = "Decimal<10, 2>";

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
fn a_string_is_assignable_to_a_decimal_and_other_digits_are_not() {
    check_types(
        &format!(
            r#"{IMPORT}
        type Fits<T> = T extends Decimal<10, 2> ? "yes" : "no";
        export interface A {{
          text: Fits<string>;
          literal: Fits<"1.50">;
          same: Fits<Decimal<10, 2>>;
          other: Fits<Decimal<12, 2>>;
          number: Fits<number>;
          branded: Fits<string & {{ readonly __brand: 1 }}>;
          back: Decimal<10, 2> extends string ? "yes" : "no";
        }}
        "#
        ),
        r#"
        type A = {
          text: "yes";
          literal: "yes";
          same: "yes";
          other: "no";
          number: "no";
          branded: "yes";
          back: "yes";
        }
        "#,
    );
}

#[test]
fn the_scale_of_a_decimal_is_zero_unless_given() {
    check_types(
        &format!("{IMPORT}export interface A {{ a: Decimal<1>; b: Decimal<2, 2>; c: Decimal<2, 1> }}"),
        r"
        type A = {
          a: Decimal<1, 0>;
          b: Decimal<2, 2>;
          c: Decimal<2, 1>;
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
          /** @multipleOf 5 */ steps: Decimal<3> | null;
          /** @integer */ whole: Decimal<3>;
          /** @minimum 1e1 */ exponent: Decimal<3>;
          keys: Record<Decimal<3>, string>;
          part: `EUR ${Decimal<3>}`;
        }
        ",
        r"
        src/a.types.ts:4:7 KIT1304 `@maxLength` is for strings, and this is `Decimal<3, 0>`
          help: remove the tag; a decimal number takes `@minimum 0.01` and similar bounds, and the database checks other rules: `@check mod(price, 0.05) = 0`
        src/a.types.ts:5:7 KIT1304 `@multipleOf` is for numbers, and this is `Decimal<3, 0>`
          help: remove the tag; a decimal number takes `@minimum 0.01` and similar bounds, and the database checks other rules: `@check mod(price, 0.05) = 0`
        src/a.types.ts:6:7 KIT1304 `@integer` is for numbers, and this is `Decimal<3, 0>`
          help: remove the tag; a decimal number takes `@minimum 0.01` and similar bounds, and the database checks other rules: `@check mod(price, 0.05) = 0`
        src/a.types.ts:7:7 KIT1304 `@minimum` is for numbers, and this is `Decimal<3, 0>`
          help: remove the tag; a decimal number takes `@minimum 0.01` and similar bounds, and the database checks other rules: `@check mod(price, 0.05) = 0`
        src/a.types.ts:8:24 KIT1301 a `Decimal` cannot be a key, because kit would not check its digits there
          help: write `string`, or an alias of `string` with a `@pattern`
        src/a.types.ts:9:24 KIT1301 a `Decimal` cannot be a part of a template literal type, because kit would not check its digits there
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
          /** @storedAs integer @exclusiveMinimum 0 */ g: number;
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
          /* @storedAs integer */ g: number /* @minimum -2147483648 @maximum 2147483647 @exclusiveMinimum 0 @integer */;
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
          help: write `@storedAs smallint`, `@storedAs integer`, `@storedAs date`, `@storedAs array`, `@storedAs citext` or `@storedAs enum my_type`
        src/a.types.ts:7:7 KIT1304 `@storedAs array` needs a property whose type is an array
          help: change the type to `string[]` or `string[] | null`, or remove the tag
        src/a.types.ts:8:7 KIT1304 `@storedAs citext` needs a property of type `string`
          help: change the type to `string` or `string | null`, or remove the tag
        ",
    );
}

#[test]
fn bounds_of_a_decimal_come_from_aliases_properties_and_references() {
    check_types(
        &format!(
            r"{IMPORT}
        /** @minimum 0.50 */
        export type Price = Decimal<4, 2>;
        /** @table */
        export interface Item {{
          /** @id */ price: Price;
          /** @minimum 10 */ high: Price | null;
          /** @minimum 0.1 */ low: Price;
          /** @exclusiveMaximum 20.00 */ between: Price;
          /** @references Item.price */ other: string;
        }}
        "
        ),
        r"
        type Price = Decimal<4, 2> /* @minimum 0.50 */
        type Item = {
          /* @id */ price: Decimal<4, 2> /* @minimum 0.50 */;
          high: Decimal<4, 2> /* @minimum 10 */ | null;
          low: Decimal<4, 2> /* @minimum 0.50 */;
          between: Decimal<4, 2> /* @minimum 0.50 @exclusiveMaximum 20.00 */;
          /* @references Item.price */ other: Decimal<4, 2> /* @minimum 0.50 */;
        }
        entity Item = table items
        ",
    );
}

#[test]
fn bounds_that_do_not_fit_a_decimal_are_refused() {
    refused(
        r"
        export interface A {
          /** @minimum 0.005 */ fine: Decimal<4, 2>;
          /** @maximum 1000 */ great: Decimal<4, 2>;
          /** @minimum 2 @exclusiveMaximum 2.00 */ none: Decimal<4, 2>;
          /** @minimum 1 */ long: Decimal<39>;
          /** @minimum 1 @default 0.5 */ less: Decimal<4, 2>;
        }
        ",
        r"
        src/a.types.ts:3:7 KIT1304 `@minimum 0.005` is not a number of the type `Decimal<4, 2>`
          help: write a bound with at most 2 digits before and 2 after the point
        src/a.types.ts:4:7 KIT1304 `@maximum 1000` is not a number of the type `Decimal<4, 2>`
          help: write a bound with at most 2 digits before and 2 after the point
        src/a.types.ts:5:18 KIT1313 no decimal number of this type fits `@minimum 2` and `@exclusiveMaximum 2.00`
          help: keep one of the two tags, or combine them into one tag
        src/a.types.ts:6:7 KIT1304 `@minimum` limits numbers with at most 38 digits, and this is `Decimal<39, 0>`
          help: remove the tag, or write a type with at most 38 digits
        src/a.types.ts:7:18 KIT1303 the default `0.5` does not fit the type `Decimal<4, 2> /* @minimum 1 */`
          help: write a value of the type `Decimal<4, 2> /* @minimum 1 */` as JSON
        ",
    );
}

#[test]
fn patterns_of_bounds_match_exactly_the_numbers_within_them() {
    for (precision, scale) in [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1), (3, 2), (2, 2)] {
        let digits = Digits::new(precision, scale).unwrap();
        let most = 10_i128.pow(precision) - 1;
        let texts = texts_of(digits);
        let mut random = 1_u64;
        let mut next = |count: i128| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            i128::from(random >> 33) % count
        };
        for round in 0..15 {
            let least = next(2 * most + 1) - most;
            let most = if round % 5 == 0 {
                least
            } else {
                least + next(most - least + 1)
            };
            let range = DecimalRange {
                minimum: Some(digits.text(least)),
                maximum: (round % 3 != 0 || round % 5 == 0).then(|| digits.text(most)),
                ..DecimalRange::default()
            };
            let pattern = digits.pattern_in(&range).unwrap();
            let mut rules = Constraints::of_digits(digits);
            rules.decimal_range = Some(Box::new(range));
            for text in &texts {
                let expected = rules.allows_decimal(text).unwrap();
                let found = kit_pattern::matches(&pattern, text).unwrap();
                assert_eq!(found, expected, "{text} {pattern} {least} {most}");
            }
        }
    }
}

/// Returns all texts of numbers with these digits or fewer, and some other texts.
fn texts_of(digits: Digits) -> Vec<String> {
    let mut texts: Vec<String> = ["", "-", ".", "0.", "00", "01", "+1", "1e1", " 1"]
        .map(str::to_owned)
        .to_vec();
    let whole = 10_u32.pow(digits.precision - digits.scale);
    for number in 0..=whole {
        texts.push(number.to_string());
        for scale in 1..=digits.scale {
            let width = scale as usize;
            texts.extend((0..10_u32.pow(scale)).map(|fraction| format!("{number}.{fraction:0width$}")));
        }
        texts.push(format!("{number}.{}", "0".repeat(digits.scale as usize + 1)));
    }
    let negative: Vec<String> = texts.iter().map(|text| format!("-{text}")).collect();
    texts.extend(negative);
    texts
}
