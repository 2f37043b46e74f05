//! Tests of `@index`, `@unique` and `@check` with options.

use crate::support::{check_mistakes, check_types, dedent};

#[test]
fn a_property_keeps_its_indexes_and_checks() {
    check_types(
        r"
        /** @table */
        export interface A {
          /** @id @index DESC nulls LAST using btree @index text_pattern_ops where deleted_at IS NULL */ a: string;
          /** @unique where a > 'x' @check b >= 0 @check b < 9 */ b: number;
          /** @index using gin @index include (a, b) */ c: string[];
        }
        ",
        r"
        type A = {
          /* @id @index desc nulls last @index text_pattern_ops where deleted_at IS NULL */ a: string;
          /* @unique where a > 'x' @check b >= 0 @check b < 9 */ b: number;
          /* @index using gin @index include (a, b) */ c: string[];
        }
        entity A = table as
        ",
    );
}

#[test]
fn tags_of_an_interface_name_properties_with_letters_beyond_ascii() {
    check_types(
        r"
        /** @table @tenant mandant_für @owner mandant_für = ctx.id */
        export interface A {
          /** @id */ a: string;
          mandant_für: string;
        }
        ",
        r"
        type A = {
          /* @id */ a: string;
          mandant_für: string;
        }
        entity A = table as owner mandant_für = ctx.id tenant mandant_für
        ",
    );
}

#[test]
fn an_invalid_index_or_check_is_refused() {
    let text = r"
        /**
         * @table
         * @index odd (a) using rtree
         * @index missing (b)
         * @unique ordered (a desc)
         * @unique (a)
         * @check a > 1
         * @check empty ()
         */
        export interface A {
          /** @id @index using @unique desc @check */ a: string;
        }
        ";
    check_mistakes(
        &[("src/a.types.ts", &dedent(text))],
        r"
        src/a.types.ts:3:4 KIT1303 `@index odd (a) using rtree` is not valid
          help: write `@index as_by_author (authorId, createdAt)`
        src/a.types.ts:4:4 KIT1303 `A` has no property `b` for `@index`
          help: did you mean `a`?
        src/a.types.ts:5:4 KIT1303 `@unique ordered (a desc)` is not valid
          help: write `@unique as_by_author (authorId, createdAt)`
        src/a.types.ts:6:4 KIT1303 `@unique (a)` is not valid
          help: write `@unique as_by_author (authorId, createdAt)`
        src/a.types.ts:7:4 KIT1303 `@check a > 1` is not valid
          help: write `@check ends_later (starts_at < ends_at)`
        src/a.types.ts:8:4 KIT1303 `@check empty ()` is not valid
          help: write `@check ends_later (starts_at < ends_at)`
        src/a.types.ts:11:11 KIT1303 `@index using` is not valid
          help: write `@index desc where deleted_at is null`
        src/a.types.ts:11:24 KIT1303 `@unique desc` is not valid
          help: write `@unique where deleted_at is null`
        src/a.types.ts:11:37 KIT1303 `@check` needs an argument
          help: write `@check price >= 0`
        ",
    );
}
