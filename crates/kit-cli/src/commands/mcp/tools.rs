//! The tools of the server. Each tool is a command of kit with `--json`.

use serde_json::{Map, Value, json};

/// A tool of the server.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// Words of the command, without options that all tools have.
    pub(super) command: &'static [&'static str],
    pub(super) parameters: &'static [Parameter],
    /// True if the command has the option `--root`.
    pub(super) uses_project: bool,
    /// True if the command asks the debug sidecar of a running application.
    pub(super) uses_sidecar: bool,
    /// True if the answer describes the last build.
    pub(super) describes_build: bool,
    /// Cases in which the tool needs `--allow-run`.
    pub(super) needs_permission: Permission,
}

/// Cases in which a tool needs `--allow-run`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Permission {
    Never,
    /// In a project with plugins, because the command runs them.
    WithPlugins,
    /// If neither `DATABASE_URL` nor `MIGRATE_URL` has a value, because the command then starts the embedded database.
    WithoutDatabase,
    /// Always, because the command runs code of the project, such as tests.
    Always,
}

/// Parameter of a tool.
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) kind: Kind,
    pub(super) is_required: bool,
    /// Option before the value in the command line; empty for a positional argument.
    pub(super) option: &'static str,
}

/// Type of a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    /// A whole number from 1 to [`MAX_COUNT`].
    Count,
}

/// Maximum value of a [`Kind::Count`].
const MAX_COUNT: u64 = 1_000;

/// Maximum length of a [`Kind::Text`] in bytes. The search for similar names takes time.
const MAX_TEXT: usize = 500;

const READ: Tool = Tool {
    name: "",
    about: "",
    command: &[],
    parameters: &[],
    uses_project: true,
    uses_sidecar: false,
    describes_build: false,
    needs_permission: Permission::Never,
};

const BUILD: Tool = Tool {
    describes_build: true,
    ..READ
};

const RUN: Tool = Tool {
    needs_permission: Permission::Always,
    ..READ
};

const SIDECAR: Tool = Tool {
    uses_sidecar: true,
    ..READ
};

const LAST: Parameter = Parameter {
    name: "last",
    about: "Maximum number of items, the newest first.",
    kind: Kind::Count,
    is_required: false,
    option: "--last",
};

const ROUTE_FILTER: Parameter = Parameter {
    name: "route",
    about: "Only this route, such as `GET /notes/:id`.",
    kind: Kind::Text,
    is_required: false,
    option: "--route",
};

/// All tools, in the order of the documentation.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "routes",
        about: "Lists all routes of the last build with their methods, paths and types.",
        command: &["inspect", "routes"],
        ..BUILD
    },
    Tool {
        name: "route",
        about: "Explains one route: the types of its request and its responses, its errors, its middleware, and the place of its contract and handler.",
        command: &["inspect", "route", "--verbose"],
        parameters: &[Parameter {
            name: "route",
            about: "Method and path as in the contract, such as `GET /notes/:id`.",
            kind: Kind::Text,
            is_required: true,
            option: "",
        }],
        ..BUILD
    },
    Tool {
        name: "types",
        about: "Lists the names of all types of the last build, with their files, lines and database tables.",
        command: &["inspect", "schemas"],
        ..BUILD
    },
    Tool {
        name: "type",
        about: "Explains one type: its properties, their rules, and the routes that use the type.",
        command: &["inspect", "schema", "--verbose"],
        parameters: &[Parameter {
            name: "name",
            about: "Name of the type, such as `Note`.",
            kind: Kind::Text,
            is_required: true,
            option: "",
        }],
        ..BUILD
    },
    Tool {
        name: "middleware",
        about: "Lists all middleware of the last build, by ascending priority.",
        command: &["inspect", "middleware"],
        ..BUILD
    },
    Tool {
        name: "check",
        about: "Compiles the sources without writing files, and returns the mistakes with places, codes and suggestions. The status is `stale` if there are no mistakes, but .kit/ is out of date.",
        command: &["build", "--check"],
        needs_permission: Permission::WithPlugins,
        ..READ
    },
    Tool {
        name: "explain",
        about: "Returns the page about a diagnostic code of kit: what the code means, an example, and a correction.",
        command: &["explain"],
        parameters: &[Parameter {
            name: "code",
            about: "Diagnostic code, such as `KIT1302`.",
            kind: Kind::Text,
            is_required: true,
            option: "",
        }],
        uses_project: false,
        ..READ
    },
    Tool {
        name: "migration_status",
        about: "Compares the database with its history and with the committed migrations. Needs DATABASE_URL or MIGRATE_URL, or `kit mcp --allow-run`, with which kit starts the embedded database.",
        command: &["migrate:status"],
        needs_permission: Permission::WithoutDatabase,
        ..READ
    },
    Tool {
        name: "migration_dry_run",
        about: "Returns the changes, the risks and the slow or locking statements of the migrations that are not applied yet, and applies nothing. Needs DATABASE_URL or MIGRATE_URL, or `kit mcp --allow-run`, with which kit starts the embedded database.",
        command: &["migrate:apply", "--dry-run"],
        needs_permission: Permission::WithoutDatabase,
        ..READ
    },
    Tool {
        name: "errors",
        about: "Returns the latest errors of the running application, from its debug sidecar.",
        command: &["inspect", "errors"],
        parameters: &[LAST],
        ..SIDECAR
    },
    Tool {
        name: "traces",
        about: "Returns the spans of the latest requests of the running application, from its debug sidecar.",
        command: &["inspect", "traces"],
        parameters: &[ROUTE_FILTER, LAST],
        ..SIDECAR
    },
    Tool {
        name: "performance",
        about: "Returns the latencies of a route of the running application, from its debug sidecar.",
        command: &["inspect", "performance"],
        parameters: &[Parameter {
            about: "Path of the route, such as `/notes/:id`. All routes if absent.",
            ..ROUTE_FILTER
        }],
        ..SIDECAR
    },
    Tool {
        name: "run_build",
        about: "Runs `kit build`: runs the plugins and the compiler of the project, and writes .kit/ and the JavaScript.",
        command: &["build"],
        ..RUN
    },
    Tool {
        name: "run_contract_tests",
        about: "Builds the project and runs the generated contract tests, which start the application.",
        command: &["test:contracts"],
        ..RUN
    },
    Tool {
        name: "run_tests",
        about: "Builds the project and runs its tests and the generated contract tests.",
        command: &["test"],
        ..RUN
    },
];

impl Tool {
    pub(super) fn find(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Returns true if the tool always runs code of the project.
    pub(super) fn runs_code(&self) -> bool {
        self.needs_permission == Permission::Always
    }

    /// Returns the JSON Schema of the arguments.
    pub(super) fn schema(&self) -> Map<String, Value> {
        let properties: Map<String, Value> = self
            .parameters
            .iter()
            .map(|parameter| {
                let schema = match parameter.kind {
                    Kind::Text => json!({ "type": "string", "minLength": 1, "maxLength": MAX_TEXT, "description": parameter.about }),
                    Kind::Count => json!({
                        "type": "integer", "minimum": 1, "maximum": MAX_COUNT, "description": parameter.about,
                    }),
                };
                (parameter.name.to_owned(), schema)
            })
            .collect();
        let required: Vec<&str> = self
            .parameters
            .iter()
            .filter(|parameter| parameter.is_required)
            .map(|parameter| parameter.name)
            .collect();
        let schema = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        });
        match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        }
    }

    /// Returns the arguments as words of the command line. A value cannot become an option of the command.
    pub(super) fn words(&self, arguments: &Map<String, Value>) -> Result<Vec<String>, String> {
        if let Some(unknown) = arguments
            .keys()
            .find(|name| self.parameters.iter().all(|known| known.name != *name))
        {
            return Err(format!("the tool `{}` has no parameter `{unknown}`", self.name));
        }
        let mut words = Vec::new();
        for parameter in self.parameters {
            let value = match (arguments.get(parameter.name), parameter.kind) {
                (None | Some(Value::Null), _) if parameter.is_required => {
                    return Err(format!(
                        "the parameter `{}` is missing: {}",
                        parameter.name, parameter.about
                    ));
                }
                (None | Some(Value::Null), _) => continue,
                (Some(Value::String(text)), Kind::Text) if (1..=MAX_TEXT).contains(&text.len()) => {
                    text.clone()
                }
                (Some(Value::Number(number)), Kind::Count)
                    if number
                        .as_u64()
                        .is_some_and(|count| (1..=MAX_COUNT).contains(&count)) =>
                {
                    number.to_string()
                }
                (Some(_), kind) => {
                    let wanted = match kind {
                        Kind::Text => format!("a text of 1 to {MAX_TEXT} bytes"),
                        Kind::Count => format!("a whole number from 1 to {MAX_COUNT}"),
                    };
                    return Err(format!("the parameter `{}` must be {wanted}", parameter.name));
                }
            };
            if parameter.option.is_empty() {
                words.extend(["--".to_owned(), value]);
            } else {
                words.push(format!("{}={value}", parameter.option));
            }
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{TOOLS, Tool};

    fn words(tool: &str, arguments: &Value) -> Result<Vec<String>, String> {
        let tool = Tool::find(tool).expect("the tool exists");
        tool.words(arguments.as_object().unwrap_or(&Map::new()))
    }

    #[test]
    fn values_never_become_options_of_the_command() {
        assert_eq!(
            words("route", &json!({ "route": "--root=/" })).unwrap(),
            ["--", "--root=/"]
        );
        assert_eq!(
            words("traces", &json!({ "route": "--json" })).unwrap(),
            ["--route=--json"]
        );
    }

    #[test]
    fn refuses_missing_wrong_and_unknown_arguments() {
        for (tool, arguments, reason) in [
            ("route", json!({}), "the parameter `route` is missing"),
            (
                "route",
                json!({ "route": "" }),
                "must be a text of 1 to 500 bytes",
            ),
            (
                "errors",
                json!({ "last": 0 }),
                "must be a whole number from 1 to 1000",
            ),
            (
                "errors",
                json!({ "last": 1.5 }),
                "must be a whole number from 1 to 1000",
            ),
            (
                "errors",
                json!({ "last": "3" }),
                "must be a whole number from 1 to 1000",
            ),
            (
                "routes",
                json!({ "root": "/" }),
                "the tool `routes` has no parameter `root`",
            ),
        ] {
            let error = words(tool, &arguments).unwrap_err();
            assert!(error.contains(reason), "{reason}: {error}");
        }
        assert_eq!(words("errors", &json!({ "last": 3 })).unwrap(), ["--last=3"]);
        assert_eq!(
            words("errors", &json!({ "last": null })).unwrap(),
            Vec::<String>::new()
        );
    }

    #[test]
    fn tools_that_run_code_say_so_in_their_name() {
        for tool in TOOLS {
            assert_eq!(tool.runs_code(), tool.name.starts_with("run_"), "{}", tool.name);
        }
    }
}
