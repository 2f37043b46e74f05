//! Units for systemd.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::deployment::{Deployment, Processes, Runtime};
use crate::mark::comment_lines;
use crate::variable::VariableSource;

/// Returns paths and texts of the units.
pub(crate) fn files(deployment: &Deployment) -> Vec<(String, String)> {
    let name = &deployment.name;
    let mut files = vec![(format!("{name}.service"), server(deployment))];
    if deployment.worker.is_some() {
        files.push((format!("{name}-worker.service"), worker(deployment)));
    }
    if deployment.has_migrations {
        files.push((format!("{name}-migrate.service"), migrate(deployment)));
    }
    files
}

/// Program of Node.
const NODE: &str = "/usr/bin/node";

/// Part of a unit file.
struct Unit(String);

impl Unit {
    fn section(&mut self, name: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.0, "[{name}]");
    }

    fn set(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.0, "{key}={value}");
    }

    fn comment(&mut self, text: &str) {
        let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
        let _ = writeln!(self.0, "# {text}");
    }
}

fn server(deployment: &Deployment) -> String {
    let name = &deployment.name;
    let mut unit = Unit(usage(deployment));
    let program = match &deployment.runtime {
        Runtime::Node(program) => command(&program.command(NODE)),
        Runtime::Rust { program } => format!("/opt/{name}/{}", escaped(program)),
    };
    let reason = deployment.stop_reason();
    begin(&mut unit, &format!("{name}: server"));
    restart_without_end(&mut unit);
    unit.section("Service");
    unit.set("Type", "exec");
    unit.set("WorkingDirectory", &format!("/opt/{name}"));
    unit.set("ExecStart", &program);
    if deployment.tls.is_some() {
        unit.comment("The server reads the files of TLS again. Without a reload, it notices new files after a few seconds.");
        unit.set("ExecReload", "/bin/kill -HUP $MAINPID");
        unit.set("SupplementaryGroups", &format!("{name}-tls"));
    }
    unit.set("Environment", &format!("PORT={}", deployment.port));
    for (variable, path) in deployment.tls.iter().flat_map(|tls| &tls.variables) {
        unit.set("Environment", &format!("{variable}={path}"));
    }
    variables(&mut unit, deployment, true);
    unit.comment(&reason);
    unit.set("TimeoutStopSec", &deployment.stop_seconds().to_string());
    if deployment.processes != Processes::Count(1) {
        unit.comment("Only the process that supervises the workers gets SIGTERM.");
        unit.set("KillMode", "mixed");
    }
    restart(&mut unit);
    harden(
        &mut unit,
        deployment,
        matches!(deployment.runtime, Runtime::Rust { .. }),
    );
    install(&mut unit);
    unit.0
}

fn worker(deployment: &Deployment) -> String {
    let name = &deployment.name;
    let mut unit = Unit(String::new());
    let (seconds, reason) = Deployment::worker_stop();
    begin(&mut unit, &format!("{name}: worker"));
    restart_without_end(&mut unit);
    unit.section("Service");
    unit.set("Type", "exec");
    unit.set("WorkingDirectory", &format!("/opt/{name}"));
    unit.set("ExecStart", &command(&deployment.worker_command(NODE)));
    variables(&mut unit, deployment, false);
    unit.comment(&reason);
    unit.set("TimeoutStopSec", &seconds.to_string());
    restart(&mut unit);
    harden(&mut unit, deployment, false);
    install(&mut unit);
    unit.0
}

fn migrate(deployment: &Deployment) -> String {
    let name = &deployment.name;
    let mut unit = Unit(String::new());
    unit.comment(&format!(
        "Needs kit in /opt/{name}/node_modules. MIGRATE_URL in /etc/{name}/migrate-environment is used in place of DATABASE_URL."
    ));
    begin(&mut unit, &format!("{name}: migrations of the database"));
    unit.section("Service");
    unit.set("Type", "oneshot");
    unit.set("WorkingDirectory", &format!("/opt/{name}"));
    unit.set(
        "ExecStart",
        &format!("/usr/bin/node /opt/{name}/node_modules/.bin/kit migrate:apply"),
    );
    unit.set("EnvironmentFile", &format!("/etc/{name}/environment"));
    unit.comment(
        "Only this unit gets the URL of the role that may change tables. The `-` accepts a missing file.",
    );
    unit.set("EnvironmentFile", &format!("-/etc/{name}/migrate-environment"));
    unit.set("TimeoutStartSec", "infinity");
    harden(&mut unit, deployment, false);
    unit.0
}

/// Returns the comment that shows how to install the units.
fn usage(deployment: &Deployment) -> String {
    let name = &deployment.name;
    let open = deployment.open_variables(true);
    let of_worker = deployment
        .open_variables(false)
        .filter(|_| deployment.worker.is_some());
    let mut seen = BTreeSet::new();
    let needed: Vec<String> = open
        .chain(of_worker)
        .filter(|variable| seen.insert(&variable.name))
        .filter_map(|variable| match &variable.source {
            VariableSource::Secret { required: true } | VariableSource::Required => {
                Some(variable.name.clone())
            }
            VariableSource::Secret { required: false } => Some(format!("{} (optional)", variable.name)),
            VariableSource::Optional(_) => None,
        })
        .collect();
    let copied = match &deployment.runtime {
        Runtime::Node(_) => format!("the project to /opt/{name}"),
        Runtime::Rust { program } => format!("target/release/{program} to /opt/{name}/{program}"),
    };
    let mut lines = vec![format!("Copy {copied}, and the units to /etc/systemd/system.")];
    if !needed.is_empty() {
        lines.push(format!(
            "Write /etc/{name}/environment with NAME=value lines, mode 0600: {}.",
            needed.join(", ")
        ));
    }
    if deployment.has_migrations {
        lines.push(format!(
            "Write /etc/{name}/migrate-environment, mode 0600, if another role applies the migrations: MIGRATE_URL (optional)."
        ));
    }
    if let Some(tls) = &deployment.tls {
        let paths: Vec<String> = tls
            .files
            .iter()
            .map(|file| format!("{}/{}", file.directory, file.name))
            .collect();
        let key = tls.files.iter().find(|file| file.key == "tls.key");
        let key = key.map_or_else(String::new, |key| {
            escaped(&format!("{}/{}", key.directory, key.name))
        });
        lines.push(format!(
            "Write {}. Once, so that the unit can read the key:",
            paths.join(", ")
        ));
        lines.push(format!(
            "  groupadd --system {name}-tls && chgrp {name}-tls {key} && chmod 0640 {key}"
        ));
        lines.push(format!("After a new certificate: systemctl reload {name}"));
    }
    let start = if deployment.has_migrations {
        format!("systemctl start {name}-migrate && systemctl restart {name}")
    } else {
        format!("systemctl restart {name}")
    };
    let worker = if deployment.worker.is_some() {
        format!(" {name}-worker")
    } else {
        String::new()
    };
    lines.push(format!("Once: systemctl enable {name}{worker}"));
    lines.push("Each release:".to_owned());
    lines.push(format!("  systemctl daemon-reload && {start}{worker}"));
    comment_lines(&lines)
}

fn begin(unit: &mut Unit, description: &str) {
    unit.section("Unit");
    unit.set("Description", description);
    unit.set("Wants", "network-online.target");
    unit.set("After", "network-online.target");
}

/// Makes systemd restart the unit without an end, so that the application starts when a database is back after hours.
fn restart_without_end(unit: &mut Unit) {
    unit.comment("No maximum number of restarts: a database may be down for hours.");
    unit.set("StartLimitIntervalSec", "0");
}

fn variables(unit: &mut Unit, deployment: &Deployment, is_server: bool) {
    let name = &deployment.name;
    unit.set("Environment", "NODE_ENV=production");
    if is_server {
        for (name, value) in deployment.runtime_variables() {
            unit.set("Environment", &format!("{name}={value}"));
        }
    }
    if matches!(deployment.runtime, Runtime::Node(_)) {
        unit.set("Environment", "NODE_COMPILE_CACHE=%C/%N");
        unit.set("CacheDirectory", "%N");
    }
    for (name, value) in deployment.set_variables(is_server) {
        unit.set("Environment", &quoted(&format!("{name}={value}"), false));
    }
    for variable in deployment.open_variables(is_server) {
        if let VariableSource::Optional(_) = variable.source {
            unit.comment(&format!("{} {}", variable.name, variable.optional_text()));
        }
    }
    let needs_file = deployment
        .open_variables(is_server)
        .any(|variable| !matches!(variable.source, VariableSource::Optional(_)));
    // The `-` accepts a missing file.
    let dash = if needs_file { "" } else { "-" };
    unit.set("EnvironmentFile", &format!("{dash}/etc/{name}/environment"));
}

fn restart(unit: &mut Unit) {
    unit.set("Restart", "always");
    unit.set("RestartSec", "2");
    unit.set("LimitNOFILE", "65536");
}

/// Takes all rights from the processes that they do not need.
fn harden(unit: &mut Unit, deployment: &Deployment, is_rust: bool) {
    unit.comment("A user without a home directory, which exists while the unit runs.");
    unit.set("DynamicUser", "yes");
    for key in [
        "LockPersonality",
        "NoNewPrivileges",
        "PrivateDevices",
        "PrivateTmp",
        "ProtectClock",
        "ProtectControlGroups",
        "ProtectHome",
        "ProtectHostname",
        "ProtectKernelLogs",
        "ProtectKernelModules",
        "ProtectKernelTunables",
        "RemoveIPC",
        "RestrictNamespaces",
        "RestrictRealtime",
        "RestrictSUIDSGID",
    ] {
        unit.set(key, "yes");
    }
    unit.set("ProtectProc", "invisible");
    unit.set("ProtectSystem", "strict");
    let capability = if deployment.needs_low_port() {
        "CAP_NET_BIND_SERVICE"
    } else {
        ""
    };
    unit.set("CapabilityBoundingSet", capability);
    unit.set("AmbientCapabilities", capability);
    unit.set("RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX AF_NETLINK");
    unit.set("SystemCallArchitectures", "native");
    unit.set("SystemCallFilter", "@system-service");
    unit.set("SystemCallFilter", "~@privileged @resources");
    unit.set("SystemCallErrorNumber", "EPERM");
    unit.set("UMask", "0077");
    if is_rust {
        unit.set("MemoryDenyWriteExecute", "yes");
    }
}

fn install(unit: &mut Unit) {
    unit.section("Install");
    unit.set("WantedBy", "multi-user.target");
}

/// Returns the words of a command as the value of `ExecStart`.
fn command<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| escaped(word)).collect();
    words.join(" ")
}

/// Returns an argument of `ExecStart` in double quotes if systemd would split or expand the argument.
fn escaped(argument: &str) -> String {
    quoted(argument, true)
}

/// Returns a word in double quotes if systemd would split or expand the word. systemd replaces variables in commands only.
fn quoted(argument: &str, has_variables: bool) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_./-@+=:,".contains(letter);
    if argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    let mut quoted = String::from("\"");
    for letter in argument.chars().filter(|letter| !letter.is_control()) {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '%' => quoted.push_str("%%"),
            '$' if has_variables => quoted.push_str("$$"),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use kit_ir::Program;

    use super::files;
    use crate::{Choices, Deployment, NodeProgram, Project, Runtime, ScriptVariable};

    #[test]
    fn only_the_unit_of_migrations_reads_the_url_of_the_role_that_may_change_tables() {
        let project = Project {
            name: "shop",
            version: "1.0.0",
            runtime: Runtime::Node(NodeProgram {
                program: "src/main.ts".to_owned(),
                options: vec!["--import".to_owned(), "./with space.mjs".to_owned()],
                arguments: vec!["--port=1".to_owned()],
                variables: vec![ScriptVariable {
                    name: "NODE_OPTIONS".to_owned(),
                    value: Some("--trace-warnings $HOME 100%".to_owned()),
                }],
                has_script_of_server: false,
            }),
            worker: Some(NodeProgram {
                program: "src/worker.ts".to_owned(),
                ..NodeProgram::default()
            }),
            has_migrations: true,
            read_variables: &[],
        };
        let deployment = Deployment::new(&Program::default(), &project, &Choices::default());
        for (path, text) in files(&deployment) {
            let reads = text.contains("\nEnvironmentFile=-/etc/shop/migrate-environment\n");
            assert_eq!(reads, path == "shop-migrate.service", "{path}: {text}");
            // systemd expands `%` in variables, and `$` only in commands.
            let is_set = text.contains("\nEnvironment=\"NODE_OPTIONS=--trace-warnings $HOME 100%%\"\n");
            assert_eq!(is_set, path == "shop.service", "{path}: {text}");
            let command = match path.as_str() {
                "shop.service" => "--import \"./with space.mjs\" src/main.ts --port=1\n",
                "shop-worker.service" => "src/worker.ts\n",
                _ => "/opt/shop/node_modules/.bin/kit migrate:apply\n",
            };
            assert!(
                text.contains(&format!("\nExecStart=/usr/bin/node {command}")),
                "{path}: {text}"
            );
        }
    }

    #[test]
    fn the_server_may_use_low_ports_if_it_listens_or_redirects_there() {
        let may = |port: u16, redirect: Option<u16>| {
            let project = Project {
                name: "shop",
                version: "1.0.0",
                runtime: Runtime::Rust {
                    program: "shop".to_owned(),
                },
                worker: None,
                has_migrations: false,
                read_variables: &[],
            };
            let choices = Choices {
                port: Some(port),
                tls: Some(true),
                ..Choices::default()
            };
            let mut deployment = Deployment::new(&Program::default(), &project, &choices);
            deployment.tls.as_mut().unwrap().redirect_port = redirect;
            let (_, unit) = files(&deployment).remove(0);
            unit.contains(
                "\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n",
            )
        };
        assert!(may(443, None));
        assert!(may(8443, Some(80)));
        assert!(!may(8443, Some(8080)));
        assert!(!may(8443, None));
    }
}
