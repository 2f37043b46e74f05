//! Environment variables of the application.

use kit_ir::{DefaultValue, LiteralValue, Program, Property};

/// An environment variable that the application reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Name, such as `DATABASE_URL`.
    pub name: String,
    /// Description from the doc comment, or the file that reads the variable.
    pub description: Option<String>,
    /// Origin of the value.
    pub source: VariableSource,
}

impl Variable {
    /// Returns the rest of a comment about a variable without which the application works: `is info by default. Lowest level of the log.`.
    pub(crate) fn optional_text(&self) -> String {
        let value = match &self.source {
            VariableSource::Optional(Some(default)) => format!("is {default} by default."),
            _ => "is optional.".to_owned(),
        };
        match &self.description {
            Some(description) => format!("{value} {description}"),
            None => value,
        }
    }
}

/// Origin of the value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VariableSource {
    /// The value is secret, so files contain only the name.
    Secret {
        /// True if the application does not start without the variable.
        required: bool,
    },
    /// The user has to write the value into the files.
    Required,
    /// The application works without the variable: the value in the source, or `None` if there is none.
    Optional(Option<String>),
}

/// A variable that a source reads from `process.env`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadVariable {
    /// Name of the variable.
    pub name: String,
    /// Path of the source.
    pub path: String,
}

/// Variables that the generated files set themselves, or explain themselves. Files of a Rust server also set those in [`OF_RUST`].
pub(crate) const SET: [&str; 4] = ["MIGRATE_URL", "NODE_COMPILE_CACHE", "NODE_ENV", "PORT"];

/// Variables that the files set for a Rust server. A threshold that is given does not grow, so that memory of a burst of large bodies goes
/// back to the system. Only glibc reads the variable.
pub(crate) const OF_RUST: [(&str, &str); 1] = [("MALLOC_TRIM_THRESHOLD_", "1048576")];

/// Variables whose defaults fit the generated files.
pub(crate) const FITTING: [&str; 3] = ["HOST", "OTEL_EXPORTER_PROMETHEUS_HOST", "TMPDIR"];

/// Variables of a Rust server whose defaults fit the generated files. An application on Node gives these names a meaning of its own.
const FITTING_IN_RUST: [&str; 3] = ["METRICS_HOST", "SHUTDOWN_DELAY_MS", "SHUTDOWN_GRACE_MS"];

/// Last words of names whose values are usually secret. A URL often contains a password.
const SECRET_WORDS: [&str; 12] = [
    "CREDENTIALS",
    "DSN",
    "KEY",
    "KEYS",
    "PASS",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "SECRET",
    "SECRETS",
    "TOKEN",
    "TOKENS",
];

/// Returns the variables of the application: those of the type of `env`, then those that only the sources name. The database is
/// the first variable if `has_database` is true.
pub(crate) fn variables(
    program: &Program,
    read: &[ReadVariable],
    has_database: bool,
    is_rust: bool,
) -> Vec<Variable> {
    let mut found: Vec<Variable> = Vec::new();
    if has_database {
        found.push(Variable {
            name: "DATABASE_URL".to_owned(),
            description: Some("PostgreSQL database of the application.".to_owned()),
            source: VariableSource::Secret { required: true },
        });
    }
    let declared = program.application.environment.as_ref();
    let declared = declared.map_or(&[][..], |environment| {
        program.properties(program.declarations[environment.declaration].r#type)
    });
    let declared = declared.iter().map(of_property);
    let undeclared = read.iter().map(|ReadVariable { name, path }| Variable {
        name: name.clone(),
        description: Some(format!("{path} reads this variable.")),
        source: if may_be_secret(name) {
            VariableSource::Secret { required: false }
        } else {
            VariableSource::Optional(None)
        },
    });
    for variable in declared.chain(undeclared) {
        let is_known = found.iter().any(|known| known.name == variable.name);
        if !is_known && !is_left_out(&variable, is_rust) {
            found.push(variable);
        }
    }
    found
}

/// Returns true if the user need not write a value for the variable into the files. An application does not start without
/// a variable that the type of `env` requires, even if kit has a default for the variable.
fn is_left_out(variable: &Variable, is_rust: bool) -> bool {
    let name = variable.name.as_str();
    let is_required = matches!(
        variable.source,
        VariableSource::Required | VariableSource::Secret { required: true }
    );
    let is_fitting = FITTING.contains(&name) || (is_rust && FITTING_IN_RUST.contains(&name));
    let is_set = SET.contains(&name) || (is_rust && OF_RUST.iter().any(|(known, _)| *known == name));
    is_set || (is_fitting && !is_required)
}

/// Returns the default port from the type of `env`, if the type has a variable `PORT` with a default.
pub(crate) fn default_port(program: &Program) -> Option<u16> {
    let environment = program.application.environment.as_ref()?;
    let declaration = &program.declarations[environment.declaration];
    let port = program
        .properties(declaration.r#type)
        .iter()
        .find(|property| property.name == "PORT")?;
    default_text(port)?.parse().ok().filter(|port| *port > 0)
}

fn of_property(property: &Property) -> Variable {
    let description = property.documentation.description.as_deref();
    let name = &property.name;
    let default = default_text(property);
    let has_default = property.tags.default.is_some();
    Variable {
        name: name.clone(),
        description: description.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
        source: if property.tags.sensitive || is_secret(name) || name == "DATABASE_URL" {
            VariableSource::Secret {
                required: !property.optional && !has_default,
            }
        } else if property.optional || has_default {
            VariableSource::Optional(default)
        } else {
            VariableSource::Required
        },
    }
}

/// Returns true if the value of a variable that no type declares may be secret.
pub(crate) fn may_be_secret(name: &str) -> bool {
    is_secret(name) || name.ends_with("_URL") || name.ends_with("_URI")
}

/// Returns true if a script sets a variable to a value that looks secret. Names of other programs, such as `PGPASSWORD`, have no `_` before
/// the word. A value that is wrongly counted as secret is only missing in the files, with a note.
pub(crate) fn looks_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let has_word = SECRET_WORDS.iter().any(|word| name.ends_with(word)) || name.ends_with("PWD");
    let after_scheme = value.split_once("://").map(|(_, rest)| rest);
    let has_user = after_scheme.is_some_and(|rest| rest.contains('@'));
    has_word || has_user || value.to_ascii_lowercase().contains("password=")
}

fn is_secret(name: &str) -> bool {
    SECRET_WORDS.iter().any(|word| {
        name.strip_suffix(word)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
    })
}

/// Returns the default of a variable as a text. Returns `None` if there is none, or if the default has no fixed text.
fn default_text(property: &Property) -> Option<String> {
    match property.tags.default.as_ref()? {
        DefaultValue::Literal(LiteralValue::String(text) | LiteralValue::BigInt(text))
        | DefaultValue::Json(text) => Some(text.clone()),
        DefaultValue::Literal(LiteralValue::Number(number)) => Some(number.to_string()),
        DefaultValue::Literal(LiteralValue::Boolean(flag)) => Some(flag.to_string()),
        DefaultValue::Null | DefaultValue::Now => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{ReadVariable, Variable, VariableSource, is_left_out, is_secret, variables};

    #[test]
    fn names_with_secret_words_are_secret() {
        for name in [
            "AUTH_SECRET",
            "KIT_COOKIE_KEYS",
            "SMTP_PASS",
            "SMTP_PASSWORD",
            "TOKEN",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["AUTH_ISSUER", "MONKEY", "KEYBOARD_LAYOUT", "PORT"] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn a_variable_with_a_fitting_default_is_left_out_unless_the_application_requires_it() {
        let variable = |name: &str, source| Variable {
            name: name.to_owned(),
            description: None,
            source,
        };
        for is_rust in [true, false] {
            let is_left_out = |name, source| is_left_out(&variable(name, source), is_rust);
            assert!(is_left_out("HOST", VariableSource::Optional(None)));
            assert!(!is_left_out("HOST", VariableSource::Required));
            assert!(is_left_out("PORT", VariableSource::Required));
            assert!(!is_left_out("LOG_LEVEL", VariableSource::Required));
            // The files set this variable only for a Rust server.
            assert_eq!(
                is_left_out("MALLOC_TRIM_THRESHOLD_", VariableSource::Required),
                is_rust
            );
            // Only the Rust server reads this variable. An application on Node that reads it needs a value.
            assert_eq!(
                is_left_out("SHUTDOWN_GRACE_MS", VariableSource::Optional(None)),
                is_rust
            );
        }
    }

    #[test]
    fn variables_that_only_sources_name_are_optional() {
        let read = |name: &str| ReadVariable {
            name: name.to_owned(),
            path: "src/auth.ts".to_owned(),
        };
        let program = kit_ir::Program::default();
        let read = [
            read("PORT"),
            read("AUTH_SECRET"),
            read("AUTH_ISSUER"),
            read("DATABASE_URL"),
            read("MONGODB_URI"),
        ];
        let found = variables(&program, &read, true, false);
        let sources: Vec<_> = found
            .iter()
            .map(|variable| (variable.name.as_str(), variable.source.clone()))
            .collect();
        assert_eq!(
            sources,
            [
                ("DATABASE_URL", VariableSource::Secret { required: true }),
                ("AUTH_SECRET", VariableSource::Secret { required: false }),
                ("AUTH_ISSUER", VariableSource::Optional(None)),
                ("MONGODB_URI", VariableSource::Secret { required: false }),
            ]
        );
    }
}
