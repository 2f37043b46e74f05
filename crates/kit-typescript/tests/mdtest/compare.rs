//! Comparison of the claims in a section of a page with the output of the compiler.

use std::path::Path;
use std::sync::Arc;

use kit_diagnostics::{Diagnostic, Severity};
use kit_ir::{Program, Slot, TypeKind};
use kit_typescript::{AnyMeaning, Input, MemoryFiles, Output, compile};

use crate::page::{ExpectedDiagnostic, Revealed, Section};
use crate::print::property_text;

/// Route file whose response has the type of a claim. kit reports a mistake in a type only if a route or
/// entity needs it.
const ASKED: &str = "src/asked.routes.ts";

/// Returns a description of each difference, with its line in the page.
pub(crate) fn differences(section: &Section) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut diagnostics: Vec<(usize, Diagnostic)> = Vec::new();
    let mut note = |output: &Output, fallback: usize| {
        let mut errors = 0;
        for diagnostic in &output.diagnostics {
            errors += usize::from(diagnostic.severity == Severity::Error);
            let line = line_of(section, diagnostic).unwrap_or(fallback);
            if !diagnostics
                .iter()
                .any(|(at, known)| *at == line && known == diagnostic)
            {
                diagnostics.push((line, diagnostic.clone()));
            }
        }
        errors
    };
    let first = section.files.first().and_then(|file| file.lines.first());
    note(&project(section, None), first.copied().unwrap_or(1));
    for revealed in &section.revealed {
        let output = project(section, Some(revealed));
        let errors = note(&output, revealed.export_line);
        let text = if errors > 0 {
            "error".to_owned()
        } else {
            answer(&output.program, section).unwrap_or_else(|| "nothing".to_owned())
        };
        if text != revealed.expected {
            let what = format!(
                "`{}` is not what the page says\n  page: {}\n  kit:  {text}",
                revealed.export, revealed.expected
            );
            found.push((revealed.line, what));
        }
    }
    let mut left: Vec<&ExpectedDiagnostic> = section.said.iter().collect();
    for (line, diagnostic) in &diagnostics {
        let fits = |said: &&ExpectedDiagnostic| said.line == *line && matches(said, section, diagnostic);
        match left.iter().position(fits) {
            Some(at) => {
                left.remove(at);
            }
            None => found.push((
                *line,
                format!("kit says what the page does not: {}", shown(section, diagnostic)),
            )),
        }
    }
    for said in left {
        let what = format!("kit does not say `[{}] {:?}`", said.code, said.message);
        found.push((said.line, what));
    }
    found.sort();
    found
}

/// Compiles the files of a section, with a route that needs the type of one claim.
fn project(section: &Section, revealed: Option<&Revealed>) -> Output {
    let root = Path::new("/app");
    let mut files: Vec<(String, String)> = section
        .files
        .iter()
        .map(|file| (file.path.clone(), file.text.clone()))
        .collect();
    if let Some(Revealed { file, export, .. }) = revealed {
        let text = format!(
            "import type {{ RouteContract }} from \"@kit/types\";\n\
             import type {{ {export} as Asked }} from \"../{file}\";\n\
             export interface Routes {{ \"GET /asked\": RouteContract<void, void, void, {{ value: Asked }}> }}\n"
        );
        files.push((ASKED.to_owned(), text));
    }
    let select = |wanted: &dyn Fn(&str) -> bool| {
        let own = files
            .iter()
            .filter(|(path, _)| path.starts_with("src/") && wanted(path));
        own.map(|(path, _)| root.join(path)).collect()
    };
    compile(&Input {
        root,
        type_files: select(&|path| !path.ends_with(".routes.ts")),
        route_files: select(&|path| path.ends_with(".routes.ts")),
        any: AnyMeaning::Error,
        entry_files: Vec::new(),
        files: Arc::new(MemoryFiles::new(
            files.iter().map(|(path, text)| (root.join(path), text.as_str())),
        )),
    })
}

/// Returns the type of the claim as text; `None` if the program does not have it.
fn answer(program: &Program, section: &Section) -> Option<String> {
    let route = program.routes.iter().next()?;
    let response = &program.declarations[route.slots.get(Slot::Response)?];
    let TypeKind::Object(object) = &program.types[response.r#type].kind else {
        return None;
    };
    let source: String = section.files.iter().map(|file| file.text.as_str()).collect();
    Some(property_text(program, object.property("value")?, &source))
}

/// Returns the line of the page at which a diagnostic is located.
fn line_of(section: &Section, diagnostic: &Diagnostic) -> Option<usize> {
    let label = diagnostic.primary()?;
    let file = section.files.iter().find(|file| file.path == label.path)?;
    file.lines
        .get(usize::try_from(label.line).ok()?.checked_sub(1)?)
        .copied()
}

fn matches(said: &ExpectedDiagnostic, section: &Section, diagnostic: &Diagnostic) -> bool {
    let under = under(section, diagnostic);
    said.code == diagnostic.code.name()
        && said.warning == (diagnostic.severity == Severity::Warning)
        && said.message.as_ref().is_none_or(|part| {
            diagnostic.message.contains(part)
                || diagnostic.help.as_ref().is_some_and(|help| help.contains(part))
        })
        && said.under.as_deref().is_none_or(|text| under == Some(text))
}

/// Returns the source text at the location of a diagnostic.
fn under<'a>(section: &'a Section, diagnostic: &Diagnostic) -> Option<&'a str> {
    let label = diagnostic.primary()?;
    let file = section.files.iter().find(|file| file.path == label.path)?;
    file.text.get(label.range.clone())
}

fn shown(section: &Section, diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let help = diagnostic.help.as_deref().unwrap_or("no help");
    let under = under(section, diagnostic).unwrap_or("the use in a route");
    format!(
        "{severity} [{}] {}\n  at: {under}\n  help: {help}",
        diagnostic.code.name(),
        diagnostic.message
    )
}
