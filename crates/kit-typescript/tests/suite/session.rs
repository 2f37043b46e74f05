//! Tests that a session compiles only what an edit can affect, and gives the same result as a new compilation.

// A helper of a test may panic, which fails the test.
#![allow(clippy::unwrap_used)]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::support::{mistakes, text};
use kit_typescript::{AnyMeaning, FileSystem, Input, MemoryFiles, Output, Session, compile};

/// Returns the input of the compiler for these files, each with its path below the root and its text.
pub(crate) fn input(files: &[(String, String)]) -> Input<'static> {
    let root = Path::new("/app");
    let select = |wanted: &dyn Fn(&str) -> bool| -> Vec<PathBuf> {
        let paths = files.iter().map(|(path, _)| path);
        paths
            .filter(|path| wanted(path))
            .map(|path| root.join(path))
            .collect()
    };
    Input {
        root,
        type_files: select(&|path| path.ends_with(".types.ts")),
        route_files: select(&|path| path.ends_with(".routes.ts")),
        any: AnyMeaning::Error,
        entry_files: select(&|path| path == "app.ts"),
        files: Arc::new(MemoryFiles::new(
            files.iter().map(|(path, text)| (root.join(path), text.clone())),
        )),
    }
}

/// Compares two results completely.
#[track_caller]
pub(crate) fn assert_same(found: &Output, expected: &Output, about: &str) {
    if found.program != expected.program {
        // The text is shorter than the program.
        assert_eq!(text(found), text(expected), "{about}");
        let json = |output: &Output| serde_json::to_string_pretty(&output.program).unwrap();
        let (found, expected) = (json(found), json(expected));
        let lines: Vec<(&str, &str)> = found.lines().zip(expected.lines()).collect();
        let first = lines.iter().position(|(found, expected)| found != expected);
        let start = first.unwrap_or(lines.len()).saturating_sub(20);
        panic!(
            "{about}: the programs differ: {:#?}",
            lines.iter().skip(start).take(40).collect::<Vec<_>>()
        );
    }
    assert_eq!(mistakes(found), mistakes(expected), "{about}");
    assert_eq!(
        format!("{:?}", found.diagnostics),
        format!("{:?}", expected.diagnostics),
        "{about}"
    );
    assert_eq!(found.dependencies, expected.dependencies, "{about}");
    assert_eq!(found.uninferred, expected.uninferred, "{about}");
    assert_eq!(found.inferred, expected.inferred, "{about}");
    assert_eq!(
        format!("{:?}", found.sources),
        format!("{:?}", expected.sources),
        "{about}"
    );
}

/// Compiles files, replaces a text in `a.types.ts`, and compiles again in the same session. Compares the result with a new
/// compilation, and returns the number of declarations that the session compiled.
#[track_caller]
fn compiled_after_edit(files: &[(&str, &str)], from: &str, to: &str) -> Option<usize> {
    let mut files: Vec<(String, String)> = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect();
    let mut session = Session::default();
    let before = session.compile(&input(&files));
    assert_eq!(mistakes(&before), "");
    let (_, edited) = &mut files[0];
    assert!(edited.contains(from), "{from} is not in the file");
    *edited = edited.replace(from, to);
    let found = session.compile(&input(&files));
    assert_same(&found, &compile(&input(&files)), "after the edit");
    assert_ne!(text(&before), text(&found), "the edit changes nothing");
    session.compiled_declarations()
}

const NOTE: &str = "export interface Note { /** @maxLength 10 */ title: string; done: boolean }\n";

#[test]
fn edit_compiles_the_type_and_the_types_that_name_it() {
    let text = format!(
        "{NOTE}export interface Page {{ notes: Note[] }}\nexport type Titles = Pick<Note, \"title\">;\n\
         export interface Tag {{ name: string }}\nexport interface Tags {{ tags: Tag[] }}\n"
    );
    let compiled = compiled_after_edit(&[("a.types.ts", &text)], "maxLength 10", "maxLength 20");
    assert_eq!(compiled, Some(3));
}

#[test]
fn edit_reaches_types_through_renamed_imports_and_exports() {
    let files = [
        ("a.types.ts", NOTE),
        (
            "b.types.ts",
            "export { type Note as Entry } from \"./a.types.ts\";\n",
        ),
        (
            "c.types.ts",
            "import type { Entry as Item } from \"./b.types.ts\";\nexport type Titles = Pick<Item, \"title\">;\n\
             export interface Other { name: string }\n",
        ),
    ];
    assert_eq!(
        compiled_after_edit(&files, "maxLength 10", "maxLength 20"),
        Some(2)
    );
}

#[test]
fn edit_reaches_types_through_default_exports_and_namespaces() {
    let files = [
        (
            "a.types.ts",
            "export default interface Note { /** @maxLength 10 */ title: string; done: boolean }\n",
        ),
        (
            "b.types.ts",
            "import type Entry from \"./a.types.ts\";\nexport type Titles = Pick<Entry, \"title\">;\n",
        ),
        (
            "c.types.ts",
            "import type * as all from \"./b.types.ts\";\nexport interface Copy { copy: all.Titles[\"title\"] }\n",
        ),
        (
            "d.types.ts",
            "export interface Lazy { lazy: import(\"./b.types.ts\").Titles[\"title\"] }\nexport interface Other { name: string }\n",
        ),
    ];
    assert_eq!(
        compiled_after_edit(&files, "maxLength 10", "maxLength 20"),
        Some(4)
    );
}

#[test]
fn edit_reaches_entities_that_name_the_entity_in_a_tag() {
    let files = [
        (
            "a.types.ts",
            "/** @table */\nexport interface Author { /** @id\n @maxLength 10 */ id: string }\n",
        ),
        (
            "b.types.ts",
            "/** @table */\nexport interface Book { /** @id */ id: string; /** @references Author.id */ author: string }\n",
        ),
    ];
    assert_eq!(
        compiled_after_edit(&files, "maxLength 10", "maxLength 20"),
        Some(2)
    );
}

#[test]
fn edit_reaches_instances_of_generic_types_and_slots_of_routes() {
    let routes = "import type { RouteContract } from \"@kit/types\";\nimport type { Note } from \"./a.types.ts\";\n\
                  interface Page<T> { data: T[]; first?: T }\n\
                  export interface Routes { \"GET /notes\": RouteContract<void, { title: Note[\"title\"] }, void, Page<Note>> }\n\
                  export interface Others { \"GET /others\": RouteContract<void, { title: string }, void, Page<{ a: 1 }>> }\n";
    let files = [("a.types.ts", NOTE), ("b.routes.ts", routes)];
    assert_eq!(
        compiled_after_edit(&files, "maxLength 10", "maxLength 20"),
        Some(3)
    );
}

#[test]
fn edit_moves_the_locations_of_the_other_types_in_the_file() {
    let text =
        format!("{NOTE}\n/** Other. */\nexport interface Other {{ /** é */ name: string; n: number }}\n");
    let compiled = compiled_after_edit(
        &[("a.types.ts", &text)],
        "done: boolean",
        "done?: boolean;\n\n  more: 1",
    );
    assert_eq!(compiled, Some(1));
}

#[test]
fn edits_that_add_or_remove_declarations_compile_the_whole_program() {
    let page = "export interface Page<T> { data: T[] }\ninterface Hidden { name: string }\n\
                export interface Uses { hidden: Hidden; page: Page<Hidden>; text: string }\n";
    for (from, to) in [
        ("text: string", "page2: Page<string>"),
        ("hidden: Hidden; page: Page<Hidden>", "text2: string"),
        ("text: string", "text: Date"),
        (
            "text: string }",
            "text: string }\nexport interface Added { name: string }",
        ),
    ] {
        let text = format!("{page}{NOTE}");
        assert_eq!(
            compiled_after_edit(&[("a.types.ts", &text)], from, to),
            None,
            "{from} to {to}"
        );
    }
}

#[test]
fn edit_with_a_mistake_reports_the_mistake_and_its_correction_compiles_again() {
    let mut session = Session::default();
    let build = |session: &mut Session, title: &str| {
        let text =
            format!("/** @table */\nexport interface Note {{ /** @id */ id: string; title: {title} }}\n");
        let files = [("a.types.ts".to_owned(), text)];
        let found = session.compile(&input(&files));
        assert_same(&found, &compile(&input(&files)), title);
        mistakes(&found)
    };
    assert_eq!(build(&mut session, "string"), "");
    assert!(build(&mut session, "Missing").contains("KIT"));
    assert!(build(&mut session, "() => void").contains("KIT"));
    assert_eq!(build(&mut session, "number"), "");
}

#[test]
fn edit_of_a_type_that_another_type_equals_compiles_the_whole_program() {
    let text = format!("{NOTE}export type Copy = Pick<Note, \"title\" | \"done\">;\n");
    let compiled = compiled_after_edit(&[("a.types.ts", &text)], "maxLength 10", "maxLength 20");
    assert_eq!(compiled, None);
}

/// Instances of generic types are sorted by their first use. The order of the properties decides which type is used first.
#[test]
fn edit_that_changes_the_first_use_of_an_instance_compiles_the_whole_program() {
    let files = [
        (
            "a.types.ts",
            "import type { B, C } from \"./b.types.ts\";\nexport interface A { b: B; c: C }\n",
        ),
        (
            "b.types.ts",
            "export interface B { x: Page<X> }\nexport interface C { y: Page<Y> }\nexport interface X { x: string }\n\
             export interface Y { y: number }\nexport interface Page<T> { data: T[] }\n",
        ),
    ];
    assert_eq!(compiled_after_edit(&files, "b: B; c: C", "c: C; b: B"), None);
}

#[test]
fn first_edit_of_a_session_compiles_little_although_the_session_has_not_seen_all_files() {
    let files = [
        ("a.types.ts", NOTE),
        (
            "b.types.ts",
            "import type { Code } from \"./codes.ts\";\nexport interface Tag { code: Code }\n",
        ),
        ("codes.ts", "export interface Code { text: string }\n"),
        ("tsconfig.json", "{ \"compilerOptions\": { \"strict\": true } }\n"),
    ];
    assert_eq!(
        compiled_after_edit(&files, "maxLength 10", "maxLength 20"),
        Some(1)
    );
}

/// Files with the same stamp, except for `changed`. Records which files are read.
struct Stamped {
    files: MemoryFiles,
    changed: Option<(PathBuf, Option<u128>)>,
    read: Mutex<Vec<PathBuf>>,
}

impl FileSystem for Stamped {
    fn read(&self, path: &Path) -> io::Result<String> {
        self.read.lock().unwrap().push(path.to_path_buf());
        self.files.read(path)
    }

    fn is_file(&self, path: &Path) -> bool {
        self.files.is_file(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.files.is_dir(path)
    }

    fn stamp(&self, path: &Path) -> Option<u128> {
        match &self.changed {
            Some((changed, stamp)) if changed == path => *stamp,
            _ => Some(1),
        }
    }
}

#[test]
fn session_reads_files_that_it_does_not_parse_once() {
    let texts = [
        ("a.types.ts", "export interface A { id: string }"),
        ("plain.ts", "export const one = 1;"),
    ];
    let texts = texts.map(|(path, text)| (Path::new("/app").join(path), text.to_owned()));
    let files = Arc::new(Stamped {
        files: MemoryFiles::new(texts.clone()),
        changed: None,
        read: Mutex::default(),
    });
    let mut session = Session::default();
    let mut compile = || {
        session.compile(&Input {
            entry_files: vec![PathBuf::from("/app/plain.ts")],
            files: files.clone(),
            ..input(&[("a.types.ts".to_owned(), texts[0].1.clone())])
        });
        std::mem::take(&mut *files.read.lock().unwrap())
    };
    assert!(compile().contains(&PathBuf::from("/app/plain.ts")));
    let again: Vec<PathBuf> = compile()
        .into_iter()
        .filter(|path| path.ends_with("plain.ts"))
        .collect();
    assert!(again.is_empty(), "{again:?}");
}

/// The stamp of `b.types.ts` is unknown first, then known, then another one.
#[test]
fn session_reads_only_files_with_new_or_unknown_stamps() {
    let mut session = Session::default();
    let mut compile = |size: u32, stamp| {
        let texts = [
            (
                "a.types.ts".to_owned(),
                "export interface A { id: string }".to_owned(),
            ),
            (
                "b.types.ts".to_owned(),
                format!("export interface B {{ /** @maxLength {size} */ id: string }}"),
            ),
        ];
        let plain = input(&texts);
        let files = Arc::new(Stamped {
            files: MemoryFiles::new(texts.map(|(path, text)| (Path::new("/app").join(path), text))),
            changed: Some((PathBuf::from("/app/b.types.ts"), stamp)),
            read: Mutex::default(),
        });
        let output = session.compile(&Input {
            files: files.clone(),
            ..plain.clone()
        });
        assert_same(&output, &kit_typescript::compile(&plain), "in the session");
        let mut read = std::mem::take(&mut *files.read.lock().unwrap());
        read.retain(|path| path.to_string_lossy().ends_with(".types.ts"));
        read.dedup();
        read
    };
    let [a, b] = ["/app/a.types.ts", "/app/b.types.ts"].map(PathBuf::from);
    assert_eq!(compile(10, None), [a, b.clone()]);
    assert_eq!(compile(20, None), std::slice::from_ref(&b));
    assert_eq!(compile(20, Some(1)), std::slice::from_ref(&b));
    assert!(compile(20, Some(1)).is_empty());
    assert_eq!(compile(30, Some(2)), [b]);
}

#[test]
fn another_meaning_of_any_is_applied_without_an_edit() {
    let text =
        "/** @table */\nexport interface Note { /** @id */ id: string; data: any; list: (any | number)[] }\n";
    let files = [("a.types.ts".to_owned(), text.to_owned())];
    let mut session = Session::default();
    let meanings = [
        (AnyMeaning::Unknown, 0),
        (AnyMeaning::Error, 2),
        (AnyMeaning::Unknown, 0),
    ];
    for (any, errors) in meanings {
        let input = Input { any, ..input(&files) };
        let found = session.compile(&input);
        assert_eq!(found.diagnostics.iter().count(), errors, "{}", mistakes(&found));
        assert_same(&found, &compile(&input), any.name());
    }
}

#[test]
fn to_json_with_an_equal_result_is_noticed_when_it_comes_and_goes() {
    let with = "toJSON(): { amount: number };";
    let file = |member: &str| {
        let types = format!(
            "export interface Tag {{ name: string }}\n\
             export interface Order {{ total: {{ amount: number; {member} }}; tag: Tag }}\n"
        );
        let routes = "import type { RouteContract } from \"@kit/types\";\nimport type { Order } from \"./a.types.ts\";\n\
             export interface R { \"GET /o\": RouteContract<void, void, void, Order> }\n";
        [
            ("a.types.ts".to_owned(), types),
            ("a.routes.ts".to_owned(), routes.to_owned()),
        ]
    };
    let mut session = Session::default();
    for (member, expected) in [("", false), (with, true), ("", false), (with, true)] {
        let files = file(member);
        let found = session.compile(&input(&files));
        assert_eq!(mistakes(&found), "");
        let calls = found
            .program
            .types
            .iter()
            .filter(|r#type| r#type.calls_to_json)
            .count();
        assert_eq!(calls > 0, expected, "{member}");
        assert_same(&found, &compile(&input(&files)), member);
    }
}
