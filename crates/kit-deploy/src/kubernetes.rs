//! Manifests for Kubernetes.

use serde_json::{Value, json};

use crate::deployment::Deployment;
use crate::mark::comment_lines;
use crate::pod::{Component, REDIRECT, labels, template};
use crate::variable::VariableSource;
use crate::yaml::document;

/// Average use of the requested CPU at which the autoscaler adds replicas, in percent.
const CPU_PERCENT: u32 = 70;
/// Maximum number of replicas, as a multiple of the minimum.
const MOST_REPLICAS: u32 = 5;
/// Ports of collectors of OpenTelemetry: OTLP over gRPC and over HTTP.
const OTLP_PORTS: [u16; 2] = [4317, 4318];

/// Returns paths and texts of the manifests.
pub(crate) fn files(deployment: &Deployment) -> Vec<(String, String)> {
    let mut files = vec![
        (
            "deployment.yaml",
            vec![pods(deployment, Component::Server), service(deployment)],
        ),
        (
            "scaling.yaml",
            vec![autoscaler(deployment), disruption_budget(deployment)],
        ),
        ("network-policy.yaml", network_policies(deployment)),
    ];
    if deployment.worker.is_some() {
        files.insert(1, ("worker.yaml", vec![pods(deployment, Component::Worker)]));
    }
    if deployment.has_migrations {
        files.push(("migration/job.yaml", vec![migration(deployment)]));
    }
    files
        .into_iter()
        .map(|(path, documents)| {
            let texts: Vec<String> = documents.iter().map(document).collect();
            let usage = if path == "deployment.yaml" {
                usage(deployment)
            } else {
                String::new()
            };
            (path.to_owned(), format!("{usage}{}", texts.join("---\n")))
        })
        .collect()
}

/// Returns the comment that shows how to create the secret and how to apply the manifests.
fn usage(deployment: &Deployment) -> String {
    let name = &deployment.name;
    let mut secrets: Vec<&str> = deployment
        .variables
        .iter()
        .filter(|variable| matches!(variable.source, VariableSource::Secret { .. }))
        .map(|variable| variable.name.as_str())
        .collect();
    if deployment.has_migrations {
        secrets.push("MIGRATE_URL");
    }
    let mut lines = Vec::new();
    if !secrets.is_empty() {
        lines.push(format!(
            "Create the secret {name} first. Its keys: {}.",
            secrets.join(", ")
        ));
        lines.push(format!(
            "  kubectl create secret generic {name} --from-env-file=secrets.env"
        ));
    }
    if let Some(tls) = &deployment.tls {
        lines.extend(if tls.has_authorities() {
            vec![
                format!(
                    "Create the secret {name}-tls with the certificate, and with the authorities of clients in ca.crt. Do not use the ca.crt of"
                ),
                "cert-manager: the application would accept each certificate of the authority that signed the server's certificate."
                    .to_owned(),
                format!(
                    "  kubectl create secret generic {name}-tls --from-file=tls.crt --from-file=tls.key --from-file=ca.crt"
                ),
            ]
        } else {
            vec![
                format!(
                    "Create the secret {name}-tls with the certificate, or let cert-manager create the secret."
                ),
                format!("  kubectl create secret tls {name}-tls --cert=tls.crt --key=tls.key"),
            ]
        });
    }
    lines.push("Each release:".to_owned());
    if deployment.has_migrations {
        lines.extend([
            format!("  kubectl delete job {name}-migrate --ignore-not-found"),
            "  kubectl apply -f kubernetes/migration/job.yaml".to_owned(),
            format!("  kubectl wait --for=condition=complete --timeout=15m job/{name}-migrate"),
        ]);
    }
    lines.push("  kubectl apply -f kubernetes".to_owned());
    lines.push(format!("  kubectl rollout status deployment/{name}"));
    comment_lines(&lines)
}

fn name_of(deployment: &Deployment, component: Component) -> String {
    let name = &deployment.name;
    match component {
        Component::Server => name.clone(),
        Component::Worker => format!("{name}-worker"),
        Component::Migration => format!("{name}-migrate"),
    }
}

fn metadata(deployment: &Deployment, component: Component) -> Value {
    json!({ "name": name_of(deployment, component), "labels": labels(deployment, component) })
}

fn pods(deployment: &Deployment, component: Component) -> Value {
    let strategy = json!({
        "type": "RollingUpdate",
        "rollingUpdate": { "maxUnavailable": 0, "maxSurge": 1 },
    });
    let selector = json!({ "matchLabels": labels(deployment, component) });
    let mut spec = serde_json::Map::new();
    if component == Component::Server {
        spec.insert(
            "# replicas".to_owned(),
            json!("The autoscaler sets the number of replicas."),
        );
    } else {
        spec.insert("replicas".to_owned(), json!(deployment.replicas));
    }
    spec.insert("strategy".to_owned(), strategy);
    spec.insert("selector".to_owned(), selector);
    spec.insert("template".to_owned(), template(deployment, component));
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(deployment, component),
        "spec": spec,
    })
}

fn service(deployment: &Deployment) -> Value {
    let scheme = deployment.scheme();
    let mut ports = vec![if deployment.tls.is_some() {
        json!({ "name": scheme, "appProtocol": scheme, "port": 443, "targetPort": scheme })
    } else {
        json!({ "name": scheme, "port": 80, "targetPort": scheme })
    }];
    if deployment.redirect_port().is_some() {
        ports.push(json!({
            "# redirects": "The server redirects plain HTTP.",
            "name": REDIRECT,
            "appProtocol": REDIRECT,
            "port": 80,
            "targetPort": REDIRECT,
        }));
    }
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(deployment, Component::Server),
        "spec": {
            "selector": labels(deployment, Component::Server),
            "ports": ports,
        },
    })
}

fn autoscaler(deployment: &Deployment) -> Value {
    json!({
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": metadata(deployment, Component::Server),
        "spec": {
            "scaleTargetRef": { "apiVersion": "apps/v1", "kind": "Deployment", "name": deployment.name },
            "minReplicas": deployment.replicas,
            "maxReplicas": deployment.replicas.saturating_mul(MOST_REPLICAS),
            "metrics": [{
                "type": "Resource",
                "resource": { "name": "cpu", "target": { "type": "Utilization", "averageUtilization": CPU_PERCENT } },
            }],
        },
    })
}

fn disruption_budget(deployment: &Deployment) -> Value {
    json!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata(deployment, Component::Server),
        "spec": {
            "maxUnavailable": 1,
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
            "selector": { "matchLabels": labels(deployment, Component::Server) },
        },
    })
}

/// Returns the policy for all pods of the application, and the policy that lets clients connect to the server.
fn network_policies(deployment: &Deployment) -> Vec<Value> {
    let name = &deployment.name;
    let tcp = |port: u16| json!({ "protocol": "TCP", "port": port });
    let mut egress = vec![json!({
        "# dns": "Names of hosts.",
        "ports": [{ "protocol": "UDP", "port": 53 }, tcp(53)],
    })];
    if deployment.has_database {
        egress.push(json!({
            "# database": "PostgreSQL, and PgBouncer. Change the ports if DATABASE_URL has another one.",
            "ports": [tcp(5432), tcp(6432)],
        }));
    }
    if deployment.has_telemetry {
        let ports: Vec<Value> = OTLP_PORTS.into_iter().map(tcp).collect();
        egress.push(json!({ "# telemetry": "Collectors of OpenTelemetry.", "ports": ports }));
    }
    egress.push(json!({
        "# https": "Services of others. Add the ports of all other services that your handlers use, such as 6379 for Valkey.",
        "ports": [tcp(443)],
    }));
    let all = json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": { "name": name, "labels": { "app.kubernetes.io/name": name } },
        "spec": {
            "podSelector": { "matchLabels": { "app.kubernetes.io/name": name } },
            "policyTypes": ["Ingress", "Egress"],
            "egress": egress,
        },
    });
    let redirect = deployment.redirect_port().map(|_| REDIRECT);
    let ports: Vec<Value> = [deployment.scheme()]
        .into_iter()
        .chain(redirect)
        .map(|port| json!({ "protocol": "TCP", "port": port }))
        .collect();
    let mut ingress = vec![json!({
        "# clients": "All pods may send requests. Add `from` to restrict them, for example to the ingress controller.",
        "ports": ports,
    })];
    if deployment.metrics.is_some() {
        ingress.push(json!({
            "# prometheus": "Prometheus. Change the name of its namespace if yours is another one.",
            "from": [{ "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": "monitoring" } } }],
            "ports": [{ "protocol": "TCP", "port": "metrics" }],
        }));
    }
    let server = json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": { "name": format!("{name}-clients"), "labels": labels(deployment, Component::Server) },
        "spec": {
            "podSelector": { "matchLabels": labels(deployment, Component::Server) },
            "policyTypes": ["Ingress"],
            "ingress": ingress,
        },
    });
    vec![all, server]
}

fn migration(deployment: &Deployment) -> Value {
    json!({
        "# image": "The image needs kit and migrations/: `docker build --target build`.",
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(deployment, Component::Migration),
        "spec": {
            "# retries": "A migration that failed needs a person: `kit migrate:status` shows the reason.",
            "backoffLimit": 0,
            "ttlSecondsAfterFinished": 86_400,
            "template": template(deployment, Component::Migration),
        },
    })
}
