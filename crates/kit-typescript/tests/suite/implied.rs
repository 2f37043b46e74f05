//! Tests of rules that follow from other tags: from `@generated uuid`, from `@references`, and from the
//! column of a `bigint`.

use crate::support::{check, check_mistakes, check_types, output};

const BIGINT: &str = "bigint /* 64 bits */";

#[test]
fn a_generated_uuid_has_the_uuid_format_in_every_type_that_uses_it() {
    check_types(
        r#"
        export interface Todo {
          /** @id @generated uuid */ id: string;
          /** @generated uuid */ token: string | null;
          /** @generated */ other: string;
          /** @generated now */ at: Date;
        }
        export interface Plain { /** @id @generated */ id: string }
        export type Id = Todo["id"];
        export interface ById { id: Id; ids: Todo["id"][]; maybe?: Todo["id"]; none: Todo["id"] | null }
        export type Picked = Pick<Todo, "id">;
        export type Rest = Partial<Omit<Todo, "token" | "other" | "at">>;
        export type Mapped = { [K in "id" as `todo_${K}`]: Todo[K] };
        "#,
        r"
        type Todo = {
          /* @id @generated uuid */ id: string /* @format uuid */;
          /* @generated uuid */ token: string /* @format uuid */ | null;
          /* @generated */ other: string;
          /* @generated now */ at: Date;
        }
        type Plain = {
          /* @id @generated */ id: string /* @format uuid */;
        }
        type Id = string /* @format uuid */
        type ById = {
          id: string /* @format uuid */;
          ids: string /* @format uuid */[];
          maybe?: string /* @format uuid */;
          none: string /* @format uuid */ | null;
        }
        type Picked = {
          /* @id @generated uuid */ id: string /* @format uuid */;
        }
        type Rest = {
          /* @id @generated uuid */ id?: string /* @format uuid */;
        }
        type Mapped = {
          todo_id: string /* @format uuid */;
        }
        ",
    );
}

#[test]
fn a_property_with_references_has_the_rules_of_the_property_it_refers_to() {
    check_types(
        r#"
        /** @table */
        export interface Member {
          /** @id @references Team.id */ teamId: string;
          /** @references Seat.number */ seat: number;
          /** @references Country.code @minLength 1 */ country?: string | null;
          /** @references Member.teamId */ above: string;
          /** @references Country.code @pattern ^D */ own: string;
          /** @references Big.id */ big: bigint;
        }
        /** @table */
        export interface Team { /** @id @generated uuid */ id: string }
        /** @table */
        export interface Seat { /** @id @integer @minimum 1 @maximum 99 */ number: number }
        /** @table */
        export interface Country { /** @id @minLength 2 @maxLength 2 @pattern ^[A-Z]+$ */ code: string }
        /** @table */
        export interface Big { /** @id */ id: bigint }
        export interface Params { id: Member["teamId"]; seat: Member["seat"] }
        "#,
        &format!(
            r"
        type Member = {{
          /* @id @references Team.id */ teamId: string /* @format uuid */;
          /* @references Seat.number */ seat: number /* @minimum 1 @maximum 99 @integer */;
          /* @references Country.code */ country?: string /* @minLength 2 @maxLength 2 @pattern ^[A-Z]+$ */ | null;
          /* @references Member.teamId */ above: string /* @format uuid */;
          /* @references Country.code */ own: string /* @minLength 2 @maxLength 2 @pattern ^D */;
          /* @references Big.id */ big: {BIGINT};
        }}
        type Team = {{
          /* @id @generated uuid */ id: string /* @format uuid */;
        }}
        type Seat = {{
          /* @id */ number: number /* @minimum 1 @maximum 99 @integer */;
        }}
        type Country = {{
          /* @id */ code: string /* @minLength 2 @maxLength 2 @pattern ^[A-Z]+$ */;
        }}
        type Big = {{
          /* @id */ id: {BIGINT};
        }}
        type Params = {{
          id: string /* @format uuid */;
          seat: number /* @minimum 1 @maximum 99 @integer */;
        }}
        entity Member = table members
        entity Team = table teams
        entity Seat = table seats
        entity Country = table countries
        entity Big = table bigs
        "
        ),
    );
}

#[test]
fn accepts_properties_that_refer_to_each_other_in_a_cycle() {
    check_types(
        r"
        /** @table */
        export interface A { /** @id @references B.id @maxLength 9 */ id: string }
        /** @table */
        export interface B { /** @id @references A.id */ id: string }
        ",
        r"
        type A = {
          /* @id @references B.id */ id: string /* @maxLength 9 */;
        }
        type B = {
          /* @id @references A.id */ id: string /* @maxLength 9 */;
        }
        entity A = table as
        entity B = table bs
        ",
    );
}

#[test]
fn a_bigint_property_of_an_entity_is_limited_to_64_bits() {
    check_types(
        r#"
        type Big = bigint;
        interface Base { views: bigint }
        /** @table */
        export interface Page extends Base {
          /** @id @generated uuid */ id: string;
          likes: Big;
          shares?: bigint | null;
        }
        export type Views = Page["views"];
        export interface Query { likes?: Page["likes"]; shares: Page["shares"]; free: bigint }
        export type Patch = Partial<Pick<Page, "views" | "shares">>;
        export interface More extends Page { sum: bigint }
        export type Renamed = { [K in "views"]: bigint[] };
        "#,
        &format!(
            r"
        type Page = {{
          views: {BIGINT};
          /* @id @generated uuid */ id: string /* @format uuid */;
          likes: {BIGINT};
          shares?: {BIGINT} | null;
        }}
        type Views = {BIGINT}
        type Query = {{
          likes?: {BIGINT};
          shares?: {BIGINT} | null;
          free: bigint;
        }}
        type Patch = {{
          views?: {BIGINT};
          shares?: {BIGINT} | null;
        }}
        type More = {{
          views: {BIGINT};
          /* @id @generated uuid */ id: string /* @format uuid */;
          likes: {BIGINT};
          shares?: {BIGINT} | null;
          sum: bigint;
        }}
        type Renamed = {{
          views: bigint[];
        }}
        entity Page = table pages
        "
        ),
    );
}

#[test]
fn properties_of_entities_keep_the_names_of_their_types_in_the_ir() {
    check_types(
        r#"
        export interface Place { x: number }
        export type Either = "a" | "b";
        /** @table */
        export interface Shop {
          /** @id */ id: string;
          place: Place;
          either: Either;
          parent: Shop["place"];
        }
        export interface Use { place: Shop["place"]; either: Shop["either"] }
        "#,
        r#"
        type Place = {
          x: number;
        }
        type Either = "a" | "b"
        type Shop = {
          /* @id */ id: string;
          place: Place;
          either: Either;
          parent: Place;
        }
        type Use = {
          place: Place;
          either: Either;
        }
        entity Shop = table shops
        "#,
    );
}

#[test]
fn params_that_use_the_type_of_a_property_have_its_rules() {
    check(
        &[
            (
                "src/a.types.ts",
                "/** @table */\nexport interface Todo {\n  /** @id @generated uuid */\n  id: string;\n  views: bigint;\n}\n",
            ),
            (
                "src/a.routes.ts",
                "import type { RouteContract } from \"@kit/types\";\nimport type { Todo } from \"./a.types.ts\";\nexport interface Routes {\n  \
                 \"GET /todos/:id\": RouteContract<{ id: Todo[\"id\"] }, { views?: Todo[\"views\"] }, void, Todo>;\n}\n",
            ),
        ],
        &format!(
            r"
        type Todo = {{
          /* @id @generated uuid */ id: string /* @format uuid */;
          views: {BIGINT};
        }}
        type GetTodosByIdParams = {{
          id: string /* @format uuid */;
        }}
        type GetTodosByIdQuery = {{
          views?: {BIGINT};
        }}
        entity Todo = table todos
        route GET /todos/:id 200 params: GetTodosByIdParams query: GetTodosByIdQuery response: Todo
        "
        ),
    );
}

#[test]
fn refuses_tags_that_contradict_a_rule_of_another_tag() {
    let files = [(
        "src/a.types.ts",
        "/** @table */\nexport interface Todo {\n  /** @generated uuid @maxLength 10 */\n  short: string;\n  /** @format email @references Key.id */\n  \
         above: string;\n  /** @references Key.id @default none */\n  next: string;\n  /** @default 9223372036854775808 */\n  views: bigint;\n}\n\
         /** @table */\nexport interface Key {\n  /** @id @generated uuid @maxLength 36 */\n  id: string;\n}\n",
    )];
    check_mistakes(
        &files,
        r"
        src/a.types.ts:3:23 KIT1313 no value fits both `@format uuid` and `@maxLength 10`
          help: change or remove one of the two tags
        src/a.types.ts:5:21 KIT1313 the type already has `@format email`; one type cannot also have `@format uuid`
          help: remove one of the two tags, or change the type
        src/a.types.ts:7:26 KIT1303 the default `none` does not fit the type `string /* @maxLength 36 @format uuid */`
          help: write a text with the format `uuid`: `@default 123e4567-e89b-12d3-a456-426614174000`
        src/a.types.ts:9:7 KIT1303 the default `9223372036854775808` does not fit the type `bigint /* 64 bits */`
          help: write a value of the type `bigint /* 64 bits */` as JSON
        ",
    );
    let output = output(&files);
    let diagnostics: Vec<_> = output.diagnostics.iter().collect();
    assert_eq!(diagnostics[0].notes, ["`@generated uuid` implies `@format uuid`"]);
    assert_eq!(
        diagnostics[1].notes,
        ["`@references Key.id` implies `@maxLength 36`, `@format uuid`"]
    );
}
