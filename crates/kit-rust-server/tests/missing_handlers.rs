//! Tests of the insertion of missing handlers into files of the user, and of handlers that kit does not generate.

// Projects are directories of files, and a helper of a test may fail the test.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod projects;

use kit_test_programs as support;

use kit_ir::Program;
use kit_rust_server::{File, MissingHandlers, Options, Output, Owner, missing_handlers};
use projects::generated;

/// Returns the handlers that a project lacks if its file at `path` has another text.
fn missing(name: &str, program: &Program, path: &str, text: &str) -> MissingHandlers {
    let options = Options {
        name: name.to_owned(),
        output_dir: ".kit".to_owned(),
        ..Options::default()
    };
    let read = |wanted: &str| (wanted == path).then(|| text.to_owned());
    missing_handlers(program, &options, &read, &|_| true)
}

/// Returns the files with handlers of a generated project.
fn handlers(output: &Output) -> impl Iterator<Item = &File> {
    output
        .files
        .iter()
        .filter(|file| file.owner == Owner::User && file.path.starts_with("src/handlers/"))
}

/// Returns the name of the trait that a file implements.
fn implemented(text: &str) -> &str {
    let (before, _) = text.rsplit_once(" for App {").unwrap();
    before.rsplit_once("impl ").unwrap().1
}

/// Returns the only edited text.
fn edited(missing: MissingHandlers, path: &str) -> String {
    assert_eq!(missing.refused, []);
    let [edit] = <[_; 1]>::try_from(missing.edits).unwrap();
    assert_eq!(edit.path, path);
    edit.text
}

#[test]
fn restores_the_last_handler_of_every_file() {
    for (name, program) in projects::all() {
        for file in handlers(&generated(name, &program)) {
            let end = file.text.rfind("    async fn ").unwrap();
            let start = file.text[..end].trim_end().len();
            let text = format!("{}\n}}\n", &file.text[..start]);
            let restored = edited(missing(name, &program, &file.path, &text), &file.path);
            assert_eq!(restored, file.text, "{} of {name}", file.path);
            let complete = missing(name, &program, &file.path, &restored);
            assert!(complete.edits.is_empty() && complete.refused.is_empty());
        }
    }
}

#[test]
fn adds_all_handlers_with_their_imports_and_functions_in_the_layout_of_rustfmt() {
    for (name, program) in projects::all() {
        let mut output = generated(name, &program);
        let mut changed = output.files.clone();
        for file in &mut changed {
            if !handlers(&output).any(|handlers| handlers.path == file.path) {
                continue;
            }
            let group = implemented(&file.text);
            let head = "//! Handlers.\n\nuse crate::app::App;\n";
            let text = format!("{head}use crate::router::{group};\n\nimpl {group} for App {{}}\n");
            let added = edited(missing(name, &program, &file.path, &text), &file.path);
            let block = format!("impl {group} for App {{");
            assert_eq!(
                added.split_once(&block).unwrap().1,
                file.text.split_once(&block).unwrap().1,
                "{} of {name}",
                file.path
            );
            file.text = added;
        }
        output.files = changed;
        projects::assert_formatted(&format!("{name}-added"), &output);
    }
}

/// The reference `hats` of a product refers to the tag `Hats`, but the two texts differ in Rust.
#[test]
fn generates_no_handler_that_would_connect_rows_by_texts_without_case() {
    let mut program = projects::store();
    for (entity, property) in [("Tag", "slug"), ("ProductTag", "tag")] {
        let r#type = program.declaration(entity).unwrap().1.r#type;
        let kit_ir::TypeKind::Object(object) = &mut program.types[r#type].kind else {
            panic!("{entity} is an object");
        };
        let mut properties = object.properties.iter_mut();
        let property = properties.find(|own| own.name == property).unwrap();
        property.tags.stored_as = Some(kit_ir::StoredAs::Citext);
    }
    let output = generated("store", &program);
    assert_eq!(output.problems, []);
    let mut messages = output.warnings.iter().map(|warning| &warning.message);
    assert!(
        messages.any(|message| message.starts_with(
            "`GET /named/products/:slug` answers 501, because kit cannot generate its handler: a foreign key of type `citext`"
        )),
        "{:?}",
        output.warnings
    );
    // PostgreSQL itself compares the values of the filter.
    let mut files = output.files.iter();
    let products = files.find(|file| file.path == "db/product.rs").unwrap();
    assert!(products.text.contains("kit_related.tag = $"), "{}", products.text);
}

/// Without a maximum, one request could read the whole table.
#[test]
fn a_page_has_a_maximum_of_rows_also_if_the_contract_has_none() {
    let size = |rules: [Option<f64>; 2]| {
        let [minimum, maximum] = rules.map(|rule| rule.map(|rule| kit_ir::Decimal::new(rule).unwrap()));
        let mut program = projects::store();
        let objects = program.types.iter().filter_map(|r#type| match &r#type.kind {
            kit_ir::TypeKind::Object(object) => Some(&object.properties),
            _ => None,
        });
        let sizes = objects
            .flatten()
            .filter(|own| own.name == "pageSize" && own.optional);
        let sizes: Vec<_> = sizes.map(|own| own.r#type).collect();
        for size in sizes {
            let rules = &mut program.types[size].constraints;
            (rules.minimum, rules.maximum) = (minimum, maximum);
        }
        let output = generated("store", &program);
        assert_eq!(output.problems, []);
        let lines: Vec<_> = output.files.iter().flat_map(|file| file.text.lines()).collect();
        let found = lines
            .iter()
            .find_map(|line| line.trim().strip_prefix("let page_size = "));
        found.unwrap().to_owned()
    };
    let query = "input.query.page_size.unwrap_or(20)";
    assert_eq!(size([Some(1.0), Some(10_000.0)]), format!("{query};"));
    assert_eq!(size([Some(1.0), Some(10_001.0)]), format!("{query}.min(10000);"));
    assert_eq!(size([None, None]), format!("{query}.clamp(1, 10000);"));
    assert_eq!(size([None, Some(50.0)]), format!("{query}.max(1);"));
}

/// PostgreSQL refuses a row whose values do not fit into an index.
#[test]
fn generates_handlers_that_refuse_texts_too_long_for_an_index() {
    let mut program = projects::store();
    let customers = |program: &Program| {
        let output = generated("store", program);
        let mut files = handlers(&output);
        let file = files.find(|file| file.path.ends_with("/customers.rs")).unwrap();
        file.text.clone()
    };
    assert!(!customers(&program).contains("is_value_error"));
    let types = program.types.iter_ids();
    let emails = types.filter(|(_, own)| own.constraints.format == Some(kit_ir::Format::Email));
    for id in emails.map(|(id, _)| id).collect::<Vec<_>>() {
        program.types[id].constraints = kit_ir::Constraints::default();
    }
    let text = customers(&program);
    assert!(text.contains("is_value_error"), "{text}");
}

#[test]
fn keeps_all_text_of_the_user() {
    let program = support::notes::program();
    let output = generated("notes", &program);
    let file = handlers(&output).next().unwrap();
    let text = "\
/* A comment of the user. */\r
use crate::{app::App, error::Error}; // both\r
use crate::router::NoteRoutes as Routes;\r
\r
struct Own;\r
\r
/// Documentation.\r
impl Routes for App { /* nothing */ }\r
";
    let added = edited(missing("notes", &program, &file.path, text), &file.path);
    let mut rest = added.as_str();
    for line in text.replace("/* nothing */ }", "/* nothing */ ").lines() {
        let at = rest
            .find(line)
            .unwrap_or_else(|| panic!("{line} is missing:\n{added}"));
        rest = &rest[at + line.len()..];
    }
    assert_eq!(added.matches("\r\n").count(), added.matches('\n').count());
    assert_eq!(added.matches("error::Error").count(), 1, "{added}");
}

#[test]
fn names_the_handlers_whose_contract_is_gone() {
    let program = support::notes::program();
    let output = generated("notes", &program);
    let file = handlers(&output).next().unwrap();
    assert_eq!(missing("notes", &program, &file.path, &file.text).unused, []);
    let text = file
        .text
        .replace("async fn put_notes_by_id(", "async fn replace_note(");
    let missing = missing("notes", &program, &file.path, &text);
    let [unused] = &missing.unused[..] else {
        panic!("{:?}", missing.unused);
    };
    assert_eq!(
        (&unused.path, unused.function.as_str()),
        (&file.path, "replace_note")
    );
    assert_eq!(missing.edits[0].added[0].function, "put_notes_by_id");
}

#[test]
fn refuses_files_that_it_cannot_edit() {
    let program = support::notes::program();
    let output = generated("notes", &program);
    let file = handlers(&output).next().unwrap();
    for (text, reason) in [
        (
            "impl NoteRoutes for App {",
            "the file has a syntax error in line 1",
        ),
        (
            "#!/bin/sh\nimpl NoteRoutes for App {}",
            "the file begins with a byte order mark or with `#!`",
        ),
        (
            "use other::Note;\nimpl NoteRoutes for App {}",
            "the handlers need `crate::models::Note`, but the file uses the name `Note` for `other::Note`",
        ),
        (
            "struct Note;\nimpl NoteRoutes for App {}",
            "the handlers need `crate::models::Note`, but the file uses the name `Note` for an item of its own",
        ),
        (
            "use other::NoteRoutes as Routes;\nimpl Routes for App {}",
            "the file does not implement `NoteRoutes`",
        ),
    ] {
        let missing = missing("notes", &program, &file.path, text);
        assert!(missing.edits.is_empty());
        assert!(
            missing.refused[0].reason.starts_with(reason),
            "{}",
            missing.refused[0].reason
        );
    }
}
