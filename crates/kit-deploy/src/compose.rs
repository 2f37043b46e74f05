//! A file for `docker compose`.

use serde_json::{Map, Value, json};

use crate::deployment::{Deployment, Processes, Runtime};
use crate::pod::{AUTO_WORKERS, CORES, Component, LOW_PORTS, Memory, NODE_LIMIT};
use crate::tls::Tls;
use crate::variable::VariableSource;
use crate::yaml::document;

/// Returns path and text of the compose file.
pub(crate) fn files(deployment: &Deployment) -> Vec<(String, String)> {
    let name = &deployment.name;
    let mut services = Map::new();
    services.insert("server".to_owned(), server(deployment));
    if deployment.worker.is_some() {
        services.insert("worker".to_owned(), worker(deployment));
    }
    if deployment.has_migrations {
        services.insert("migrate".to_owned(), migrate(deployment));
    }
    let file = json!({
        "# usage": "Write the variables with `:?` into .env beside this file, then: docker compose up --detach --wait",
        "name": name,
        "services": services,
    });
    vec![("compose.yaml".to_owned(), document(&file))]
}

/// Returns the entries that all services have.
fn service(image: &str) -> Map<String, Value> {
    let entries = json!({
        "image": image,
        "user": "1000:1000",
        "read_only": true,
        "tmpfs": ["/tmp"],
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
    });
    match entries {
        Value::Object(entries) => entries,
        _ => Map::new(),
    }
}

fn server(deployment: &Deployment) -> Value {
    let mut service = service(&deployment.image);
    let mut set = |key: &str, value: Value| service.insert(key.to_owned(), value);
    set("environment", Value::Object(environment(deployment, true)));
    let port = deployment.port;
    if let Some(tls) = &deployment.tls {
        set("# ports", json!("Clients connect to these ports of the machine."));
        let redirect = tls.redirect_port.map(|port| format!("80:{port}"));
        let ports: Vec<String> = [format!("443:{port}")].into_iter().chain(redirect).collect();
        set("ports", json!(ports));
        let (about, mounts) = certificates(tls);
        set("# volumes", json!(about));
        set("volumes", json!(mounts));
    } else {
        set(
            "# ports",
            json!("For a proxy on this machine, which handles TLS."),
        );
        set("ports", json!([format!("127.0.0.1:{port}:{port}")]));
    }
    if deployment.needs_low_port() {
        set(
            "# sysctls",
            json!("Users without capabilities may listen on ports below 1024 of the container."),
        );
        set("sysctls", json!({ LOW_PORTS: 0 }));
    }
    if let (Runtime::Node(_), Some(health)) = (&deployment.runtime, deployment.probed_health()) {
        let path = health.ready.replace('\'', "%27").replace('$', "$$");
        let script = if deployment.tls.is_some() {
            // The certificate has the name of the server, and not the address of the container.
            format!(
                "require('node:https').get({{ host: '127.0.0.1', port: {port}, path: '{path}', rejectUnauthorized: false }}, (answer) => process.exit(answer.statusCode < 400 ? 0 : 1)).on('error', () => process.exit(1))"
            )
        } else {
            format!(
                "fetch('http://127.0.0.1:{port}{path}').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"
            )
        };
        set(
            "healthcheck",
            json!({
                "test": ["CMD", "node", "-e", script],
                "interval": "10s",
                "timeout": "6s",
                "start_period": "60s",
                "start_interval": "1s",
                "retries": 3,
            }),
        );
    }
    wait_for_migrations(deployment, &mut set);
    set("restart", json!("unless-stopped"));
    set("# grace", json!(deployment.stop_reason()));
    set(
        "stop_grace_period",
        json!(format!("{}s", deployment.stop_seconds())),
    );
    if deployment.processes == Processes::Auto {
        // One worker and the process that supervises workers.
        let on_one_core = 2 * NODE_LIMIT;
        let comment = format!(
            "{AUTO_WORKERS}\nDocker refuses more cores than the machine has. On a machine with one core, write `cpus: 1` and `mem_limit: \"{on_one_core}m\"`."
        );
        set("# cpus", json!(comment));
        set("cpus", json!(CORES));
    }
    set("mem_limit", memory_limit(deployment, Component::Server));
    Value::Object(service)
}

/// Returns the memory of a container, above which the kernel ends a process.
fn memory_limit(deployment: &Deployment, component: Component) -> Value {
    json!(format!("{}m", Memory::of(deployment, component).limit))
}

/// Returns a comment about the files of TLS, and their directories as volumes. The container sees the new files of a directory, but not
/// those that replace single files.
fn certificates(tls: &Tls) -> (String, Vec<String>) {
    let mut about = Vec::new();
    let mut mounts = Vec::new();
    for (number, (directory, files)) in tls.directories().into_iter().enumerate() {
        let own = match number {
            0 => "tls".to_owned(),
            number => format!("tls-{}", number + 1),
        };
        about.extend(files.iter().map(|file| format!("{own}/{}", file.name)));
        mounts.push(format!("./{own}:{}:ro", directory.replace('$', "$$")));
    }
    let about = format!(
        "Put the certificate beside this file: {}. The user 1000 must be able to read the files.",
        about.join(", ")
    );
    (about, mounts)
}

fn worker(deployment: &Deployment) -> Value {
    let mut service = service(&deployment.image);
    let mut set = |key: &str, value: Value| service.insert(key.to_owned(), value);
    let words: Vec<String> = deployment
        .worker_command("node")
        .into_iter()
        .map(|word| word.replace('$', "$$"))
        .collect();
    set("command", json!(words));
    set("environment", Value::Object(environment(deployment, false)));
    wait_for_migrations(deployment, &mut set);
    set("restart", json!("unless-stopped"));
    let (seconds, reason) = Deployment::worker_stop();
    set("# grace", json!(reason));
    set("stop_grace_period", json!(format!("{seconds}s")));
    set("mem_limit", memory_limit(deployment, Component::Worker));
    Value::Object(service)
}

fn migrate(deployment: &Deployment) -> Value {
    let mut service = Map::new();
    service.insert(
        "# image".to_owned(),
        json!("The image needs kit and migrations/: `docker build --target build`."),
    );
    service.append(&mut self::service(&deployment.migration_image));
    service.insert(
        "command".to_owned(),
        json!(["node_modules/.bin/kit", "migrate:apply"]),
    );
    service.insert(
        "environment".to_owned(),
        json!({
            "# role": "MIGRATE_URL is used in place of DATABASE_URL if it is set, for a role that may change tables.",
            "DATABASE_URL": "${MIGRATE_URL:-${DATABASE_URL:?}}",
        }),
    );
    service.insert("restart".to_owned(), json!("no"));
    Value::Object(service)
}

fn wait_for_migrations(deployment: &Deployment, set: &mut impl FnMut(&str, Value) -> Option<Value>) {
    if deployment.has_migrations {
        set(
            "depends_on",
            json!({ "migrate": { "condition": "service_completed_successfully" } }),
        );
    }
}

fn environment(deployment: &Deployment, is_server: bool) -> Map<String, Value> {
    let mut environment = Map::new();
    let mut set = |name: &str, value: String| environment.insert(name.to_owned(), json!(value));
    set("NODE_ENV", "production".to_owned());
    if is_server {
        set("PORT", deployment.port.to_string());
        if deployment.metrics.is_some() {
            set("OTEL_EXPORTER_PROMETHEUS_HOST", "0.0.0.0".to_owned());
        }
        for (name, value) in deployment.runtime_variables() {
            set(name, (*value).to_owned());
        }
        for (name, path) in deployment.tls.iter().flat_map(|tls| &tls.variables) {
            set(name, path.clone());
        }
    }
    if matches!(deployment.runtime, Runtime::Node(_)) {
        set("NODE_COMPILE_CACHE", "/tmp/compile-cache".to_owned());
    }
    for (name, value) in deployment.set_variables(is_server) {
        set(name, value.replace('$', "$$"));
    }
    for variable in deployment.open_variables(is_server) {
        let name = &variable.name;
        let about = format!("# {name}");
        let (comment, value) = match &variable.source {
            VariableSource::Secret { required: true } | VariableSource::Required => {
                (variable.description.clone(), Some(format!("${{{name}:?}}")))
            }
            // The application treats an empty variable as absent.
            VariableSource::Secret { required: false } => {
                (variable.description.clone(), Some(format!("${{{name}:-}}")))
            }
            VariableSource::Optional(_) => (Some(format!("{name} {}", variable.optional_text())), None),
        };
        if let Some(comment) = comment {
            set(&about, comment);
        }
        if let Some(value) = value {
            set(name, value);
        }
    }
    environment
}
