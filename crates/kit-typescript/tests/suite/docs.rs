//! Tests of doc comments: their text and their tags.

use crate::support::{check_types, output};

#[test]
fn reads_every_doc_tag_of_a_property() {
    check_types(
        r"
        /** @table */
        export interface Everything {
          /** @id @generated */ id: bigint;
          /** @generated uuid @unique @index */ key: string;
          /** @generated now @onUpdate now @sensitive */ at: Date;
          /** @references User.id set null @column user_id @renamedFrom owner */ userId: string | null;
          /** @minLength 1 @maxLength 9 @format email @pattern ^\S+ ?@\S+$ @default a@b.c */ text: string;
          /** @minimum -1.5 @maximum 10 @multipleOf 0.5 */ number: number;
          /** @exclusiveMinimum 0 @exclusiveMaximum 1e3 @integer */ whole: number;
          /**
           * @minItems 1
           * @maxItems 3
           * @uniqueItems
           */
          list: string[];
        }
        ",
        r#"
        type Everything = {
          /* @id @generated */ id: bigint /* 64 bits */;
          /* @generated uuid @unique @index */ key: string /* @format uuid */;
          /* @generated now @onUpdate now @sensitive */ at: Date;
          /* @references User.id set null @column user_id @renamedFrom owner */ userId: string | null;
          /* @default "a@b.c" */ text: string /* @minLength 1 @maxLength 9 @format email @pattern ^\S+ ?@\S+$ */;
          number: number /* @minimum -1.5 @maximum 10 @multipleOf 0.5 */;
          whole: number /* @exclusiveMinimum 0 @exclusiveMaximum 1000 @integer */;
          list: string[] /* @minItems 1 @maxItems 3 @uniqueItems */;
        }
        entity Everything = table everythings
        "#,
    );
}

#[test]
fn reads_the_text_before_and_after_doc_tags() {
    let output = output(&[(
        "src/a.types.ts",
        "/**\n * First line.\n *\n * Mail bob@example.com or {@link Note}.\n * @deprecated since\n *   long ago\n *\n * After.\n * @see elsewhere\n *   and there\n */\n\
         export interface A {\n  /** How many. @integer @minimum 0 */ n: number;\n  /**\n   * @example { \"a\": 1 }\n   * @example\n   * plain\n   * text\n   */\n  e: unknown;\n}",
    )]);
    assert!(output.diagnostics.is_empty(), "{:?}", output.diagnostics);
    let (_, a) = output.program.declaration("A").expect("it is declared");
    assert_eq!(
        a.documentation.description.as_deref(),
        Some("First line.\n\nMail bob@example.com or {@link Note}.\nAfter.")
    );
    assert_eq!(a.documentation.deprecated.as_deref(), Some("since long ago"));
    let properties = output.program.properties(a.r#type);
    assert_eq!(
        properties[0].documentation.description.as_deref(),
        Some("How many.")
    );
    assert_eq!(
        properties[1].documentation.examples,
        ["{\"a\":1}", "\"plain\\ntext\""]
    );
}

#[test]
fn explains_invalid_tags() {
    check_types(
        r"
        export interface A {
          /** @format emial */ a: string;
          /** @format phone */ b: string;
          /** @maxLength ten */ c: string;
          /** @maxLength -1 */ d: string;
          /** @maxLength 3 */ e: number;
          /** @minimum 3 */ f: string | null;
          /** @maxLenght 3 */ g: string;
          /** @minLength 5 @maxLength 2 */ h: string;
          /** @generated nwo */ i: Date;
          /** @generated uuid */ j: number;
          /** @onUpdate later */ k: Date;
          /** @id 7 */ l: string;
          /** @table */ m: string;
          /** @references User */ n: string;
          /** @multipleOf 0 */ o: number;
          /** @maxLength 3 */ p: string[];
          /** @generated @default 1 */ q: number;
          /** @remarks any @since 3 */ r: string;
        }
        /** @summary no */
        export type B = A;
        ",
        r"
        type A = {
          a: string;
          b: string;
          c: string;
          d: string;
          e: number;
          f: string | null;
          g: string;
          h: string /* @minLength 5 @maxLength 2 */;
          i: Date;
          j: number;
          k: Date;
          l: string;
          m: string;
          n: string;
          o: number;
          p: string[];
          /* @generated @default 1 */ q: number;
          r: string;
        }
        type B = {
          a: string;
          b: string;
          c: string;
          d: string;
          e: number;
          f: string | null;
          g: string;
          h: string /* @minLength 5 @maxLength 2 */;
          i: Date;
          j: number;
          k: Date;
          l: string;
          m: string;
          n: string;
          o: number;
          p: string[];
          /* @generated @default 1 */ q: number;
          r: string;
        }
        src/a.types.ts:2:7 KIT1302 unknown format `emial`
          help: did you mean `@format email`?
        src/a.types.ts:3:7 KIT1302 unknown format `phone`
          help: write one of email, uri, uuid, date, date-time, ipv4, ipv6; for anything else use `@pattern`
        src/a.types.ts:4:7 KIT1303 `@maxLength ten` is not valid
          help: write `@maxLength 1`
        src/a.types.ts:5:7 KIT1303 `@maxLength -1` is not valid
          help: write `@maxLength 1`
        src/a.types.ts:6:7 KIT1304 `@maxLength` is for strings, and this is `number`
          help: to limit a number write `@minimum` or `@maximum`
        src/a.types.ts:7:7 KIT1304 `@minimum` is for numbers, and this is `string | null`
          help: remove the tag, or change the type
        src/a.types.ts:8:7 warning KIT1305 unknown tag `@maxLenght`
          help: did you mean `@maxLength`?
        src/a.types.ts:9:20 KIT1313 no value fits both `@minLength 5` and `@maxLength 2`
          help: change or remove one of the two tags
        src/a.types.ts:10:7 KIT1303 `@generated nwo` is not valid
          help: did you mean `@generated now`?
        src/a.types.ts:11:7 KIT1304 `@generated uuid` needs a property of type `string`
          help: change the type to `string`
        src/a.types.ts:12:7 KIT1303 `@onUpdate later` is not valid
          help: write `@onUpdate now`
        src/a.types.ts:13:7 KIT1303 `@id` takes no argument
          help: write `@id` without an argument, and put text before the tag
        src/a.types.ts:14:7 KIT1304 `@table` has no effect on a property
          help: it belongs on an interface
        src/a.types.ts:15:7 KIT1303 `@references User` is not valid
          help: write `@references User.id`
        src/a.types.ts:16:7 KIT1303 `@multipleOf 0` is not valid
          help: write `@multipleOf 1`
        src/a.types.ts:17:7 KIT1304 `@maxLength` is for strings, and this is `string[]`
          help: to limit the array, write `@minItems` or `@maxItems`; to limit the elements, write a type alias with this tag and use the alias as the type of the elements
        src/a.types.ts:18:18 KIT1313 this property is generated, so the default has no effect
          help: keep either `@generated` or `@default`
        src/a.types.ts:21:5 KIT1304 `@summary` has no effect on an interface
          help: it belongs on a route
        ",
    );
}

#[test]
fn explains_invalid_foreign_keys() {
    check_types(
        r"
        /** @table */
        export interface User { /** @id */ id: string; /** @id */ team: string }
        /**
         * @table
         * @references (team, userId) User (team, id) set null on update cascade
         * @references (team, userId) User (team)
         * @references (team, user) User (team, id)
         * @references team User.team
         */
        export interface Note {
          /** @id */ id: string;
          team?: string;
          /** @references User.id on delete restrict on update no action @index none */ userId?: string;
          /** @references User.id on update delete */ a: string;
          /** @onUpdate cascade */ b: string;
          /** @references User.id @references User.team */ c: string;
          /** @index @index none */ d: string;
        }
        ",
        r"
        type User = {
          /* @id */ id: string;
          /* @id */ team: string;
        }
        type Note = {
          /* @id */ id: string;
          team?: string;
          /* @index none @references User.id restrict */ userId?: string;
          a: string;
          b: string;
          /* @references User.team */ c: string;
          /* @index @index none */ d: string;
        }
        entity User = table users
        entity Note = table notes
        src/a.types.ts:6:4 KIT1303 `@references (team, userId) User (team)` is not valid
          help: write `@references (shopId, orderId) Order (shopId, id)`
        src/a.types.ts:7:4 KIT1303 `Note` has no property `user` for `@references`
          help: name properties of the entity
        src/a.types.ts:8:4 KIT1303 `@references team User.team` is not valid
          help: write `@references (shopId, orderId) Order (shopId, id)`
        src/a.types.ts:14:7 KIT1303 `@references User.id on update delete` is not valid
          help: write `@references User.id`
        src/a.types.ts:15:7 KIT1303 `@onUpdate cascade` is not valid
          help: write `@onUpdate now`
        src/a.types.ts:16:27 KIT1313 `@references` is written twice
          help: remove one of the two tags
        src/a.types.ts:17:14 KIT1313 this property has an index, and `@index none` says that it has none
          help: remove `@index none`
        ",
    );
}

#[test]
fn accepts_a_pattern_only_if_javascript_compiles_it_with_the_u_flag() {
    check_types(
        r"
        export interface A {
          /** @pattern ^[a-z]+(-\d+)?$ */ ok: string;
          /** @pattern ([a-z */ open: string;
          /** @pattern \p{Nonsense} */ property: string;
        }
        ",
        r"
        type A = {
          ok: string /* @pattern ^[a-z]+(-\d+)?$ */;
          open: string;
          property: string;
        }
        src/a.types.ts:3:7 KIT1303 `@pattern ([a-z` is not valid
          help: write `@pattern ^[a-z]+$`
        src/a.types.ts:4:7 KIT1303 `@pattern \p{Nonsense}` is not valid
          help: write `@pattern ^[a-z]+$`
        ",
    );
}

#[test]
fn an_entity_must_be_an_exported_object() {
    check_types(
        r"
        /** @table people_of_note @renamedFrom persons @index by_name (name, age) */
        export interface Person { /** @id */ id: string; name: string; age: number }
        /** @table */ interface Hidden { id: string }
        /** @table */ export type Text = string;
        /** @table */ export interface Generic<T> { id: T }
        /** @table 1a */ export interface Odd { id: string }
        /** @table @index broken @index by_size (size) */ export interface Category { id: string }
        ",
        r"
        type Person = {
          /* @id */ id: string;
          name: string;
          age: number;
        }
        type Text = string
        type Odd = {
          id: string;
        }
        type Category = {
          id: string;
        }
        entity Person = table people_of_note
        entity Odd = table odds
        entity Category = table categories
        src/a.types.ts:3:25 KIT1312 `Hidden` has `@table` and is not exported
          help: write `export` before it
        src/a.types.ts:4:27 KIT1312 `Text` has `@table` and is not an object
          help: put `@table` on an interface with properties
        src/a.types.ts:5:32 KIT1312 `Generic` has `@table` and is generic
          help: change it to an interface without type parameters
        src/a.types.ts:6:5 KIT1303 `@table 1a` is not valid
          help: write `@table notes`
        src/a.types.ts:7:12 KIT1303 `@index broken` is not valid
          help: write `@index categories_by_author (authorId, createdAt)`
        src/a.types.ts:7:26 KIT1303 `Category` has no property `size` for `@index`
          help: name properties of the entity
        ",
    );
}

#[test]
fn a_table_may_be_in_a_schema() {
    check_types(
        r"
        /** @table billing.invoices @renamedFrom old.bills */
        export interface Invoice { /** @id */ id: string }
        /** @table a.b.c */ export interface Three { id: string }
        /** @table billing. */ export interface Half { id: string }
        /** @table ok @renamedFrom .b */ export interface Former { id: string }
        ",
        r"
        type Invoice = {
          /* @id */ id: string;
        }
        type Three = {
          id: string;
        }
        type Half = {
          id: string;
        }
        type Former = {
          id: string;
        }
        entity Invoice = table billing.invoices
        entity Three = table threes
        entity Half = table halves
        entity Former = table ok
        src/a.types.ts:3:5 KIT1303 `@table a.b.c` is not valid
          help: write `@table notes`
        src/a.types.ts:4:5 KIT1303 `@table billing.` is not valid
          help: write `@table notes`
        src/a.types.ts:5:15 KIT1303 `@renamedFrom .b` is not valid
          help: write `@renamedFrom old_notes`
        ",
    );
}

#[test]
fn a_doc_comment_belongs_to_the_declaration_after_it() {
    check_types(
        r"
        export interface A { /** @maxLength 1 */ a: string; /** @maxLength 2 */
          b: string;
          /** @maxLength 3 */
          /** @maxLength 4 */
          c: string;
          // @maxLength 5
          /* @maxLength 6 */
          d: string } /** @table */
        ",
        r"
        type A = {
          a: string /* @maxLength 1 */;
          b: string;
          c: string /* @maxLength 4 */;
          d: string;
        }
        ",
    );
}
