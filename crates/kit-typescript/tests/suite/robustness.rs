//! Tests that the compiler ends without a panic for every input.

use std::fmt::Write as _;

use crate::support::output;

const TYPES: &str = include_str!("../fixtures/notes.types.ts");
const ROUTES: &str = include_str!("../fixtures/notes.routes.ts");
const APP: &str = include_str!("../fixtures/app.ts");

#[test]
fn the_complete_fixture_application_compiles_without_diagnostics() {
    let output = output(&[
        ("src/notes.types.ts", TYPES),
        ("src/notes.routes.ts", ROUTES),
        ("src/app.ts", APP),
    ]);
    assert!(
        output.diagnostics.is_empty(),
        "{}",
        crate::support::mistakes(&output)
    );
    assert_eq!(output.program.routes.len(), 15);
    assert_eq!(output.program.entities.len(), 3);
}

#[test]
fn no_truncated_file_causes_a_panic() {
    for end in (0..=TYPES.len()).filter(|end| TYPES.is_char_boundary(*end)) {
        output(&[
            ("src/notes.types.ts", &TYPES[..end]),
            ("src/notes.routes.ts", ROUTES),
        ]);
    }
    for end in (0..=ROUTES.len())
        .step_by(7)
        .filter(|end| ROUTES.is_char_boundary(*end))
    {
        output(&[
            ("src/notes.types.ts", TYPES),
            ("src/notes.routes.ts", &ROUTES[..end]),
        ]);
    }
    for end in (0..=APP.len())
        .step_by(7)
        .filter(|end| APP.is_char_boundary(*end))
    {
        output(&[
            ("src/notes.types.ts", TYPES),
            ("src/notes.routes.ts", ROUTES),
            ("src/app.ts", &APP[..end]),
        ]);
    }
}

#[test]
fn no_file_with_a_missing_word_causes_a_panic() {
    let words: Vec<(usize, &str)> = TYPES
        .split_inclusive(|letter: char| !letter.is_alphanumeric())
        .scan(0, |at, word| {
            let start = *at;
            *at += word.len();
            Some((start, word))
        })
        .collect();
    for (start, word) in words {
        let text = format!("{}{}", &TYPES[..start], &TYPES[start + word.len()..]);
        output(&[("src/notes.types.ts", &text), ("src/notes.routes.ts", ROUTES)]);
    }
}

#[test]
fn refuses_a_file_with_deeply_nested_brackets() {
    for (open, close) in [("[", "]"), ("{ a: ", "}"), ("(", ")"), ("Array<", ">")] {
        let text = format!(
            "export type A = {}string{};",
            open.repeat(5_000),
            close.repeat(5_000)
        );
        let output = output(&[("src/a.types.ts", &text)]);
        let first = output.diagnostics.iter().next().expect("it is refused");
        assert_eq!(first.code.name(), "KIT1101");
    }
}

#[test]
fn deep_nesting_without_brackets_does_not_overflow_the_stack() {
    let deep = 30_000;
    for (part, end) in [
        ("const a = ", "1;"),
        ("a ? (b) : ", "1;"),
        ("a = ", "1;"),
        ("(a) => ", "1;"),
        ("if (a) ", "b;"),
        ("if (a) b; else ", "c;"),
        ("a: ", "b;"),
        ("new ", "b;"),
        ("class A extends ", "B {}"),
        ("<any>", "a;"),
        ("!", "a;"),
        ("type A = keyof ", "B;"),
        ("type A = B extends C ? D : ", "E;"),
        ("type A = B extends infer U extends ", "E;"),
        ("type A = () => ", "E;"),
        ("type A = new () => ", "E;"),
    ] {
        let (start, part) = part
            .split_once(" = ")
            .filter(|_| part.starts_with("type"))
            .unwrap_or(("", part));
        let start = if start.is_empty() {
            String::new()
        } else {
            format!("{start} = ")
        };
        let text = format!(
            "import {{ createApp }} from \"@kit/core\";\n{start}{}{end}",
            part.repeat(deep)
        );
        output(&[("src/a.types.ts", &text)]);
    }
}

#[test]
fn compiling_an_intersection_that_contains_itself_ends() {
    for text in [
        "export type A = { a: 1 } & A;",
        "export type A = (A[] & A)[];",
        "export type A = { a: A & { b: A } } & { a: { c: A } & A };",
        "export type A = [A & [A]] & [A];",
        "type E = E; export type A = E & { a: 1 };",
        "type E = F; type F = E; export type A = E & { a: 1 };",
    ] {
        output(&[("src/a.types.ts", text)]);
    }
}

#[test]
fn refuses_a_recursive_type_that_grows_without_end() {
    for text in [
        "export type A = ((A[] & A) | A)[];",
        "export interface A { t: G<number> }\ntype G<T extends string | number> = G<G<`a${T}b${T}`>>;",
        "interface G<T, U = T> { a?: G<G<G<G<G<T>>>>>; b: U }\nexport type A = G<G<G<G<G<G<1>>>>>>;",
        "export interface A { t: D<D<D<D<D<D<D<D<1>>>>>>>> }\ntype D<T extends string | number> = `${T}${T}${T}${T}${T}${T}${T}${T}`;",
    ] {
        let output = output(&[("src/a.types.ts", text)]);
        assert!(output.program.types.len() < 200_000);
    }
}

#[test]
fn compiles_long_chains_of_types() {
    let mut text = String::from("/** @table */ export interface Last { a: A0 }\n");
    for index in 0..2_000 {
        writeln!(text, "type A{index} = A{} | {index};", index + 1).expect("a string takes everything");
    }
    text.push_str("type A2000 = string;\n");
    for index in 0..2_000 {
        writeln!(text, "export interface I{index} {{ next: I{} }}", index + 1)
            .expect("a string takes everything");
    }
    text.push_str("export interface I2000 { end: true }\n");
    let arrays = "[]".repeat(3_000);
    writeln!(text, "export type Deep = string{arrays};").expect("a string takes everything");
    let unions = "| 1 ".repeat(3_000);
    writeln!(text, "export type Wide = {unions};").expect("a string takes everything");
    output(&[("src/a.types.ts", &text)]);
}

#[test]
fn the_same_files_give_the_same_program() {
    let files = [
        ("src/notes.types.ts", TYPES),
        ("src/notes.routes.ts", ROUTES),
        ("src/app.ts", APP),
    ];
    assert_eq!(output(&files).program, output(&files).program);
}

#[test]
fn resolves_a_long_chain_of_type_names() {
    let mut text = String::from("export interface A { x: T0 }\n");
    for index in 0..3_000 {
        writeln!(text, "type T{index} = T{};", index + 1).expect("a string takes everything");
    }
    text.push_str("type T3000 = string;\n");
    let found = crate::support::text(&output(&[("src/a.types.ts", &text)]));
    assert_eq!(found, "type A = {\n  x: string;\n}\n");
}

#[test]
fn compiles_many_types_with_deeply_nested_type_arguments() {
    let mut text = "interface Box<T> { value: T }\n".to_owned();
    for index in 0..200 {
        let inner = format!("{}{{ a{index}: string }}{}", "Box<".repeat(10), ">".repeat(10));
        writeln!(text, "export interface Type{index} {{ value: {inner} }}").expect("written to a text");
    }
    let output = output(&[("src/a.types.ts", &text)]);
    assert!(
        output.diagnostics.is_empty(),
        "{}",
        crate::support::mistakes(&output)
    );
    // An exported type with a mistake that nothing needs is left out without a message.
    let names = output
        .program
        .declarations
        .iter()
        .map(|declaration| &declaration.name);
    assert_eq!(names.filter(|name| name.starts_with("Type")).count(), 200);
}

#[test]
fn refuses_a_generic_type_that_branches_as_it_expands() {
    let output = output(&[(
        "src/a.types.ts",
        "type F<T> = { a: F<T[]>; b: F<{ x: T }>; c: F<[T, T]> };\n/** @table */\nexport interface A { f: F<string> }",
    )]);
    let codes: Vec<String> = output
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code.name())
        .collect();
    assert_eq!(
        codes,
        ["KIT1310", "KIT1310", "KIT1310"],
        "one for each call that expands"
    );
    assert!(
        output.program.declarations.len() < 5_000,
        "{} declarations were made before it was found out",
        output.program.declarations.len()
    );
}

/// Returns types like those of packages for schema.org: each property accepts every type, and all types share
/// properties.
fn leaves(leaves: usize, properties: usize) -> String {
    let mut text = String::from(
        "type Value<T, P extends string> = T | Role<T, P> | readonly (T | Role<T, P>)[];\n\
         interface RoleBase { name?: Value<string, \"name\"> }\n\
         type Role<T, P extends string> = Omit<RoleBase, P> & { \"@type\": \"Role\" } & { [K in P]: T };\n\
         interface Base {\n",
    );
    for index in 0..properties {
        writeln!(text, "  p{index}?: Value<Thing, \"p{index}\">;").expect("a string takes everything");
    }
    text.push_str("}\n");
    for index in 0..leaves {
        writeln!(
            text,
            "export interface Leaf{index} extends Base {{ \"@type\": \"Leaf{index}\" }}"
        )
        .expect("a string takes everything");
    }
    let names: Vec<String> = (0..leaves).map(|index| format!("Leaf{index}")).collect();
    writeln!(text, "type Thing = {};", names.join(" | ")).expect("a string takes everything");
    text
}

#[test]
fn the_error_for_too_many_steps_names_the_type() {
    let text = leaves(400, 400) + "export interface Fine { id: string }\n";
    let output = output(&[("src/a.types.ts", &text)]);
    let found: Vec<_> = output.diagnostics.iter().collect();
    let first = found.first().expect("it is refused");
    assert_eq!(first.code.name(), "KIT1320");
    assert_eq!(first.message, "`Leaf0` takes more than 100000 steps to compile");
    let label = first.primary().expect("it has a place");
    assert_eq!(&text[label.range.clone()], "Leaf0");
    assert!(found.iter().all(|other| other.code.name() == "KIT1320"));
}

#[test]
fn the_error_for_too_many_steps_names_only_the_outermost_of_several_types() {
    let package = leaves(400, 400);
    let text = "import type { Leaf0 } from \"./leaves.ts\";\n/** @table */\nexport interface Place { id: string; data: Leaf0; }\n";
    let output = output(&[("src/a.types.ts", text), ("src/leaves.ts", &package)]);
    let found: Vec<String> = output
        .diagnostics
        .iter()
        .map(|found| format!("{} {}", found.code.name(), found.message))
        .collect();
    assert_eq!(found, ["KIT1320 `Place` takes more than 100000 steps to compile"]);
}

/// Returns types of which each uses the one before it twice. The source is short, but the expanded types are
/// long.
fn doubled(levels: usize) -> String {
    let mut text = String::from("export interface L0 { c: { v: string } }\n");
    for level in 1..=levels {
        let below = level - 1;
        writeln!(
            text,
            "export interface L{level} {{ c: {{ p: L{below}[\"c\"]; q: L{below}[\"c\"] }} }}"
        )
        .expect("a string takes everything");
    }
    text
}

#[test]
fn the_error_for_too_many_nested_types_names_the_type() {
    let text = doubled(40);
    let output = output(&[("src/a.types.ts", &text)]);
    let found: Vec<_> = output.diagnostics.iter().collect();
    let first = found.first().expect("it is refused");
    assert_eq!(first.code.name(), "KIT1320");
    assert_eq!(first.message, "`L15` has more than 50000 nested types");
    let label = first.primary().expect("it has a place");
    assert_eq!(label.line, 16);
    assert!(found.iter().all(|other| other.code.name() == "KIT1320"));
}

#[test]
fn accepts_a_type_with_thousands_of_nested_types() {
    let output = output(&[("src/a.types.ts", &doubled(12))]);
    assert!(
        output.diagnostics.is_empty(),
        "{}",
        crate::support::mistakes(&output)
    );
}

#[test]
fn accepts_a_large_union_as_the_type_of_many_properties() {
    let output = output(&[("src/a.types.ts", &leaves(100, 20))]);
    assert!(
        output.diagnostics.is_empty(),
        "{}",
        crate::support::mistakes(&output)
    );
}

#[test]
fn counts_the_steps_of_each_exported_type_separately() {
    let mut text = String::new();
    for index in 0..2_000 {
        writeln!(
            text,
            "export interface A{index} {{ next: A{} | null; other?: Partial<A{index}>; keys: keyof A{index} }}",
            (index + 1) % 2_000
        )
        .expect("a string takes everything");
    }
    let output = output(&[("src/a.types.ts", &text)]);
    assert!(
        output.diagnostics.is_empty(),
        "{}",
        crate::support::mistakes(&output)
    );
}
