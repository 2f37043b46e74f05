//! Checks that `docs/cli.md` contains the help of every command as clap prints it. `KIT_BLESS=1` rewrites the
//! page.
#![allow(clippy::disallowed_methods)] // Reason: the test reads and writes the page.

use std::fmt::Write as _;
use std::path::Path;

use clap::{Command, CommandFactory as _};

use crate::args::CommandLine;

/// Line in the page below which the text is generated.
const MARK: &str =
    "<!-- Below: the help of every command. `KIT_BLESS=1 cargo test -p kit-cli reference` writes it. -->\n";

/// Maximum width of the help in characters, so that the page does not depend on the terminal.
const WIDTH: usize = 100;

#[test]
fn reference_page_contains_the_help_of_every_command() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let page = std::fs::read_to_string(&path).expect("docs/cli.md is there");
    let (intro, shown) = page.split_once(MARK).expect("docs/cli.md holds the mark");
    let mut command = CommandLine::command().term_width(WIDTH);
    command.build();
    let mut actual = String::new();
    describe(&mut command, &mut actual);
    if std::env::var_os("KIT_BLESS").is_some() {
        std::fs::write(&path, format!("{intro}{MARK}{actual}")).expect("docs/cli.md can be written");
        return;
    }
    for (line, (shown, actual)) in shown.lines().zip(actual.lines()).enumerate() {
        assert_eq!(
            shown,
            actual,
            "docs/cli.md, line {}: run `KIT_BLESS=1 cargo test -p kit-cli reference` and read the difference",
            intro.lines().count() + line + 2
        );
    }
    assert_eq!(
        shown.lines().count(),
        actual.lines().count(),
        "docs/cli.md ends elsewhere"
    );
}

fn describe(command: &mut Command, page: &mut String) {
    // The top-level command has no `bin_name`, because clap sets it only when it parses arguments.
    let name = command
        .get_bin_name()
        .unwrap_or_else(|| command.get_name())
        .to_owned();
    let help = command.render_long_help().to_string();
    assert!(help.contains("Examples:"), "the help of `{name}` has no examples");
    // Remove the spaces that clap adds at the ends of lines.
    let lines: Vec<&str> = help.trim().lines().map(str::trim_end).collect();
    // Writing to a string cannot fail.
    let _ = write!(page, "\n## {name}\n\n```text\n{}\n```\n", lines.join("\n"));
    for inner in command.get_subcommands_mut() {
        if !inner.is_hide_set() && inner.get_name() != "help" {
            describe(inner, page);
        }
    }
}
