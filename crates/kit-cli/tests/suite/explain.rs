//! Tests of `kit explain`, and of the hint to it after a failed build.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

use crate::support::Project;
use kit_diagnostics::codes;

#[test]
fn prints_the_page_of_a_code() {
    let project = Project::new(&[]);
    let page = codes::UNKNOWN_FORMAT.page();
    for name in ["KIT1302", "kit1302", "1302"] {
        assert_eq!(project.kit(&["explain", name]).parts(), (0, page, ""));
    }
    let json = project.kit(&["explain", "KIT1302", "--json"]).json();
    assert_eq!(json["code"], "KIT1302");
    assert_eq!(json["title"], codes::UNKNOWN_FORMAT.title());
    assert_eq!(json["phase"], "types");
    assert_eq!(json["page"], page);
}

#[test]
fn lists_all_codes_without_an_argument() {
    let project = Project::new(&[]);
    let list = project.kit(&["explain"]);
    assert_eq!((list.code, list.err.as_str()), (0, ""));
    assert_eq!(list.out.lines().count(), codes::ALL.len());
    assert!(
        list.out.starts_with("KIT1001  the configuration is not valid\n"),
        "{}",
        list.out
    );
    let json = project.kit(&["explain", "--json"]).json();
    assert_eq!(json.as_array().unwrap().len(), codes::ALL.len());
    assert!(json[0].get("page").is_none());
}

#[test]
fn refuses_an_unknown_code_as_wrong_usage() {
    let project = Project::new(&[]);
    for (name, expected) in [
        ("KIT1330", "did you mean `KIT1"),
        (
            "TS2322",
            "kit has no diagnostic with this code; `kit explain` lists all codes",
        ),
        ("", "lists all codes"),
        ("é", "lists all codes"),
        ("KIT+1302", "lists all codes"),
    ] {
        let outcome = project.kit(&["explain", name]);
        assert_eq!((outcome.code, outcome.out.as_str()), (2, ""), "{name}");
        assert!(outcome.err.contains(expected), "{}", outcome.err);
    }
}

#[test]
fn formats_headings_and_code_blocks_for_a_terminal() {
    let mut project = Project::new(&[]);
    project.terminal = true;
    for code in codes::ALL {
        let text = project.kit(&["explain", &code.name()]).out;
        assert!(text.starts_with(&format!("\u{1b}[1m{code}: ")), "{text}");
        assert!(!text.contains("```"), "{text}");
    }
    let text = project.kit(&["explain", "KIT1302"]).out;
    assert!(
        text.contains("    \u{1b}[36msrc/users.types.ts\u{1b}[0m\n    export interface User {\n"),
        "{text}"
    );
}

#[test]
fn failed_build_names_the_command_that_explains_its_codes() {
    let project = Project::new(&[(
        "src/notes.types.ts",
        "export interface Note {\n  /** @format emial */\n  a: string;\n  /** @maxLength x */\n  b: string;\n  /** @format uir */\n  c: string;\n}\n",
    )]);
    let outcome = project.kit(&["build"]);
    assert_eq!(outcome.code, 1);
    let end = "3 errors and 1 warning; nothing was written\n\
               `kit explain KIT1302` gives details about the error; there are pages on KIT1303 too\n";
    assert!(outcome.err.ends_with(end), "{}", outcome.err);
}

#[test]
fn limits_the_errors_in_text_but_not_in_json() {
    let properties = (0..60)
        .map(|index| {
            format!("  /** @maxLength x */ a{index}: string;\n  /** @maxLenght 1 */ b{index}: string;\n")
        })
        .collect::<Vec<_>>()
        .concat();
    let types = format!("export interface Note {{\n{properties}}}\n");
    let project = Project::new(&[
        ("src/notes.types.ts", &types),
        ("src/notes.routes.ts", "export {};\n"),
    ]);
    let outcome = project.kit(&["build"]);
    assert_eq!(outcome.err.matches("error[KIT1303]").count(), 50);
    assert_eq!(outcome.err.matches("warning[KIT1305]").count(), 20);
    let end = "… and 10 errors and 40 warnings more; `--json` lists all\n\n\
               60 errors and 60 warnings; nothing was written\n\
               `kit explain KIT1303` gives details about the error\n";
    assert!(outcome.err.ends_with(end), "{}", outcome.err);
    let json = project.kit(&["build", "--json"]).json();
    assert_eq!(json["failures"].as_array().unwrap().len(), 60);
    assert_eq!(json["warnings"].as_array().unwrap().len(), 60);
}
