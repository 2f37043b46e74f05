//! Tests of several doc tags together: on an alias and a property, on types that they do not fit, and in
//! examples.

use crate::support::{check_types, output};

#[test]
fn a_property_has_its_own_rules_and_the_rules_of_its_type_alias() {
    check_types(
        r#"
        /** @minLength 3 @maxLength 20 @pattern ^a */
        type Name = string;
        /** @minimum 1 @multipleOf 2 */
        type Even = number;
        /** @minItems 1 */
        type Some = string[];
        export interface A {
          /** @minLength 1 @maxLength 9 */ a: Name;
          /** @minLength 5 @maxLength 99 */ b: Name;
          /** @minLength 21 */ c: Name;
          /** @pattern b$ */ d: Name;
          /** @minimum 0 @exclusiveMaximum 9 @multipleOf 6 */ e: Even;
          /** @multipleOf 3 */ f: Even;
          /** @maxItems 4 @uniqueItems */ g: Some;
          /** @maxLength 4 */ h: Name | null;
        }
        export type Less = Partial<Pick<A, "a">>;
        "#,
        r"
        type A = {
          a: string /* @minLength 3 @maxLength 9 @pattern ^a */;
          b: string /* @minLength 5 @maxLength 20 @pattern ^a */;
          c: string /* @minLength 21 @maxLength 20 @pattern ^a */;
          d: string /* @minLength 3 @maxLength 20 @pattern ^a */;
          e: number /* @minimum 1 @exclusiveMaximum 9 @multipleOf 6 */;
          f: number /* @minimum 1 @multipleOf 2 */;
          g: string[] /* @minItems 1 @maxItems 4 @uniqueItems */;
          h: string /* @minLength 3 @maxLength 4 @pattern ^a */ | null;
        }
        type Less = {
          a?: string /* @minLength 3 @maxLength 9 @pattern ^a */;
        }
        src/a.types.ts:10:7 KIT1313 no value fits both `@minLength 21` and `@maxLength 20`
          help: change or remove one of the two tags
        src/a.types.ts:11:7 KIT1313 the type already has the `@pattern ^a`; one type cannot have two patterns
          help: keep one of the two tags, or combine them into one tag
        src/a.types.ts:13:7 KIT1313 the type already has `@multipleOf 2`; one type cannot also have `@multipleOf 3`
          help: keep one of the two tags, or combine them into one tag
        ",
    );
}

#[test]
fn reports_rules_that_no_value_satisfies() {
    check_types(
        r"
        /** @table */
        export interface A {
          /** @minimum 5 @exclusiveMaximum 5 */ a: number;
          /** @exclusiveMinimum 1 @exclusiveMaximum 2 @integer */ b: number;
          /** @minimum 1 @maximum 4 @multipleOf 5 */ c: number;
          /** @minimum 1.5 @integer */ d: number;
          /** @exclusiveMaximum 2.5 @integer */ e: number;
          /** @format uuid @maxLength 20 */ f: string;
          /** @minItems 3 @maxItems 2 */ g: string[];
          /** @id @id */ h: string;
          /** @default 1 @default 2 */ i: number;
          /** @format email @minLength 255 */ j: string;
          /** @format email @minLength 255 @maxLength 300 */ long: string;
          /** @minimum 1 @maximum 2 @integer */ ok: number;
          /** @exclusiveMinimum 0.5 @exclusiveMaximum 1.5 @multipleOf 0.25 */ fine: number;
        }
        ",
        r"
        type A = {
          a: number /* @minimum 5 @exclusiveMaximum 5 */;
          b: number /* @exclusiveMinimum 1 @exclusiveMaximum 2 @integer */;
          c: number /* @minimum 1 @maximum 4 @multipleOf 5 */;
          d: number /* @minimum 1.5 @integer */;
          e: number /* @exclusiveMaximum 2.5 @integer */;
          f: string /* @maxLength 20 @format uuid */;
          g: string[] /* @minItems 3 @maxItems 2 */;
          /* @id */ h: string;
          /* @default 2 */ i: number;
          j: string /* @minLength 255 @format email */;
          long: string /* @minLength 255 @maxLength 300 @format email */;
          ok: number /* @minimum 1 @maximum 2 @integer */;
          fine: number /* @exclusiveMinimum 0.5 @exclusiveMaximum 1.5 @multipleOf 0.25 */;
        }
        entity A = table as
        src/a.types.ts:3:18 KIT1313 no value fits both `@minimum 5` and `@exclusiveMaximum 5`
          help: change or remove one of the two tags
        src/a.types.ts:4:27 KIT1313 there is no integer between `@exclusiveMinimum 1` and `@exclusiveMaximum 2`
          help: change one of the two tags, or remove `@integer`
        src/a.types.ts:5:29 KIT1313 no multiple of `@multipleOf 5` lies between `@minimum 1` and `@maximum 4`
          help: change one of the three tags
        src/a.types.ts:6:20 KIT1313 `@minimum 1.5` is not an integer, but `@integer` requires one
          help: write `@minimum 2`, which means the same
        src/a.types.ts:7:29 KIT1313 `@exclusiveMaximum 2.5` is not an integer, but `@integer` requires one
          help: write `@maximum 2`, which means the same
        src/a.types.ts:8:20 KIT1313 no value fits both `@format uuid` and `@maxLength 20`
          help: change or remove one of the two tags
        src/a.types.ts:9:19 KIT1313 no value fits both `@minItems 3` and `@maxItems 2`
          help: change or remove one of the two tags
        src/a.types.ts:10:11 KIT1313 `@id` is written twice
          help: remove one of the two tags
        src/a.types.ts:11:18 KIT1313 `@default` is written twice
          help: remove one of the two tags
        src/a.types.ts:12:21 KIT1313 no value fits both `@format email` and `@minLength 255`
          help: change or remove one of the two tags
        ",
    );
}

#[test]
fn the_error_for_a_tag_on_a_wrong_type_lists_the_types_that_the_tag_fits() {
    check_types(
        r#"
        type Branded = string & { readonly __brand: "name" };
        export interface A {
          /** @minimum 1 */ a: Date;
          /** @integer */ b: bigint;
          /** @maxLength 9 */ c: Uint8Array;
          /** @minItems 1 */ d: [string, number?];
          /** @maxLength 5 */ e: "a" | "b";
          /** @maximum 5 */ f: string;
          /** @maxLength 5 */ g: unknown;
          /** @maxLength 5 */ h: { a: 1 };
          /** @maxLength 5 */ ok: Branded;
          /** @maxLength 50 */ fine: `x-${string}`;
        }
        "#,
        r#"
        type A = {
          a: Date;
          b: bigint;
          c: Uint8Array;
          d: [string, number?];
          e: "a" | "b";
          f: string;
          g: unknown;
          h: { a: 1 };
          ok: string /* @maxLength 5 */;
          fine: `x-${string}` /* @maxLength 50 */;
        }
        src/a.types.ts:3:7 KIT1304 `@minimum` is for numbers, and this is `Date`
          help: kit does not limit dates: check the value in the handler
        src/a.types.ts:4:7 KIT1304 `@integer` is for numbers, and this is `bigint`
          help: a `bigint` is always an integer: remove the tag
        src/a.types.ts:5:7 KIT1304 `@maxLength` is for strings, and this is `Uint8Array`
          help: kit does not limit bytes: check the value in the handler
        src/a.types.ts:6:7 KIT1304 `@minItems` is for arrays, and this is `[string, number?]`
          help: a tuple already has a fixed number of elements: remove the tag
        src/a.types.ts:7:7 KIT1304 `@maxLength` is for strings, and this is `"a" | "b"`
          help: the members already define the allowed values: remove the tag
        src/a.types.ts:8:7 KIT1304 `@maximum` is for numbers, and this is `string`
          help: to limit a string write `@minLength`, `@maxLength` or `@pattern`
        src/a.types.ts:9:7 KIT1304 `@maxLength` is for strings, and this is `unknown`
          help: write the type of the value: a tag on `unknown` checks nothing
        src/a.types.ts:10:7 KIT1304 `@maxLength` is for strings, and this is `{ a: 1 }`
          help: put the tag on a property of this object
        "#,
    );
}

#[test]
fn warns_about_an_example_that_does_not_fit_its_type() {
    let output = output(&[(
        "src/a.types.ts",
        r#"
/**
 * @example {"d": "2024-01-01T00:00:00Z", "n": 1}
 * @example nothing
 */
export interface A {
  /**
   * @example 2024-01-01T00:00:00Z
   * @example tomorrow
   */
  d: Date;
  /**
   * @minimum 1
   * @example 1
   * @example 0
   */
  n: number;
  /** @example 42 */ t?: string;
  /**
   * @format email
   * @example nobody
   */
  m?: string;
  /**
   * @example
   * ```ts
   * call();
   * ```
   */
  c?: boolean;
  /** @example 12n */ b?: bigint;
}
"#,
    )]);
    let (_, a) = output.program.declaration("A").expect("it is declared");
    assert_eq!(
        a.documentation.examples,
        [r#"{"d":"2024-01-01T00:00:00Z","n":1}"#]
    );
    let examples: Vec<Vec<String>> = output
        .program
        .properties(a.r#type)
        .iter()
        .map(|property| property.documentation.examples.clone())
        .collect();
    assert_eq!(
        examples,
        [
            vec![r#""2024-01-01T00:00:00Z""#],
            vec!["1"],
            vec![r#""42""#],
            vec![],
            vec![],
            vec![]
        ]
    );
    assert_eq!(
        crate::support::mistakes(&output)
            .matches("warning KIT1314")
            .count(),
        5,
        "{}",
        crate::support::mistakes(&output)
    );
}

#[test]
fn a_type_with_data_only_has_no_methods_and_no_private_members() {
    check_types(
        r#"
        /** @dataOnly */
        export class Money {
          private cents = 0;
          constructor(readonly currency: string) {}
          format(): string { return this.currency; }
          round?: (digits: number) => number;
          undo: (() => void) | null = null;
          get text(): string { return this.format(); }
        }
        export type Part = Partial<Money>;
        export type Named = Pick<Money, "currency" | "format"> & { name: string };
        export class Price extends Money {
          net = 1;
        }
        /** @dataOnly */
        export type Shape = { area(): number; sides: number };
        "#,
        r"
        type Money = {
          currency: string;
          text: string;
        }
        type Part = {
          currency?: string;
          text?: string;
        }
        type Named = {
          currency: string;
          name: string;
        }
        type Price = {
          currency: string;
          text: string;
          net: number;
        }
        type Shape = {
          sides: number;
        }
        ",
    );
}
