//! Checks the values of options. An unknown key or a value of the wrong type is an error that shows a valid value. A
//! build reports all mistakes together.

use kit_diagnostics::{Code, Diagnostic, Diagnostics, Label, closest, codes};
use serde_json::{Map, Value};

use super::source::ConfigSource;

/// Reads values of options, and reports mistakes in them.
pub(super) struct Reader<'a> {
    pub(super) source: &'a ConfigSource,
    pub(super) diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    /// Reports a mistake in the value of an option.
    pub(super) fn report(&mut self, key: &str, message: &str, help: String) {
        self.report_as(codes::CONFIGURATION_INVALID, key, message, help);
    }

    /// Reports a mistake in the value of an option with the given error code.
    pub(super) fn report_as(&mut self, code: Code, key: &str, message: &str, help: String) {
        let label = self.location(key);
        self.report_at(code, label, message, help);
    }

    /// Returns the location of an option's value in the configuration file.
    pub(super) fn location(&self, key: &str) -> Option<Label> {
        self.source.locations.value(key, &self.source.path)
    }

    fn report_at(&mut self, code: Code, label: Option<Label>, message: &str, help: String) {
        let message = format!("{}: {message}", self.source.name);
        let mut diagnostic = Diagnostic::new(code, message).help(help);
        if let Some(label) = label {
            diagnostic = diagnostic.label(label);
        }
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn report_wrong_type(&mut self, key: &str, expected: &str, found: &Value) {
        let subject = if key.is_empty() {
            "the configuration".to_owned()
        } else {
            format!("`{key}`")
        };
        self.report(
            key,
            &format!("{subject} must be {expected}, but is {}", kind(found)),
            match key {
                "" => "export an object: `export default defineConfig({ … })`".to_owned(),
                "database" => "write `database: { adapter: \"drizzle\" }`".to_owned(),
                "openapi" => "write `openapi: { version: \"3.1\" }`".to_owned(),
                "types" => "write `types: { any: \"unknown\" }`".to_owned(),
                _ if expected.starts_with("an object") => {
                    format!("write `{key}: {{ … }}`, or leave it out")
                }
                "typeFiles" | "routeFiles" | "compilerArgs" => format!("write `{key}: [\"…\"]`"),
                _ => format!("write `{key}: \"…\"`, or leave it out"),
            },
        );
    }

    pub(super) fn known_keys(&mut self, parent: &str, object: &Map<String, Value>, known: &[&str]) {
        for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
            let path = if parent.is_empty() {
                key.clone()
            } else {
                format!("{parent}.{key}")
            };
            let help = match closest(key, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known options: {}", quoted(known)),
            };
            let label = self.source.locations.key(&path, &self.source.path);
            let label = label.or_else(|| self.source.locations.value(parent, &self.source.path));
            let message = format!("unknown option `{path}`");
            self.report_at(codes::CONFIGURATION_INVALID, label, &message, help);
        }
    }

    /// Returns true if the configuration is a TypeScript or JavaScript module. Returns false for
    /// `package.json`, which cannot contain code.
    pub(super) fn is_module(&self) -> bool {
        self.source.path != "package.json"
    }

    pub(super) fn object<'v>(&mut self, key: &str, value: &'v Value) -> Option<&'v Map<String, Value>> {
        let object = value.as_object();
        if object.is_none() {
            self.report_wrong_type(key, "an object", value);
        }
        object
    }

    pub(super) fn string<'v>(&mut self, key: &str, value: &'v Value) -> Option<&'v str> {
        let text = value.as_str();
        if text.is_none() {
            self.report_wrong_type(key, "a string", value);
        }
        text
    }

    pub(super) fn strings(&mut self, key: &str, value: &Value) -> Option<Vec<String>> {
        let texts = value.as_array().and_then(|items| {
            items
                .iter()
                .map(|item| item.as_str().map(str::to_owned))
                .collect()
        });
        if texts.is_none() {
            self.report_wrong_type(key, "a list of strings", value);
        }
        texts
    }

    pub(super) fn globs(&mut self, key: &str, globs: &[String]) -> bool {
        let mut valid = true;
        for (index, glob) in globs.iter().enumerate() {
            if let Err(problem) = crate::glob_syntax::check(glob) {
                valid = false;
                self.report(
                    &format!("{key}[{index}]"),
                    &format!("`{key}` contains the glob `{glob}`, which {problem}"),
                    "write globs relative to the project's root, such as `src/**/*.types.ts`".to_owned(),
                );
            }
        }
        valid
    }

    /// Reads a directory inside of the project and normalizes its path: `./out/` becomes `out`.
    pub(super) fn directory(&mut self, key: &str, value: &Value) -> Option<String> {
        let text = self.string(key, value)?;
        let plain: Vec<&str> = text
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        let leaves = text.starts_with('/')
            || text.contains(['\\', '\0'])
            || text.contains(':')
            || plain.contains(&"..");
        if leaves || plain.is_empty() {
            self.report(
                key,
                &format!("`{key}` must be a directory below the project's root, but is `{text}`"),
                format!(
                    "write a relative path with `/`, such as `{key}: \"{}\"`",
                    if key == "distDir" { "dist" } else { ".kit" }
                ),
            );
            return None;
        }
        Some(plain.join("/"))
    }

    pub(super) fn choice<T: Copy>(
        &mut self,
        key: &str,
        value: &Value,
        choices: &[T],
        name: fn(T) -> &'static str,
    ) -> Option<T> {
        let text = self.string(key, value)?;
        let found = choices.iter().copied().find(|choice| name(*choice) == text);
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|choice| name(*choice)).collect();
            let help = match closest(text, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write one of {}", quoted(&names)),
            };
            self.report(
                key,
                &format!("`{key}` must be one of {}, but is `{text}`", quoted(&names)),
                help,
            );
        }
        found
    }
}

fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(items) if items.iter().all(Value::is_string) => "a list of strings",
        Value::Array(_) => "a list with other values in it",
        Value::Object(_) => "an object",
    }
}
