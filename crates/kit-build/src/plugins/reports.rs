//! Collects the errors and warnings of plugins in a build, and the files that they watch.

use std::path::{Path, PathBuf};

use kit_diagnostics::{Diagnostic, Diagnostics, Label, Severity, codes};
use kit_ir::Span;
use kit_typescript::SourceTexts;
use serde::Deserialize;

use super::CodeLocation;
use super::messages::FunctionCall;
use super::mistake::Mistake;
use crate::config::Plugin;

/// Errors, warnings and watched files of the plugins in a build.
#[derive(Debug, Clone, Default)]
pub(crate) struct PluginReports {
    /// Mistakes of plugins, and errors and warnings that plugins report about the project.
    pub(crate) diagnostics: Diagnostics,
    /// Texts of the files in which these diagnostics are located, by path.
    pub(crate) texts: Vec<(String, String)>,
    /// Files that plugins read. A change to them can change the output.
    pub(crate) watched: Vec<PathBuf>,
    /// Paths of the program's source files. A span names a file by its index in this list.
    pub(crate) sources: Vec<String>,
}

/// Argument of a plugin's call that reports an error or a warning about the project.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Report {
    severity: Level,
    message: String,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    line: Option<u32>,
    #[serde(default)]
    column: Option<u32>,
    #[serde(default)]
    span: Option<Span>,
    #[serde(default)]
    help: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Level {
    Error,
    Warning,
}

impl PluginReports {
    /// Moves the diagnostics, texts and watched files into the results of the build.
    pub(crate) fn move_into(
        self,
        diagnostics: &mut Diagnostics,
        texts: &mut SourceTexts,
        read: &mut Vec<PathBuf>,
    ) {
        diagnostics.extend(self.diagnostics);
        for (path, text) in self.texts {
            texts.add(path, text);
        }
        read.extend(self.watched);
    }

    /// Adds a diagnostic for a hook function that failed or returned an invalid result.
    pub(super) fn add_mistake(&mut self, root: &Path, plugin: &Plugin, hook: &str, mistake: Mistake) {
        let message = format!("plugin `{}` failed in `{hook}`: {}", plugin.name, mistake.message);
        let mut diagnostic = Diagnostic::new(mistake.code, message);
        diagnostic.help = mistake.help;
        let place = match (&mistake.location, &plugin.location) {
            (Some(place), _) => Some(self.add_label(root, place)),
            (None, Some(label)) => {
                let file = CodeLocation {
                    path: label.path.clone(),
                    line: label.line,
                    column: label.column,
                };
                self.add_label(root, &file);
                Some(label.clone())
            }
            (None, None) => None,
        };
        self.diagnostics.push(diagnostic.labels(place));
    }

    /// Adds the error or warning that a plugin reported about the project.
    pub(super) fn report(&mut self, root: &Path, plugin: &Plugin, call: FunctionCall) -> Result<(), Mistake> {
        let at = call.at.clone();
        let report: Report = call.read(
            "report",
            "write `build.report({ severity: \"error\", message: \"…\", file: \"src/notes.types.ts\", line: 1 })`",
        )?;
        let label = self
            .report_label(root, &report)
            .map_err(|mistake| mistake.at(at))?;
        let severity = match report.severity {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
        };
        let message = format!("[{}] {}", plugin.name, report.message);
        let mut diagnostic = Diagnostic::new(codes::PLUGIN_REPORT, message).labels(label);
        diagnostic.severity = severity;
        diagnostic.help = report.help;
        self.diagnostics.push(diagnostic);
        Ok(())
    }

    fn report_label(&mut self, root: &Path, report: &Report) -> Result<Option<Label>, Mistake> {
        let refused = |message: String| Mistake::new(codes::INVALID_PLUGIN_RESULT, message);
        match (&report.span, &report.file) {
            (Some(_), Some(_)) => Err(refused("`report` got a `span` and a `file`".to_owned())
                .help("pass only one of the two: a `span` already contains the file")),
            (Some(span), None) => {
                let path = self.sources.get(usize::from(span.source)).ok_or_else(|| {
                    refused(format!(
                        "`report` got a span in sources[{}], which does not exist",
                        span.source.0
                    ))
                })?;
                let range = span.start as usize..span.end.max(span.start) as usize;
                Ok(Some(
                    Label::primary(path.as_str(), range).at(span.line, span.column),
                ))
            }
            (None, Some(file)) => Ok(Some(self.add_label(
                root,
                &CodeLocation {
                    path: file.clone(),
                    line: report.line.unwrap_or_default(),
                    column: report.column.unwrap_or_default(),
                },
            ))),
            (None, None) if report.line.is_some() || report.column.is_some() => {
                Err(refused("`report` got a `line` without a `file`".to_owned())
                    .help("pass `file` too: the path of the file that contains this line"))
            }
            (None, None) => Ok(None),
        }
    }

    fn add_label(&mut self, root: &Path, location: &CodeLocation) -> Label {
        let (label, text) = location.label(root);
        if let Some(text) = text {
            self.texts.push((label.path.clone(), text));
        }
        label
    }
}
