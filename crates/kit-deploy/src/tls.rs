//! Certificate, key and authorities of an application that listens with TLS.

use kit_ir::Program;
use serde_json::Value;

use crate::choices::Choices;
use crate::client_certificates;
use crate::variable::Variable;

/// Files of TLS: the property of the option `tls`, the key in the secret of Kubernetes, and the variable that a Rust server
/// reads the path from.
const FILES: [(&str, &str, &str); 3] = [
    ("cert", "tls.crt", "TLS_CERT"),
    ("key", "tls.key", "TLS_KEY"),
    ("clientCa", "ca.crt", "TLS_CLIENT_CA"),
];

/// Variable that names the port of plain HTTP of a Rust server.
const REDIRECT_PORT: &str = "TLS_REDIRECT_PORT";

/// Port to which clients of Kubernetes and compose connect.
const HTTPS: u16 = 443;

/// Application whose TLS is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) program: &'a Program,
    /// Name in Kubernetes, compose and systemd.
    pub(crate) name: &'a str,
    pub(crate) is_rust: bool,
    /// Port of the server.
    pub(crate) port: u16,
}

/// Files that the application reads for TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tls {
    /// The files, with the certificate first.
    pub(crate) files: Vec<TlsFile>,
    /// Variables that tell the application the paths and the port of redirects.
    pub(crate) variables: Vec<(&'static str, String)>,
    /// True if the server refuses clients without a certificate.
    pub(crate) refuses_unknown_clients: bool,
    /// Port of plain HTTP whose requests are redirected; `None` if there is none, or if kit does not know the port.
    pub(crate) redirect_port: Option<u16>,
}

/// A file that the application reads for TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TlsFile {
    /// Key in the secret of Kubernetes, as cert-manager writes the secret.
    pub(crate) key: &'static str,
    /// Directory of the file, without a slash at the end.
    pub(crate) directory: String,
    /// Name of the file.
    pub(crate) name: String,
}

impl Tls {
    /// Returns the directories of the files, with the files of each.
    pub(crate) fn directories(&self) -> Vec<(&str, Vec<&TlsFile>)> {
        let mut directories: Vec<(&str, Vec<&TlsFile>)> = Vec::new();
        for file in &self.files {
            match directories.iter_mut().find(|(known, _)| *known == file.directory) {
                Some((_, files)) => files.push(file),
                None => directories.push((&file.directory, vec![file])),
            }
        }
        directories
    }

    /// Returns true if the application reads certificates of authorities of clients.
    pub(crate) fn has_authorities(&self) -> bool {
        self.files.iter().any(|file| file.key == "ca.crt")
    }
}

/// Reads the option `tls` of `listen`. Returns `None` if the application speaks plain HTTP.
///
/// A path that the source does not contain becomes one in `/etc/<name>/tls`. The variable with the usual name tells the application
/// this path, and is removed from `variables`.
pub(crate) fn tls(
    source: &Source<'_>,
    choices: &Choices,
    variables: &mut Vec<Variable>,
    notes: &mut Vec<String>,
) -> Option<Tls> {
    let Source {
        program,
        name,
        is_rust,
        ..
    } = *source;
    let option = program.application.tls.as_ref().filter(|_| !is_rust);
    if !choices.tls.unwrap_or(option.is_some()) {
        return None;
    }
    let value = option.and_then(|option| option.value.as_ref());
    let directory = format!("/etc/{name}/tls");
    let mut tls = Tls {
        files: Vec::new(),
        variables: Vec::new(),
        refuses_unknown_clients: false,
        redirect_port: None,
    };
    for (property, key, variable) in FILES {
        let is_read = variables.iter().any(|read| read.name == variable);
        let given = value.and_then(|value| value.get(property));
        let is_optional = property == "clientCa";
        let is_chosen = is_read || choices.client_certificates.is_some();
        if is_optional && given.is_none() && !(is_chosen && value.is_none()) {
            continue;
        }
        if let Some((directory, file)) = given.and_then(absolute) {
            tls.files.push(TlsFile {
                key,
                directory: directory.to_owned(),
                name: file.to_owned(),
            });
            continue;
        }
        let path = format!("{directory}/{key}");
        if let Some(Value::String(given)) = given.filter(|given| is_absolute(given)) {
            notes.push(format!(
                "`tls.{property}` is {given}, and a volume at its directory would hide other files. The file is at {path} instead: set `tls.{property}` to this path"
            ));
        } else if is_rust || is_read {
            variables.retain(|read| read.name != variable);
            tls.variables.push((variable, path));
        } else {
            notes.push(format!(
                "kit cannot read `tls.{property}` without running the application. The file is at {path}: set `tls.{property}` to this path"
            ));
        }
        tls.files.push(TlsFile {
            key,
            directory: directory.clone(),
            name: key.to_owned(),
        });
    }
    if option.is_none() && !is_rust {
        notes.push(
            "kit found no call of `listen` with the option `tls`: the probes fail unless the application listens with TLS"
                .to_owned(),
        );
    }
    redirects(source, value, choices.redirect_port, &mut tls, variables, notes);
    let choice = choices.client_certificates;
    if tls.has_authorities() {
        let found = client_certificates::rule(is_rust, value, choice, variables, notes);
        tls.variables.extend(found.variable);
        tls.refuses_unknown_clients = found.refuses_unknown;
    } else {
        client_certificates::without_authorities(is_rust, choice, notes);
    }
    Some(tls)
}

/// Finds the port whose requests are redirected: the one of the source, or else the one that the user has chosen. Tells the user what
/// the files lack.
fn redirects(
    source: &Source<'_>,
    value: Option<&Value>,
    choice: Option<u16>,
    tls: &mut Tls,
    variables: &mut Vec<Variable>,
    notes: &mut Vec<String>,
) {
    let given = value.and_then(|value| value.get("redirectFrom"));
    let known = given
        .and_then(Value::as_u64)
        .and_then(|port| u16::try_from(port).ok())
        // Port 0 is any free port.
        .filter(|port| *port > 0);
    let is_read = variables.iter().any(|variable| variable.name == REDIRECT_PORT);
    match (known, choice) {
        (Some(port), Some(choice)) if port != choice => notes.push(format!(
            "`tls.redirectFrom` is {port} in the source, so the files have this port and not {choice}"
        )),
        (None, None) if given.is_some() => notes.push(
            "the port of `tls.redirectFrom` is known only when the application runs: name it with `--redirect-port`"
                .to_owned(),
        ),
        (None, Some(port)) if source.is_rust || is_read => {
            variables.retain(|variable| variable.name != REDIRECT_PORT);
            tls.variables.push((REDIRECT_PORT, port.to_string()));
        }
        (None, Some(port)) if given.is_none() && value.is_some() => notes.push(format!(
            "kit found no `tls.redirectFrom`: nothing listens on port {port} unless the application redirects"
        )),
        (None, Some(port)) => notes.push(format!(
            "the port of `tls.redirectFrom` is known only when the application runs, and the application does not read it from {REDIRECT_PORT}: make sure that the port is {port}"
        )),
        _ => {}
    }
    tls.redirect_port = known.or(choice);
    let has_origin = value.is_some_and(|value| value.get("redirectTo").is_some());
    if tls.redirect_port.is_some() && source.port != HTTPS && !has_origin {
        let option = if source.is_rust {
            "the variable TLS_REDIRECT_TO"
        } else {
            "`tls.redirectTo`"
        };
        notes.push(format!(
            "redirects lead to port {}, and clients of Kubernetes and compose connect to port {HTTPS}: set {option} to the origin that clients use, such as https://example.com",
            source.port
        ));
    }
}

fn is_absolute(path: &Value) -> bool {
    path.as_str().is_some_and(|path| path.starts_with('/'))
}

/// Splits an absolute path into its directory and its file. Returns `None` for other values, and for directories that usually have
/// other files, because a volume replaces the whole directory: those with one name, such as `/etc`, and those of temporary files.
fn absolute(path: &Value) -> Option<(&str, &str)> {
    let (directory, file) = path.as_str()?.rsplit_once('/')?;
    let names: Vec<&str> = directory.strip_prefix('/')?.split('/').collect();
    let is_plain = !file.is_empty() && names.iter().all(|name| !matches!(*name, "" | "." | ".."));
    let is_temporary = matches!(names[..], ["tmp", ..] | ["var", "tmp", ..]);
    (is_plain && names.len() > 1 && !is_temporary).then_some((directory, file))
}

#[cfg(test)]
mod tests {
    use kit_ir::{LiteralOption, Program, SourceId, Span};
    use serde_json::{Value, json};

    use super::{Source, Tls, tls};
    use crate::choices::Choices;
    use crate::variable::{Variable, VariableSource};

    fn program(value: Option<Value>) -> Program {
        let mut program = Program::default();
        let span = Span {
            source: SourceId(0),
            start: 0,
            end: 0,
            line: 1,
            column: 1,
        };
        program.application.tls = Some(LiteralOption { value, span });
        program
    }

    fn read(value: Option<Value>, names: &[&str]) -> (Option<Tls>, Vec<String>, Vec<String>) {
        read_with(Some(program(value)), &Choices::default(), names)
    }

    /// Reads the TLS of an application on Node, or of a Rust server if there is no program.
    fn read_with(
        program: Option<Program>,
        choices: &Choices,
        names: &[&str],
    ) -> (Option<Tls>, Vec<String>, Vec<String>) {
        let mut variables: Vec<Variable> = names
            .iter()
            .map(|name| Variable {
                name: (*name).to_owned(),
                description: None,
                source: VariableSource::Required,
            })
            .collect();
        let mut notes = Vec::new();
        let is_rust = program.is_none();
        let source = Source {
            program: &program.unwrap_or_default(),
            name: "shop",
            is_rust,
            port: 443,
        };
        let tls = tls(&source, choices, &mut variables, &mut notes);
        (tls, variables.into_iter().map(|one| one.name).collect(), notes)
    }

    #[test]
    fn paths_of_the_source_are_the_paths_of_the_files() {
        let value = json!({ "cert": "/etc/tls/a.pem", "key": "/etc/keys/a.key" });
        let (tls, _, notes) = read(Some(value), &[]);
        let tls = tls.unwrap();
        let directories = tls.directories();
        assert_eq!(directories.len(), 2);
        assert_eq!((directories[0].0, directories[1].0), ("/etc/tls", "/etc/keys"));
        assert_eq!(directories[0].1[0].name, "a.pem");
        assert_eq!(directories[1].1[0].key, "tls.key");
        assert!(tls.variables.is_empty() && notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn variables_tell_the_paths_that_the_source_does_not_contain() {
        let value = json!({ "cert": null, "key": "relative.key" });
        let (tls, rest, notes) = read(Some(value), &["TLS_CERT", "OTHER"]);
        let tls = tls.unwrap();
        assert_eq!(tls.variables, [("TLS_CERT", "/etc/shop/tls/tls.crt".to_owned())]);
        assert_eq!(rest, ["OTHER"]);
        assert_eq!(tls.directories().len(), 1);
        assert!(
            notes.len() == 1 && notes[0].contains("`tls.key`") && notes[0].contains("/etc/shop/tls/tls.key"),
            "{notes:?}"
        );
    }

    #[test]
    fn clients_without_a_certificate_are_refused_unless_the_source_accepts_them() {
        let with = |rule: Value| {
            let mut value = json!({ "cert": "/etc/t/a", "key": "/etc/t/b", "clientCa": "/etc/t/c" });
            value["clientCertificates"] = rule;
            read(Some(value), &[]).0.unwrap().refuses_unknown_clients
        };
        assert!(with(json!("required")));
        assert!(with(json!(null)));
        assert!(!with(json!("optional")));
        let (tls, _, _) = read(
            Some(json!({ "cert": "/etc/t/a", "key": "/etc/t/b" })),
            &["TLS_CLIENT_CA"],
        );
        assert!(!tls.unwrap().refuses_unknown_clients);
        let (tls, _, _) = read(None, &["TLS_CERT", "TLS_KEY", "TLS_CLIENT_CA"]);
        assert!(tls.unwrap().refuses_unknown_clients);
    }

    #[test]
    fn a_chosen_rule_for_clients_adds_the_file_of_their_authorities() {
        use crate::choices::ClientCertificates::{Optional, Required};
        let with = |rule, program: Option<Program>, names: &[&str]| {
            let choices = Choices {
                tls: Some(true),
                client_certificates: rule,
                ..Choices::default()
            };
            let (tls, _, notes) = read_with(program, &choices, names);
            (tls.unwrap(), notes.join("\n"))
        };
        for (rule, name) in [(Required, "required"), (Optional, "optional")] {
            let (tls, _) = with(Some(rule), None, &[]);
            assert!(tls.has_authorities());
            assert_eq!(tls.refuses_unknown_clients, rule == Required);
            for variable in [
                ("TLS_CLIENT_CA", "/etc/shop/tls/ca.crt".to_owned()),
                ("TLS_CLIENT_CERTIFICATES", name.to_owned()),
            ] {
                assert!(tls.variables.contains(&variable), "{:?}", tls.variables);
            }
        }
        let (tls, notes) = with(None, None, &[]);
        assert!(
            !tls.has_authorities() && notes.contains("use `--client-certificates`"),
            "{notes}"
        );
        // The application computes the whole option.
        let (tls, notes) = with(Some(Optional), Some(program(None)), &["TLS_CERT", "TLS_KEY"]);
        assert!(tls.has_authorities() && !tls.refuses_unknown_clients);
        assert!(notes.contains("set `tls.clientCa` to this path"), "{notes}");
        let value = json!({ "cert": "/etc/t/a", "key": "/etc/t/b" });
        let (tls, notes) = with(Some(Required), Some(program(Some(value))), &[]);
        assert!(
            !tls.has_authorities() && notes.contains("changes nothing"),
            "{notes}"
        );
    }

    #[test]
    fn no_directory_with_other_files_of_the_container_is_replaced() {
        for path in [
            "/server.pem",
            "/etc/server.pem",
            "/app/server.pem",
            "/tmp/x.pem",
            "/tmp/tls/x.pem",
            "/var/tmp/x.pem",
            "/etc//x.pem",
            "/etc/tls/../x.pem",
        ] {
            let (tls, _, notes) = read(
                Some(json!({ "cert": path, "key": "/etc/keys/a.key" })),
                &["TLS_CERT"],
            );
            let tls = tls.unwrap();
            assert_eq!(tls.files[0].directory, "/etc/shop/tls", "{path}");
            assert!(
                notes.len() == 1 && notes[0].contains(path) && notes[0].contains("/etc/shop/tls/tls.crt"),
                "{notes:?}"
            );
        }
    }

    fn redirecting(from: &Value) -> Value {
        json!({ "cert": "/etc/t/a", "key": "/etc/t/b", "redirectFrom": from })
    }

    #[test]
    fn the_port_of_redirects_is_that_of_the_source_or_the_chosen_one() {
        let with = |from: Value, choice: Option<u16>| {
            let choices = Choices {
                redirect_port: choice,
                ..Choices::default()
            };
            let (tls, _, notes) = read_with(Some(program(Some(redirecting(&from)))), &choices, &[]);
            (tls.unwrap().redirect_port, notes.join("\n"))
        };
        assert_eq!(with(json!(80), None), (Some(80), String::new()));
        for from in [Value::Null, json!(0)] {
            let (port, notes) = with(from, Some(8080));
            assert_eq!(port, Some(8080));
            assert!(notes.contains("make sure that the port is 8080"), "{notes}");
        }
        let (port, notes) = with(json!(80), Some(81));
        assert_eq!(port, Some(80));
        assert!(
            notes.contains("`tls.redirectFrom` is 80 in the source"),
            "{notes}"
        );
        for from in [Value::Null, json!(0)] {
            let (port, notes) = with(from, None);
            assert_eq!(port, None);
            assert!(notes.contains("name it with `--redirect-port`"), "{notes}");
        }
    }

    #[test]
    fn a_chosen_port_without_an_option_in_the_source_is_in_a_note() {
        let choices = Choices {
            redirect_port: Some(80),
            ..Choices::default()
        };
        let value = json!({ "cert": "/etc/t/a", "key": "/etc/t/b" });
        let (tls, _, notes) = read_with(Some(program(Some(value))), &choices, &[]);
        assert_eq!(tls.unwrap().redirect_port, Some(80));
        assert!(
            notes.len() == 1 && notes[0].starts_with("kit found no `tls.redirectFrom`"),
            "{notes:?}"
        );
    }

    #[test]
    fn a_chosen_port_that_the_application_may_not_use_is_in_a_note() {
        let choices = Choices {
            redirect_port: Some(8080),
            ..Choices::default()
        };
        // The whole option is unknown, and the application reads the port from a variable with another name.
        let names = ["TLS_CERT", "TLS_KEY", "REDIRECT_PORT"];
        let (tls, _, notes) = read_with(Some(program(None)), &choices, &names);
        assert_eq!(tls.unwrap().redirect_port, Some(8080));
        assert!(
            notes
                .iter()
                .any(|note| note.contains("make sure that the port is 8080")),
            "{notes:?}"
        );
    }

    #[test]
    fn a_variable_tells_the_port_of_redirects_to_servers_that_read_it() {
        let choices = Choices {
            tls: Some(true),
            redirect_port: Some(80),
            ..Choices::default()
        };
        for (program, names) in [
            (None, &["OTHER"][..]),
            (Some(program(None)), &["TLS_REDIRECT_PORT", "OTHER"][..]),
        ] {
            let (tls, rest, _) = read_with(program, &choices, names);
            let tls = tls.unwrap();
            assert!(tls.variables.contains(&("TLS_REDIRECT_PORT", "80".to_owned())));
            assert_eq!(rest, ["OTHER"]);
        }
    }

    #[test]
    fn redirects_to_another_port_than_that_of_clients_are_in_a_note() {
        let notes = |port: u16, to: Option<&str>, is_rust: bool| {
            let mut value = redirecting(&json!(80));
            if let Some(to) = to {
                value["redirectTo"] = json!(to);
            }
            let source = Source {
                program: &program(Some(value)),
                name: "shop",
                is_rust,
                port,
            };
            let choices = Choices {
                tls: Some(true),
                redirect_port: Some(80),
                ..Choices::default()
            };
            let mut notes = Vec::new();
            tls(&source, &choices, &mut Vec::new(), &mut notes);
            notes.join("\n")
        };
        assert!(notes(8443, None, false).contains("lead to port 8443"));
        assert!(notes(8443, None, true).contains("the variable TLS_REDIRECT_TO"));
        assert_eq!(notes(443, None, false), "");
        assert_eq!(notes(8443, Some("https://example.com"), false), "");
    }
}
