//! Settings of an application that decide about its deployment.

use kit_ir::Program;
use serde_json::Value;

use crate::choices::Choices;
use crate::name::{dns_label, with_suffix};
use crate::options::{Found, find};
use crate::program::NodeProgram;
use crate::tls::{Source, Tls, tls};
use crate::variable::{OF_RUST, ReadVariable, Variable, VariableSource, default_port, variables};

/// Port of an application that declares no other.
const DEFAULT_PORT: u16 = 3000;
/// Port of the metrics for Prometheus if the option names none.
const DEFAULT_METRICS_PORT: u64 = 9464;
/// Shortest default of the time in which the requests in progress may end after SIGTERM, on Node and in Rust.
const SHORTEST_GRACE_MS: u64 = 10_000;
/// Default of the option `requestTimeoutMs`.
const REQUEST_TIMEOUT_MS: u64 = 30_000;
/// Further time of a process that supervises workers: it kills a worker this long after the grace period.
const WORKER_END_MS: u64 = 10_000;
/// Default of the option `graceMs` of `jobs.work`.
const JOB_GRACE_MS: u64 = 30_000;

/// Variable with the keys of signed cookies, without which a Rust server with the option `cookies.keys` does not start.
const COOKIE_KEYS: &str = "KIT_COOKIE_KEYS";
/// Time between the longest possible shutdown and the end by force.
const MARGIN_SECONDS: u64 = 5;
/// Time in which load balancers learn that a process stops.
const BALANCER_SECONDS: u64 = 5;

/// Facts about the project that are not in the IR.
#[derive(Debug, Clone)]
pub struct Project<'a> {
    /// Name in `package.json`.
    pub name: &'a str,
    /// Version in `package.json`.
    pub version: &'a str,
    /// Program that serves.
    pub runtime: Runtime,
    /// Program that does jobs; `None` if there is none.
    pub worker: Option<NodeProgram>,
    /// True if the project has committed migrations.
    pub has_migrations: bool,
    /// Variables that sources read from `process.env`.
    pub read_variables: &'a [ReadVariable],
}

/// Program that serves requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runtime {
    /// A program for Node.
    Node(NodeProgram),
    /// A Rust server that kit generated.
    Rust {
        /// Name of the program.
        program: String,
    },
}

impl Runtime {
    /// Returns the program for Node; `None` for a Rust server.
    pub fn node(&self) -> Option<&NodeProgram> {
        match self {
            Self::Node(program) => Some(program),
            Self::Rust { .. } => None,
        }
    }
}

/// Paths of the health checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// Path that tells if the process is alive.
    pub live: String,
    /// Path that tells if the process can do requests.
    pub ready: String,
}

/// Number of processes of the native server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processes {
    /// This number of processes.
    Count(u64),
    /// A process for each core that the container may use.
    Auto,
}

/// Everything that the files express.
#[derive(Debug, Clone)]
pub struct Deployment {
    /// Name in Kubernetes, compose and systemd.
    pub name: String,
    /// Image of the application.
    pub image: String,
    /// Image that applies the migrations.
    pub migration_image: String,
    /// Minimum number of replicas.
    pub replicas: u32,
    /// Program that serves requests.
    pub runtime: Runtime,
    /// Port of the application.
    pub port: u16,
    /// Port of the metrics; `None` if the application has no metrics for Prometheus.
    pub metrics: Option<u16>,
    /// Health checks; `None` if the application has none.
    pub health: Option<Health>,
    /// Number of processes in a container.
    pub processes: Processes,
    /// True if a job applies migrations before a release.
    pub has_migrations: bool,
    /// True if the application uses PostgreSQL.
    pub has_database: bool,
    /// Program that does jobs.
    pub worker: Option<NodeProgram>,
    /// True if the application exports traces, metrics or logs by OTLP.
    pub has_telemetry: bool,
    /// Environment variables.
    pub variables: Vec<Variable>,
    /// Facts that the user has to check, as sentences.
    pub notes: Vec<String>,
    /// Files of TLS; `None` if the application speaks plain HTTP.
    pub(crate) tls: Option<Tls>,
    /// Variables that a script sets for the program that serves, with their values.
    server_variables: Vec<(String, String)>,
    /// Variables that a script sets for the program that does jobs.
    worker_variables: Vec<(String, String)>,
    /// The option `shutdownDelayMs`.
    shutdown_delay_ms: u64,
    /// Time in which the requests in progress may end after SIGTERM.
    grace_ms: u64,
}

impl Deployment {
    /// Reads the settings of an application.
    ///
    /// ```
    /// use kit_deploy::{Choices, Deployment, Project, Runtime};
    ///
    /// let project = Project {
    ///     name: "@acme/shop",
    ///     version: "1.2.0",
    ///     runtime: Runtime::Rust { program: "shop".to_owned() },
    ///     worker: None,
    ///     has_migrations: true,
    ///     read_variables: &[],
    /// };
    /// let deployment = Deployment::new(&kit_ir::Program::default(), &project, &Choices::default());
    /// assert_eq!(deployment.name, "acme-shop");
    /// assert_eq!(deployment.image, "acme-shop:1.2.0");
    /// assert_eq!(deployment.health.unwrap().ready, "/readyz");
    /// ```
    pub fn new(program: &Program, project: &Project<'_>, choices: &Choices) -> Self {
        let mut notes = Vec::new();
        let is_rust = matches!(project.runtime, Runtime::Rust { .. });
        let name = dns_label(project.name);
        let image = choices
            .image
            .clone()
            .unwrap_or_else(|| format!("{name}:{}", project.version.replace('+', "-")));
        let jobs = program.application.jobs.is_some();
        let reads_database = project
            .read_variables
            .iter()
            .any(|variable| variable.name == "DATABASE_URL");
        let has_database = !program.entities.is_empty() || project.has_migrations || jobs || reads_database;
        let mut variables = variables(program, project.read_variables, has_database, is_rust);
        let has_keys =
            find(program, "cookies.keys") != Found::Absent && !program.application.has_unread_options;
        if is_rust && has_keys && variables.iter().all(|variable| variable.name != COOKIE_KEYS) {
            variables.push(Variable {
                name: COOKIE_KEYS.to_owned(),
                description: Some("Keys that sign the cookies: `openssl rand -base64 32`.".to_owned()),
                source: VariableSource::Secret { required: true },
            });
        }
        let port = choices
            .port
            .or_else(|| project.runtime.node().and_then(NodeProgram::port))
            .or_else(|| default_port(program))
            .unwrap_or(DEFAULT_PORT);
        let source = Source {
            program,
            name: &name,
            is_rust,
            port,
        };
        let tls = tls(&source, choices, &mut variables, &mut notes);
        if is_rust && tls.is_some() && !has_database {
            notes.push(
                "the server needs the feature `tls` of kit-runtime in Cargo.toml, unless it has the feature `http2`".to_owned(),
            );
        }
        let settable = |program: Option<&NodeProgram>, notes: &mut Vec<String>| {
            program
                .map(|program| program.settable(&variables, tls.as_ref(), notes))
                .unwrap_or_default()
        };
        let server_variables = settable(project.runtime.node(), &mut notes);
        let worker_variables = settable(project.worker.as_ref(), &mut notes);
        let is_open = |name: &str, set: &[(String, String)]| set.iter().all(|(known, _)| known != name);
        let required = |variable: &&Variable| {
            let is_open_in_worker = project.worker.is_some() && is_open(&variable.name, &worker_variables);
            variable.source == VariableSource::Required
                && (is_open(&variable.name, &server_variables) || is_open_in_worker)
        };
        for Variable { name, .. } in variables.iter().filter(required) {
            notes.push(format!(
                "write the value of {name} into the files: the application does not start without the variable"
            ));
        }
        if jobs && project.worker.is_none() {
            notes.push(
                "the application declares jobs, but kit found no program that does them; name the program with `--worker src/worker.ts`"
                    .to_owned(),
            );
        }
        Self {
            migration_image: choices
                .migration_image
                .clone()
                .unwrap_or_else(|| with_suffix(&image)),
            image,
            name,
            replicas: choices.replicas.unwrap_or(2),
            port,
            metrics: metrics(program, &mut notes),
            health: health(program, is_rust, &mut notes),
            processes: processes(program, is_rust, &mut notes),
            has_migrations: project.has_migrations,
            has_database,
            worker: project.worker.clone(),
            has_telemetry: has_telemetry(program),
            variables,
            server_variables,
            worker_variables,
            tls,
            shutdown_delay_ms: shutdown_delay(program, is_rust, &mut notes),
            grace_ms: grace(program, &mut notes),
            runtime: project.runtime.clone(),
            notes,
        }
    }

    /// Returns the variables of the server that depend on its runtime only.
    pub(crate) fn runtime_variables(&self) -> &'static [(&'static str, &'static str)] {
        match self.runtime {
            Runtime::Rust { .. } => &OF_RUST,
            Runtime::Node(_) => &[],
        }
    }

    /// Returns the seconds between the start of a shutdown and the end of the process by force, without
    /// [`Self::extra_delay_seconds`].
    pub(crate) fn stop_seconds(&self) -> u64 {
        let workers = if self.processes == Processes::Count(1) {
            0
        } else {
            WORKER_END_MS
        };
        (self.shutdown_delay_ms + self.grace_ms + workers).div_ceil(1000) + MARGIN_SECONDS
    }

    /// Returns the explanation of [`Self::stop_seconds`].
    pub(crate) fn stop_reason(&self) -> String {
        let delay = match self.shutdown_delay_ms {
            0 => String::new(),
            delay => format!("{delay} ms of shutdownDelayMs, "),
        };
        let workers = if self.processes == Processes::Count(1) {
            String::new()
        } else {
            format!("{} s until workers are killed, ", WORKER_END_MS / 1000)
        };
        let grace = self.grace_ms.div_ceil(1000);
        format!("{delay}{grace} s for requests in progress, {workers}{MARGIN_SECONDS} s of reserve")
    }

    /// Returns the health checks that probes can use. A server that refuses clients without a certificate refuses probes, too.
    pub(crate) fn probed_health(&self) -> Option<&Health> {
        let refuses = self.tls.as_ref().is_some_and(|tls| tls.refuses_unknown_clients);
        self.health.as_ref().filter(|_| !refuses)
    }

    /// Returns true if the server listens on a port below 1024, for which Linux asks for a capability.
    pub(crate) fn needs_low_port(&self) -> bool {
        self.port < 1024 || self.redirect_port().is_some_and(|port| port < 1024)
    }

    /// Returns true if the server listens with TLS.
    pub fn has_tls(&self) -> bool {
        self.tls.is_some()
    }

    /// Returns the scheme of the server, which is the name of its port, too.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// Returns the seconds that a process must continue to serve after the load balancer is told that it stops, and that the
    /// option `shutdownDelayMs` does not cover.
    pub(crate) fn extra_delay_seconds(&self) -> u64 {
        BALANCER_SECONDS.saturating_sub(self.shutdown_delay_ms / 1000)
    }

    /// Returns the port on which the server redirects plain HTTP.
    pub(crate) fn redirect_port(&self) -> Option<u16> {
        self.tls.as_ref().and_then(|tls| tls.redirect_port)
    }

    /// Returns the variables that a script sets for a program, with their values.
    pub(crate) fn set_variables(&self, is_server: bool) -> &[(String, String)] {
        if is_server {
            &self.server_variables
        } else {
            &self.worker_variables
        }
    }

    /// Returns the variables of a program that no script sets.
    pub(crate) fn open_variables(&self, is_server: bool) -> impl Iterator<Item = &Variable> {
        let set = self.set_variables(is_server);
        let is_open = |variable: &&Variable| set.iter().all(|(name, _)| *name != variable.name);
        self.variables.iter().filter(is_open)
    }

    /// Returns the words of the command that starts the worker. `node` is the program of Node.
    pub(crate) fn worker_command(&self, node: &str) -> Vec<String> {
        self.worker
            .as_ref()
            .map(|worker| worker.command(node))
            .unwrap_or_default()
    }

    /// Returns the seconds that a worker needs to stop, and their explanation.
    pub(crate) fn worker_stop() -> (u64, String) {
        let grace = JOB_GRACE_MS / 1000;
        let reason = format!(
            "{grace} s for jobs in progress (`graceMs` of `jobs.work`, if you do not set it), {MARGIN_SECONDS} s of reserve"
        );
        (grace + MARGIN_SECONDS, reason)
    }
}

fn metrics(program: &Program, notes: &mut Vec<String>) -> Option<u16> {
    let port = match find(program, "telemetry.prometheus") {
        Found::Absent | Found::Known(Value::Bool(false)) => return None,
        Found::Known(Value::Bool(true)) => Some(DEFAULT_METRICS_PORT),
        Found::Known(Value::Object(address)) => address
            .get("port")
            .map_or(Some(DEFAULT_METRICS_PORT), Value::as_u64),
        Found::Known(_) | Found::Unknown => None,
    };
    let port = port
        .and_then(|port| u16::try_from(port).ok())
        .filter(|port| *port > 0);
    if port.is_none() {
        notes.push(
            "the port of `telemetry.prometheus` is known only when the application runs, so the files do not mention it"
                .to_owned(),
        );
    }
    let hostname = find(program, "telemetry.prometheus.hostname");
    if port.is_some() && hostname != Found::Absent && hostname != Found::Known(&Value::from("0.0.0.0")) {
        notes.push(
            "`telemetry.prometheus.hostname` in the source decides who can read the metrics: remove the option, so that the variable OTEL_EXPORTER_PROMETHEUS_HOST of the files applies"
                .to_owned(),
        );
    }
    port
}

fn health(program: &Program, is_rust: bool, notes: &mut Vec<String>) -> Option<Health> {
    let paths = |object: Option<&Value>| {
        let path = |name: &str, default: &str| {
            let path = object.and_then(|object| object.get(name));
            path.and_then(Value::as_str).unwrap_or(default).to_owned()
        };
        Some(Health {
            live: path("live", "/healthz"),
            ready: path("ready", "/readyz"),
        })
    };
    // A path that is known only when the application runs is null.
    let is_unknown = |object: &Value| {
        ["live", "ready"]
            .iter()
            .any(|name| object.get(name).is_some_and(Value::is_null))
    };
    match find(program, "health") {
        Found::Known(Value::Bool(true)) => paths(None),
        Found::Known(object @ Value::Object(_)) if !is_unknown(object) => paths(Some(object)),
        Found::Absent if is_rust => paths(None),
        Found::Unknown | Found::Known(Value::Object(_)) => {
            notes.push(
                "kit cannot read the option `health` without running the application, so the probes only connect to the port"
                    .to_owned(),
            );
            None
        }
        Found::Known(_) | Found::Absent => {
            notes.push(
                "the application has no health checks, so the probes only connect to the port: set `health: true` in `createApp`"
                    .to_owned(),
            );
            None
        }
    }
}

fn processes(program: &Program, is_rust: bool, notes: &mut Vec<String>) -> Processes {
    if is_rust {
        return Processes::Count(1);
    }
    match find(program, "server.workers") {
        Found::Known(Value::String(text)) if text == "auto" => Processes::Auto,
        Found::Known(value) => Processes::Count(value.as_u64().unwrap_or(1).max(1)),
        Found::Absent => Processes::Count(1),
        Found::Unknown => {
            // Options of an adapter without `workers` may be unknown as well, and most applications have one process.
            if !program.application.has_unread_options {
                notes.push(
                    "the number of `workers` is known only when the application runs: check the resources in the files"
                        .to_owned(),
                );
            }
            Processes::Count(1)
        }
    }
}

fn shutdown_delay(program: &Program, is_rust: bool, notes: &mut Vec<String>) -> u64 {
    match find(program, "shutdownDelayMs") {
        Found::Known(value) => value.as_u64().unwrap_or(0),
        // The Rust server waits for 100 ms.
        Found::Absent => 100 * u64::from(is_rust),
        Found::Unknown => {
            notes.push(
                "`shutdownDelayMs` is known only when the application runs: add it to the grace periods in the files"
                    .to_owned(),
            );
            100 * u64::from(is_rust)
        }
    }
}

/// Returns the time in which the requests in progress may end, in milliseconds: the option `shutdownGraceMs`, or the longest timeout
/// of a request.
fn grace(program: &Program, notes: &mut Vec<String>) -> u64 {
    let mut unknown = |name: &str| {
        notes.push(format!(
            "`{name}` is known only when the application runs: add it to the grace periods in the files"
        ));
    };
    match find(program, "shutdownGraceMs") {
        Found::Known(value) => return value.as_u64().unwrap_or(SHORTEST_GRACE_MS),
        Found::Unknown => unknown("shutdownGraceMs"),
        Found::Absent => {}
    }
    let own = match find(program, "requestTimeoutMs") {
        Found::Known(value) => value.as_u64().unwrap_or(REQUEST_TIMEOUT_MS),
        Found::Unknown => {
            unknown("requestTimeoutMs");
            REQUEST_TIMEOUT_MS
        }
        Found::Absent => REQUEST_TIMEOUT_MS,
    };
    let of_routes = program.routes.iter().filter_map(|route| route.limits.timeout_ms);
    of_routes.fold(own.max(SHORTEST_GRACE_MS), u64::max)
}

/// Returns true if the option `telemetry` turns on a signal, or if its value is not known.
fn has_telemetry(program: &Program) -> bool {
    ["tracing", "metrics", "logs"].iter().any(|signal| {
        let found = find(program, &format!("telemetry.{signal}"));
        found == Found::Unknown || found == Found::Known(&Value::Bool(true))
    }) && program.application.options.contains_key("telemetry")
}
