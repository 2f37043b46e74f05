//! Tests of `@default` tags: the values that fit their types.

use crate::support::{check_types, mistakes, output};

#[test]
fn checks_the_value_of_a_default_tag_against_the_type() {
    check_types(
        r#"
        export type Status = "active" | "off";
        export interface A {
          /** @default active */ a: Status;
          /** @default "off" */ b: Status;
          /** @default null */ c: Status | null;
          /** @default now */ d: Date;
          /** @default 3 */ e: number;
          /** @default [1, 2] */ f: number[];
          /** @default {"x": true} */ g: { x: boolean };
          /** @default two words */ h: string;
          /** @default 12 */ i: bigint;
          /** @default gone */ j: Status;
          /** @default yes */ k: boolean;
          /** @default 2020-01-01 */ l: Date;
          /** @default 0 @minimum 1 */ m: number;
          /** @default */ n: string;
        }
        "#,
        r#"
        type Status = "active" | "off"
        type A = {
          /* @default "active" */ a: Status;
          /* @default "off" */ b: Status;
          /* @default null */ c: "active" | "off" | null;
          /* @default now */ d: Date;
          /* @default 3 */ e: number;
          /* @default [1,2] */ f: number[];
          /* @default {"x":true} */ g: { x: boolean };
          /* @default "two words" */ h: string;
          /* @default 12n */ i: bigint;
          j: Status;
          k: boolean;
          l: Date;
          m: number /* @minimum 1 */;
          n: string;
        }
        src/a.types.ts:12:7 KIT1303 the default `gone` does not fit the type `Status`
          help: write a value of the type `Status` as JSON
        src/a.types.ts:13:7 KIT1303 the default `yes` does not fit the type `boolean`
          help: write a value of the type `boolean` as JSON
        src/a.types.ts:14:7 KIT1303 the default `2020-01-01` does not fit the type `Date`
          help: the default of a `Date` is `@default now`
        src/a.types.ts:15:7 KIT1303 the default `0` does not fit the type `number /* @minimum 1 */`
          help: write a value of the type `number /* @minimum 1 */` as JSON
        src/a.types.ts:16:7 KIT1303 `@default` needs an argument
          help: write `@default value`
        "#,
    );
}

#[test]
fn the_default_of_a_bigint_has_no_leading_zeros() {
    check_types(
        r"
        export interface A {
          /** @default 007 */ a: bigint;
          /** @default -0012 */ b: bigint | null;
          /** @default -00 */ c: bigint;
        }
        ",
        r"
        type A = {
          /* @default 7n */ a: bigint;
          /* @default -12n */ b: bigint | null;
          /* @default 0n */ c: bigint;
        }
        ",
    );
}

#[test]
fn a_default_matches_the_pattern_the_template_and_the_tuple_of_its_type() {
    let found = |property: &str| {
        let source = format!("export interface A {{\n  /** {property};\n}}\n");
        mistakes(&output(&[("src/a.types.ts", &source)]))
    };
    for property in [
        "@default hello */ a: `note-${number}`",
        "@default b-1 */ a: \"a\" | `note-${\"a\" | \"b\"}`",
        "@pattern ^[a-z]+$ @default ABC */ a: string",
        "@pattern ^[a-z]+$ @default ABC */ a: string | null",
        "@default [1, true, 2] */ a: [...number[], boolean]",
        "@default [\"a\", 1, 2] */ a: [string, ...number[], boolean]",
        "@integer @default 1e300 */ a: number",
        "@minLength 3 @default \"x\" */ a: string",
    ] {
        let found = found(property);
        assert!(found.contains("KIT1303 the default"), "{property}: {found}");
    }
    for property in [
        "@default note-1 */ a: `note-${number}`",
        "@default note-b */ a: \"a\" | `note-${\"a\" | \"b\"}`",
        "@pattern ^[a-z]+$ @default abc */ a: string",
        "@pattern ^[a-z]+$ @default null */ a: string | null",
        "@default [true] */ a: [...number[], boolean]",
        "@default [\"a\", 1, 2, true] */ a: [string, ...number[], boolean]",
        "@multipleOf 0.1 @default 0.3 */ a: number",
    ] {
        assert_eq!(found(property), "", "{property}");
    }
}

#[test]
fn a_default_has_the_format_of_its_type_as_validators_check_it() {
    let found = |format: &str, text: &str| {
        let source =
            format!("export interface A {{\n  /** @format {format} @default {text} */ a: string;\n}}\n");
        mistakes(&output(&[("src/a.types.ts", &source)]))
    };
    for (format, text) in [
        ("date", "2026-02-30"),
        ("date-time", "2026-02-30T00:00:00Z"),
        ("date-time", "2026-02-28T24:00:00Z"),
        ("date-time", "2026-02-28T00:00:00X"),
        ("email", "a@b@c"),
        ("email", "a@-b"),
        ("uri", "https:// a"),
        ("uri", "https://a/%zz"),
        ("uuid", "f81d4fae7dec41d0a76500a0c91e6bf6"),
        ("ipv4", "1.2.3.256"),
        ("ipv6", "::1%eth0"),
    ] {
        let found = found(format, text);
        let expected =
            format!("KIT1303 the default `{text}` does not fit the type `string /* @format {format} */`\n");
        assert!(
            found.starts_with("src/a.types.ts:2:") && found.contains(&expected),
            "{found}"
        );
        let expected = format!("  help: write a text with the format `{format}`: `@default ");
        assert!(found.contains(&expected), "{found}");
    }
    for (format, text) in [
        ("date", "2028-02-29"),
        ("date-time", "2026-02-28T23:59:60+00:00"),
        ("email", "\"a name\"@[IPv6:::1]"),
        ("uri", "urn:isbn:1"),
        ("uuid", "F81D4FAE-7DEC-41D0-A765-00A0C91E6BF6"),
        ("ipv4", "1.2.3.4"),
        ("ipv6", "::ffff:1.2.3.4"),
    ] {
        assert_eq!(found(format, text), "", "{format} {text}");
    }
    let found = found("email", "a @maxLength 9");
    assert!(
        found.contains("help: write a value of the type `string /* @maxLength 9 @format email */` as JSON"),
        "{found}"
    );
}

#[test]
fn a_default_in_quotes_fits_a_literal_that_contains_the_quotes() {
    check_types(
        r#"
        export interface A {
          /** @default "a" */ a: '"a"' | "b";
          /** @default "a" */ b: "a" | '"a"';
          /** @default "\"a\"" */ c: '"a"';
          /** @default "b" */ d: '"a"';
        }
        "#,
        r#"
        type A = {
          /* @default "\"a\"" */ a: "\"a\"" | "b";
          /* @default "a" */ b: "a" | "\"a\"";
          /* @default "\"a\"" */ c: "\"a\"";
          d: "\"a\"";
        }
        src/a.types.ts:5:7 KIT1303 the default `"b"` does not fit the type `"\"a\""`
          help: write a value of the type `"\"a\""` as JSON
        "#,
    );
}

#[test]
fn a_default_may_match_a_pattern_with_lazy_loops() {
    let found = |pattern: &str, text: &str| {
        let source =
            format!("export interface A {{\n  /** @pattern {pattern} @default {text} */ a: string;\n}}\n");
        mistakes(&output(&[("src/a.types.ts", &source)]))
    };
    assert_eq!(found(r"^(?:(?:a\S{1,3}?){2}){2}$", "axaxxxaxax"), "");
    for pattern in [r"^(?:(?:a\S{1,3}?){2}){2}$", r"^(?:b?)+?$"] {
        assert!(
            found(pattern, "ba").contains("KIT1303 the default `ba`"),
            "{pattern}"
        );
    }
}
