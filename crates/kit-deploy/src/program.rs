//! Programs for Node, with what a script of package.json gives them.

use crate::tls::Tls;
use crate::variable::{FITTING, SET, Variable, VariableSource, looks_secret, may_be_secret};

/// A program for Node, as a script of package.json starts it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeProgram {
    /// Path of the program, such as `src/main.ts`.
    pub program: String,
    /// Options of node, such as `--enable-source-maps`.
    pub options: Vec<String>,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Variables that the script sets for the program, in the order of the script.
    pub variables: Vec<ScriptVariable>,
    /// True if no script starts this program, so that its options and variables are those of the script that starts the server.
    pub has_script_of_server: bool,
}

/// A variable that a script sets for a program: `TZ=UTC node src/main.ts`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptVariable {
    /// Name of the variable.
    pub name: String,
    /// Value of the variable; `None` if the shell computes the value.
    pub value: Option<String>,
}

impl NodeProgram {
    /// Returns the words of the command that starts the program. `node` is the program of Node.
    pub(crate) fn command(&self, node: &str) -> Vec<String> {
        let words = [node.to_owned()].into_iter().chain(self.options.iter().cloned());
        let words = words.chain([self.program.clone()]);
        words.chain(self.arguments.iter().cloned()).collect()
    }

    /// Returns the port that the script sets. Returns `None` if the script sets none.
    pub(crate) fn port(&self) -> Option<u16> {
        let port = self.variables.iter().rfind(|variable| variable.name == "PORT")?;
        let port = port.value.as_deref()?.parse().ok();
        port.filter(|port| *port > 0)
    }

    /// Returns the variables of the script that the files set, with their values. Tells the user the names of the others: those whose values
    /// the shell computes, those that are secret, and those that the files set themselves.
    pub(crate) fn settable(
        &self,
        variables: &[Variable],
        tls: Option<&Tls>,
        notes: &mut Vec<String>,
    ) -> Vec<(String, String)> {
        let is_port = |name: &str| name == "PORT" && self.port().is_some();
        let is_secret = |name: &str| {
            let declared = variables.iter().find(|variable| variable.name == name);
            declared.map_or_else(
                || may_be_secret(name),
                |variable| matches!(variable.source, VariableSource::Secret { .. }),
            )
        };
        let is_set = |name: &str| {
            let of_tls = tls.is_some_and(|tls| tls.variables.iter().any(|(known, _)| *known == name));
            of_tls || SET.contains(&name) || FITTING.contains(&name)
        };
        let mut settable: Vec<(String, String)> = Vec::new();
        let mut others: Vec<&str> = Vec::new();
        for ScriptVariable { name, value } in &self.variables {
            let value = value.as_deref().filter(|value| !value.contains(char::is_control));
            if is_port(name) || (name == "NODE_ENV" && value == Some("production")) {
                continue;
            }
            match value {
                Some(value) if !is_secret(name) && !looks_secret(name, value) && !is_set(name) => {
                    // The shell uses the last of several values.
                    settable.retain(|(known, _)| known != name);
                    settable.push((name.clone(), value.to_owned()));
                }
                _ => others.push(name),
            }
        }
        // The note about the server names the same variables.
        if !others.is_empty() && !self.has_script_of_server {
            notes.push(format!(
                "the script that starts {} sets variables that the files do not take from it: check {} in the files",
                self.program,
                others.join(", ")
            ));
        }
        settable
    }
}

#[cfg(test)]
mod tests {
    use super::{NodeProgram, ScriptVariable};
    use crate::variable::{Variable, VariableSource};

    fn program(variables: &[(&str, Option<&str>)]) -> NodeProgram {
        NodeProgram {
            program: "src/main.ts".to_owned(),
            variables: variables
                .iter()
                .map(|(name, value)| ScriptVariable {
                    name: (*name).to_owned(),
                    value: value.map(str::to_owned),
                })
                .collect(),
            ..NodeProgram::default()
        }
    }

    #[test]
    fn files_set_the_values_of_a_script_and_the_last_of_several() {
        let program = program(&[
            ("NODE_ENV", Some("production")),
            // The files set this variable only for a Rust server.
            ("MALLOC_TRIM_THRESHOLD_", Some("131072")),
            ("TZ", Some("UTC")),
            ("PORT", Some("8080")),
            ("TZ", Some("Europe/Zurich")),
        ]);
        let mut notes = Vec::new();
        let settable = program.settable(&[], None, &mut notes);
        let expected = [("MALLOC_TRIM_THRESHOLD_", "131072"), ("TZ", "Europe/Zurich")];
        assert_eq!(
            settable,
            expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        assert_eq!(program.port(), Some(8080));
        assert!(notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn secrets_computed_values_and_variables_of_the_files_are_in_a_note() {
        let declared = |name: &str, source| Variable {
            name: name.to_owned(),
            description: None,
            source,
        };
        let variables = [
            declared("PIN", VariableSource::Secret { required: true }),
            declared("REGION", VariableSource::Optional(None)),
        ];
        let program = program(&[
            ("NODE_ENV", Some("test")),
            ("PIN", Some("1")),
            ("REGION", Some("eu")),
            ("API_KEY", Some("k")),
            ("REDIS_URL", Some("redis://:p@h")),
            ("HOST", Some("127.0.0.1")),
            ("PORT", Some("0")),
            ("NAME", None),
            ("LINES", Some("a\nb")),
        ]);
        let mut notes = Vec::new();
        let settable = program.settable(&variables, None, &mut notes);
        assert_eq!(settable, [("REGION".to_owned(), "eu".to_owned())]);
        assert_eq!(
            notes,
            [
                "the script that starts src/main.ts sets variables that the files do not take from it: check NODE_ENV, PIN, API_KEY, REDIS_URL, HOST, PORT, NAME, LINES in the files"
            ]
        );
    }

    #[test]
    fn values_that_look_secret_stay_out_of_the_files_even_if_the_name_has_no_separate_word() {
        let secrets = [
            ("PGPASSWORD", "hunter2"),
            ("APIKEY", "k"),
            ("AUTHTOKEN", "t"),
            ("MYSQL_PWD", "p"),
            ("SMTP_PASS", "p"),
            ("KEY_PASSPHRASE", "p"),
            ("npm_config_token", "t"),
            ("SMTP_URI", "smtp://user:pw@host"),
            ("PROXY", "http://user:pw@proxy:3128/"),
            ("DATABASE", "host=db user=shop Password=pw"),
        ];
        let harmless = [
            ("DOCS", "https://example.com/docs"),
            ("MAIL_FROM", "shop@example.com"),
        ];
        let all = secrets.iter().chain(&harmless);
        let program = program(&all.map(|(name, value)| (*name, Some(*value))).collect::<Vec<_>>());
        // A name that a source reads is optional, and says nothing about the value.
        let read = Variable {
            name: "PROXY".to_owned(),
            description: None,
            source: VariableSource::Optional(None),
        };
        let mut notes = Vec::new();
        let settable = program.settable(&[read], None, &mut notes);
        assert_eq!(
            settable,
            harmless.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
        for (name, _) in secrets {
            assert!(notes[0].contains(name), "no {name} in {notes:?}");
        }
    }
}
