//! Pods of Kubernetes: containers with their variables, probes, resources and restrictions.

use serde_json::{Map, Value, json};

use crate::deployment::{Deployment, Health, Processes, Runtime};
use crate::tls::{Tls, TlsFile};
use crate::variable::{Variable, VariableSource};

/// Mode of the files of TLS, 0440: the user of the container reads them as a member of the group. JSON has no octal numbers.
const CERTIFICATE_MODE: u32 = 0o440;

/// Setting of Linux with the lowest port on which a user without capabilities may listen.
pub(crate) const LOW_PORTS: &str = "net.ipv4.ip_unprivileged_port_start";

/// Name of the port of plain HTTP whose requests are redirected.
pub(crate) const REDIRECT: &str = "http";

/// User and group in the container: `node` in the images of Node.
const USER: u32 = 1000;

/// Comment on the limit of CPU for `workers: "auto"`.
pub(crate) const AUTO_WORKERS: &str = "`workers: \"auto\"` starts a process for each core of the limit.";

/// Part of an application that runs in pods of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Component {
    /// Serves requests.
    Server,
    /// Does jobs.
    Worker,
    /// Applies migrations, then ends.
    Migration,
}

impl Component {
    /// Returns the value of the label `app.kubernetes.io/component`.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Worker => "worker",
            Self::Migration => "migration",
        }
    }
}

/// Returns the labels of a component.
pub(crate) fn labels(deployment: &Deployment, component: Component) -> Value {
    json!({
        "app.kubernetes.io/name": deployment.name,
        "app.kubernetes.io/component": component.label(),
    })
}

/// Returns the template of the pods of a component.
pub(crate) fn template(deployment: &Deployment, component: Component) -> Value {
    let mut metadata = json!({ "labels": labels(deployment, component) });
    if let (Component::Server, Some(port)) = (component, deployment.metrics) {
        metadata["annotations"] = json!({
            "prometheus.io/scrape": "true",
            "prometheus.io/port": port.to_string(),
            "prometheus.io/path": "/metrics",
        });
    }
    json!({ "metadata": metadata, "spec": spec(deployment, component) })
}

fn spec(deployment: &Deployment, component: Component) -> Value {
    let mut spec = Map::new();
    let mut set = |key: &str, value: Value| spec.insert(key.to_owned(), value);
    set("automountServiceAccountToken", json!(false));
    set(
        "# links",
        json!("Without this line, Kubernetes sets variables such as PORT for each service."),
    );
    set("enableServiceLinks", json!(false));
    match component {
        Component::Server => {
            let delay = deployment.extra_delay_seconds();
            let before = if delay == 0 {
                String::new()
            } else {
                format!("{delay} s of preStop, ")
            };
            set("# grace", json!(format!("{before}{}", deployment.stop_reason())));
            set(
                "terminationGracePeriodSeconds",
                json!(delay + deployment.stop_seconds()),
            );
            set(
                "topologySpreadConstraints",
                json!([{
                    "maxSkew": 1,
                    "topologyKey": "kubernetes.io/hostname",
                    "whenUnsatisfiable": "ScheduleAnyway",
                    "labelSelector": { "matchLabels": labels(deployment, component) },
                }]),
            );
        }
        Component::Worker => {
            let (seconds, reason) = Deployment::worker_stop();
            set("# grace", json!(reason));
            set("terminationGracePeriodSeconds", json!(seconds));
        }
        Component::Migration => {
            set("restartPolicy", json!("Never"));
        }
    }
    let mut security = json!({
        "runAsNonRoot": true,
        "runAsUser": USER,
        "runAsGroup": USER,
        "fsGroup": USER,
        "seccompProfile": { "type": "RuntimeDefault" },
    });
    if component == Component::Server && deployment.needs_low_port() {
        security["# ports"] = json!("Users without capabilities may listen on ports below 1024 of this pod.");
        security["sysctls"] = json!([{ "name": LOW_PORTS, "value": "0" }]);
    }
    set("securityContext", security);
    set("containers", json!([container(deployment, component)]));
    let mut volumes = vec![json!({ "name": "tmp", "emptyDir": { "sizeLimit": "256Mi" } })];
    volumes.extend(
        certificates(deployment, component)
            .into_iter()
            .map(|one| one.volume),
    );
    set("volumes", Value::Array(volumes));
    Value::Object(spec)
}

fn container(deployment: &Deployment, component: Component) -> Value {
    let mut container = Map::new();
    let mut set = |key: &str, value: Value| container.insert(key.to_owned(), value);
    set("name", json!(component.label()));
    let image = match component {
        Component::Migration => &deployment.migration_image,
        Component::Server | Component::Worker => &deployment.image,
    };
    set("image", json!(image));
    match component {
        Component::Server => {}
        Component::Worker => {
            let words = deployment.worker_command("node");
            let words: Vec<String> = words.iter().map(|word| unexpanded(word)).collect();
            set("command", json!(words));
        }
        Component::Migration => {
            set(
                "# command",
                json!("Several runs at the same time wait for each other."),
            );
            set("command", json!(["node_modules/.bin/kit", "migrate:apply"]));
        }
    }
    set("env", Value::Array(env(deployment, component)));
    if component == Component::Server {
        let mut ports = vec![json!({ "name": deployment.scheme(), "containerPort": deployment.port })];
        ports.extend(
            deployment
                .redirect_port()
                .map(|port| json!({ "name": REDIRECT, "containerPort": port })),
        );
        ports.extend(
            deployment
                .metrics
                .map(|port| json!({ "name": "metrics", "containerPort": port })),
        );
        set("ports", Value::Array(ports));
        for (name, probe) in probes(deployment) {
            set(name, probe);
        }
        let delay = deployment.extra_delay_seconds();
        if delay > 0 {
            set(
                "# lifecycle",
                json!("Load balancers need this time to stop sending requests. Needs Kubernetes 1.30."),
            );
            set(
                "lifecycle",
                json!({ "preStop": { "sleep": { "seconds": delay } } }),
            );
        }
    }
    set("resources", resources(deployment, component));
    set(
        "securityContext",
        json!({
            "allowPrivilegeEscalation": false,
            "readOnlyRootFilesystem": true,
            "capabilities": { "drop": ["ALL"] },
        }),
    );
    let mut mounts = vec![json!({ "name": "tmp", "mountPath": "/tmp" })];
    mounts.extend(
        certificates(deployment, component)
            .into_iter()
            .map(|one| one.mount),
    );
    set("volumeMounts", Value::Array(mounts));
    Value::Object(container)
}

/// A directory of the container with files of TLS.
struct Certificates {
    volume: Value,
    mount: Value,
}

/// Returns the directories with the files of TLS. Only the server reads them.
///
/// Each is the mount of a whole directory: Kubernetes updates these when the secret changes, but not the mount of a single file
/// (`subPath`).
fn certificates(deployment: &Deployment, component: Component) -> Vec<Certificates> {
    let tls = deployment.tls.as_ref().filter(|_| component == Component::Server);
    let directories = tls.map(Tls::directories).unwrap_or_default();
    let numbered = |number: usize| match number {
        0 => "tls".to_owned(),
        number => format!("tls-{}", number + 1),
    };
    let of_directory = |(number, (directory, files)): (usize, (&str, Vec<&TlsFile>))| {
        let items: Vec<Value> = files
            .iter()
            .map(|file| json!({ "key": file.key, "path": file.name }))
            .collect();
        Certificates {
            volume: json!({
                "name": numbered(number),
                "secret": {
                    "secretName": format!("{}-tls", deployment.name),
                    "# mode": "0440, as a decimal number.",
                    "defaultMode": CERTIFICATE_MODE,
                    "items": items,
                },
            }),
            mount: json!({
                "# tls": "The certificate. The files of the image in this directory are hidden.",
                "name": numbered(number),
                "mountPath": directory,
                "readOnly": true,
            }),
        }
    };
    directories.into_iter().enumerate().map(of_directory).collect()
}

fn probes(deployment: &Deployment) -> Vec<(&'static str, Value)> {
    let port = deployment.scheme();
    let Some(Health { live, ready }) = deployment.probed_health() else {
        let check = json!({ "port": port });
        return vec![
            (
                "startupProbe",
                json!({ "tcpSocket": check, "periodSeconds": 2, "failureThreshold": 30 }),
            ),
            (
                "readinessProbe",
                json!({ "tcpSocket": check, "periodSeconds": 5 }),
            ),
        ];
    };
    let get = |path: &str| {
        let mut get = json!({ "path": path, "port": port });
        if deployment.tls.is_some() {
            // Probes do not verify certificates.
            get["scheme"] = json!("HTTPS");
        }
        get
    };
    vec![
        (
            "startupProbe",
            json!({ "httpGet": get(live), "periodSeconds": 2, "timeoutSeconds": 2, "failureThreshold": 30 }),
        ),
        (
            "livenessProbe",
            json!({ "httpGet": get(live), "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 3 }),
        ),
        (
            "readinessProbe",
            json!({
                "httpGet": get(ready),
                "periodSeconds": 5,
                "# timeout": "A check of the application may take 5 s.",
                "timeoutSeconds": 6,
                "failureThreshold": 2,
            }),
        ),
    ]
}

/// Returns the variables of a container.
fn env(deployment: &Deployment, component: Component) -> Vec<Value> {
    let mut env = Vec::new();
    if component == Component::Migration {
        let url = |name: &str, optional: bool| secret(deployment, name, optional);
        let mut migrate = url("MIGRATE_URL", true);
        let mut entry = Map::new();
        entry.insert(
            "# role".to_owned(),
            json!("Used in place of DATABASE_URL if it is set, for a role that may change tables."),
        );
        if let Value::Object(rest) = &mut migrate {
            entry.append(rest);
        }
        return vec![url("DATABASE_URL", false), Value::Object(entry)];
    }
    let mut set = |name: &str, value: &str| env.push(json!({ "name": name, "value": value }));
    set("NODE_ENV", "production");
    if component == Component::Server {
        set("PORT", &deployment.port.to_string());
        if deployment.metrics.is_some() {
            set("OTEL_EXPORTER_PROMETHEUS_HOST", "0.0.0.0");
        }
        for (name, value) in deployment.runtime_variables() {
            set(name, value);
        }
        for (name, path) in deployment.tls.iter().flat_map(|tls| &tls.variables) {
            set(name, path);
        }
    }
    if matches!(deployment.runtime, Runtime::Node(_)) {
        set("NODE_COMPILE_CACHE", "/tmp/compile-cache");
    }
    let is_server = component == Component::Server;
    for (name, value) in deployment.set_variables(is_server) {
        env.push(json!({ "name": name, "value": unexpanded(value) }));
    }
    for variable in deployment.open_variables(is_server) {
        env.push(variable_entry(deployment, variable));
    }
    env
}

/// Returns a text that Kubernetes reads as the given one. In commands and values, Kubernetes replaces `$(NAME)` by the value of a variable, and
/// `$$` by `$`.
fn unexpanded(text: &str) -> String {
    text.replace('$', "$$")
}

fn variable_entry(deployment: &Deployment, variable: &Variable) -> Value {
    let name = &variable.name;
    let mut entry = Map::new();
    let description = variable.description.as_deref();
    let mut comment = |text: String| entry.insert("# about".to_owned(), json!(text));
    match &variable.source {
        VariableSource::Secret { required } => {
            if let Some(description) = description {
                comment(description.to_owned());
            }
            if let Value::Object(mut rest) = secret(deployment, name, !required) {
                entry.append(&mut rest);
            }
        }
        VariableSource::Required => {
            let description = description.map(|text| format!("{text} ")).unwrap_or_default();
            comment(format!("{description}Required: write the value here."));
            entry.insert("name".to_owned(), json!(name));
            entry.insert("value".to_owned(), json!(""));
        }
        VariableSource::Optional(_) => {
            comment(format!("{} {}", name, variable.optional_text()));
        }
    }
    Value::Object(entry)
}

/// Returns the variable that has the value of the key with the same name in the secret of the application.
fn secret(deployment: &Deployment, name: &str, optional: bool) -> Value {
    let mut reference = json!({ "name": deployment.name, "key": name });
    if optional {
        reference["optional"] = json!(true);
    }
    json!({ "name": name, "valueFrom": { "secretKeyRef": reference } })
}

/// Cores of the limit of CPU for `workers: "auto"`.
pub(crate) const CORES: u64 = 2;

/// Memory in MiB above which the kernel ends a process of Node.
pub(crate) const NODE_LIMIT: u64 = 512;

/// Memory of a container in MiB.
pub(crate) struct Memory {
    /// Memory that the machine has free when the container starts.
    requested: u64,
    /// Memory above which the kernel ends a process of the container.
    pub(crate) limit: u64,
}

impl Memory {
    /// Returns the memory for all processes of a component.
    pub(crate) fn of(deployment: &Deployment, component: Component) -> Self {
        let is_rust = matches!(deployment.runtime, Runtime::Rust { .. });
        let (requested, limit) = if is_rust && component == Component::Server {
            (32, 256)
        } else {
            (128, NODE_LIMIT)
        };
        // The process that supervises workers needs memory, too.
        let processes = match (component, deployment.processes) {
            (Component::Worker | Component::Migration, _) | (_, Processes::Count(1)) => 1,
            (Component::Server, Processes::Count(count)) => count.saturating_add(1),
            (Component::Server, Processes::Auto) => CORES + 1,
        };
        Self {
            requested: processes.saturating_mul(requested),
            limit: processes.saturating_mul(limit),
        }
    }
}

/// Returns the resources of a container. A limit of CPU would slow down the garbage collector, so only `workers: "auto"`, which
/// counts the cores of the limit, has one.
fn resources(deployment: &Deployment, component: Component) -> Value {
    let memory = Memory::of(deployment, component);
    let (requested, limit) = (format!("{}Mi", memory.requested), format!("{}Mi", memory.limit));
    match (component, deployment.processes) {
        (Component::Server, Processes::Auto) => json!({
            "requests": { "cpu": "500m", "memory": requested },
            "# cpu": AUTO_WORKERS,
            "limits": { "cpu": CORES.to_string(), "memory": limit },
        }),
        (Component::Server, Processes::Count(count)) => json!({
            "requests": { "cpu": format!("{}m", count.saturating_mul(250)), "memory": requested },
            "limits": { "memory": limit },
        }),
        (Component::Worker | Component::Migration, _) => json!({
            "requests": { "cpu": "100m", "memory": requested },
            "limits": { "memory": limit },
        }),
    }
}
