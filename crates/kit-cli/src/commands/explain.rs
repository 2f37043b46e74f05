//! The command `kit explain`.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use clap::Args;
use kit_diagnostics::{Code, closest, codes};
use serde::Serialize;

use crate::Stream;
use crate::context::Context;

/// Explain a diagnostic code of a build.
///
/// Prints the page of the code: its meaning, an example with the mistake, and the correct code. Without an argument, the command
/// lists all codes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit explain KIT1302
  kit explain 1302 --json | jq -r .page
  kit explain")]
pub(crate) struct Arguments {
    /// Diagnostic code, such as KIT1302.
    #[arg(value_parser = parse)]
    code: Option<Code>,
    /// Print only JSON on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Prints the page of a code, or the list of all codes.
pub(crate) fn run(arguments: &Arguments, context: &Context<'_>) {
    let console = context.console;
    let Some(code) = arguments.code else {
        console.json(
            &codes::ALL
                .iter()
                .map(|code| Entry::new(*code))
                .collect::<Vec<_>>(),
        );
        console.result(list().trim_end());
        return;
    };
    console.json(&Page {
        entry: Entry::new(code),
        page: code.page(),
    });
    console.result(
        if console.colors(Stream::Out) {
            styled(code.page())
        } else {
            code.page().to_owned()
        }
        .trim_end(),
    );
}

#[derive(Serialize)]
struct Entry {
    code: String,
    title: &'static str,
    phase: &'static str,
}

impl Entry {
    fn new(code: Code) -> Self {
        Self {
            code: code.name(),
            title: code.title(),
            phase: code.phase().name(),
        }
    }
}

#[derive(Serialize)]
struct Page {
    #[serde(flatten)]
    entry: Entry,
    /// Text of the documentation page, in Markdown.
    page: &'static str,
}

fn list() -> String {
    codes::ALL.iter().fold(String::new(), |mut text, code| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{code}  {}", code.title());
        text
    })
}

/// Parses a code argument.
fn parse(name: &str) -> Result<Code, String> {
    Code::from_name(name).ok_or_else(|| {
        let names: Vec<String> = codes::ALL.iter().map(|code| code.name()).collect();
        // Suggest a code only if the name is similar to it. A code of another tool gets no suggestion.
        match closest(name, names.iter().map(String::as_str)) {
            Some(near) => {
                format!("kit has no diagnostic with this code; did you mean `{near}`? `kit explain` lists all codes")
            }
            None => "kit has no diagnostic with this code; `kit explain` lists all codes".to_owned(),
        }
    })
}

/// Formats a page for a terminal: headings are bold, code blocks are indented below the names of their files.
fn styled(page: &str) -> String {
    let heading = Style::new().bold();
    let file = AnsiColor::Cyan.on_default();
    let mut text = String::new();
    let mut in_block = false;
    for line in page.lines() {
        // Writing to a string cannot fail.
        let _ = if let Some(info) = line.strip_prefix("```") {
            in_block = !in_block && !info.is_empty();
            match info.split_once("file=") {
                Some((_, path)) => writeln!(text, "    {file}{path}{file:#}"),
                None => Ok(()),
            }
        } else if in_block {
            writeln!(text, "    {line}")
        } else if line.starts_with('#') {
            writeln!(
                text,
                "{heading}{}{heading:#}",
                line.trim_start_matches(['#', ' '])
            )
        } else {
            writeln!(text, "{line}")
        };
    }
    text
}
