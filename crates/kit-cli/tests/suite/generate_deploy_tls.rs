//! Tests of TLS in the files of `kit generate deploy`.

use serde_json::Value;

use crate::generate_deploy::{ROUTES, shop, text};
use crate::support::Project;

const TLS: &str = "import { app } from \"./app.ts\";
const production = process.env[\"NODE_ENV\"] === \"production\";
const files = { cert: \"/etc/shop/tls/server.pem\", key: \"/etc/shop/tls/server.key\" };
await app.listen({ port: 8443, tls: production ? files : undefined });
";

#[test]
fn probes_use_https_and_the_certificate_is_mounted_if_the_application_listens_with_tls() {
    let project = shop();
    project.write("src/main.ts", TLS);
    let report = project.kit(&["generate", "deploy", "--dry-run", "--json"]).json();
    let deployment = text(&report, "deploy/kubernetes/deployment.yaml");
    assert_eq!(deployment.matches("scheme: HTTPS\n").count(), 3, "{deployment}");
    for lines in [
        "          livenessProbe:\n            httpGet:\n              path: /alive\n              port: https\n              scheme: HTTPS\n",
        "              mountPath: /etc/shop/tls\n              readOnly: true\n",
        "            secretName: acme-shop-tls\n            # 0440, as a decimal number.\n            defaultMode: 288\n",
        "              - key: tls.crt\n                path: server.pem\n              - key: tls.key\n                path: server.key\n",
        "    - name: https\n      appProtocol: https\n      port: 443\n      targetPort: https\n",
        "# Create the secret acme-shop-tls with the certificate, or let cert-manager create the secret.\n",
        "#   kubectl create secret tls acme-shop-tls --cert=tls.crt --key=tls.key\n",
    ] {
        assert!(deployment.contains(lines), "no {lines} in {deployment}");
    }
    let worker = text(&report, "deploy/kubernetes/worker.yaml");
    assert!(!worker.contains("acme-shop-tls"), "{worker}");
    let policy = text(&report, "deploy/kubernetes/network-policy.yaml");
    assert!(policy.contains("port: https\n"), "{policy}");
    let compose = text(&report, "deploy/compose/compose.yaml");
    for line in [
        "- \"443:8080\"\n",
        "- \"./tls:/etc/shop/tls:ro\"\n",
        "tls/server.pem, tls/server.key",
        "rejectUnauthorized: false",
    ] {
        assert!(compose.contains(line), "no {line} in {compose}");
    }
    let unit = text(&report, "deploy/systemd/acme-shop.service");
    for line in [
        "\nSupplementaryGroups=acme-shop-tls\n",
        "\nExecReload=/bin/kill -HUP $MAINPID\n",
        "chgrp acme-shop-tls /etc/shop/tls/server.key && chmod 0640 /etc/shop/tls/server.key\n",
    ] {
        assert!(unit.contains(line), "no {line} in {unit}");
    }
    let plain = project.kit(&["generate", "deploy", "--dry-run", "--json", "--no-tls"]);
    let report = plain.json();
    assert!(!text(&report, "deploy/kubernetes/deployment.yaml").contains("tls"));
    assert_eq!(project.kit(&["generate", "deploy", "--tls", "--no-tls"]).code, 2);
}

#[test]
fn probes_only_connect_if_clients_need_a_certificate() {
    let project = shop();
    project.write(
        "src/main.ts",
        &TLS.replace(
            "server.key\"",
            "server.key\", clientCa: \"/etc/shop/tls/clients.pem\"",
        ),
    );
    let report = project.kit(&["generate", "deploy", "--dry-run", "--json"]).json();
    let deployment = text(&report, "deploy/kubernetes/deployment.yaml");
    assert!(!deployment.contains("httpGet"), "{deployment}");
    assert!(
        deployment.contains("tcpSocket:\n              port: https\n"),
        "{deployment}"
    );
    assert!(
        deployment.contains("- key: ca.crt\n                path: clients.pem\n"),
        "{deployment}"
    );
    // The `ca.crt` of cert-manager is the authority of the server's certificate.
    assert!(
        deployment.contains("# Create the secret acme-shop-tls with the certificate, and with the authorities of clients in ca.crt.")
            && !deployment.contains("let cert-manager create"),
        "{deployment}"
    );
    let compose = text(&report, "deploy/compose/compose.yaml");
    assert!(!compose.contains("healthcheck"), "{compose}");
    let notes = report["notes"].as_array().expect("notes");
    let is_noted = |note: &Value| note.as_str().unwrap().contains("clients without a certificate");
    assert!(notes.iter().any(is_noted), "{notes:?}");
}

#[test]
fn variables_with_paths_of_tls_have_values_and_are_no_secrets() {
    let project = shop();
    project.write(
        "src/main.ts",
        "import { app } from \"./app.ts\";
const { TLS_CERT: cert = \"\", TLS_KEY: key = \"\" } = process.env;
await app.listen({ port: 1, tls: { cert, key: process.env.TLS_KEY ?? key } });
export const own = process.env.TLS_CERT;
",
    );
    let report = project.kit(&["generate", "deploy", "--dry-run", "--json"]).json();
    let deployment = text(&report, "deploy/kubernetes/deployment.yaml");
    for lines in [
        "            - name: TLS_CERT\n              value: /etc/acme-shop/tls/tls.crt\n",
        "            - name: TLS_KEY\n              value: /etc/acme-shop/tls/tls.key\n",
    ] {
        assert!(deployment.contains(lines), "no {lines} in {deployment}");
    }
    let unit = text(&report, "deploy/systemd/acme-shop.service");
    assert!(
        unit.contains("\nEnvironment=TLS_KEY=/etc/acme-shop/tls/tls.key\n"),
        "{unit}"
    );
    let environment = unit
        .lines()
        .find(|line| line.contains("/environment with NAME=value"))
        .unwrap();
    assert!(!environment.contains("TLS_KEY"), "{environment}");
}

#[test]
fn a_rust_server_gets_the_paths_of_tls_as_variables_if_the_command_is_told_so() {
    let project = notes_in_rust();
    let report = project
        .kit(&["generate", "deploy", "--dry-run", "--json", "--tls"])
        .json();
    let deployment = text(&report, "deploy/kubernetes/deployment.yaml");
    assert!(
        deployment.contains("value: /etc/notes/tls/tls.crt\n"),
        "{deployment}"
    );
    assert_eq!(deployment.matches("scheme: HTTPS\n").count(), 3, "{deployment}");
    let notes = report["notes"].as_array().expect("notes");
    assert!(
        notes
            .iter()
            .any(|note| note.as_str().unwrap().contains("feature `tls`")),
        "{notes:?}"
    );
}

#[test]
fn the_port_whose_requests_are_redirected_is_published() {
    let project = shop();
    project.write(
        "src/main.ts",
        &TLS.replace("server.key\"", "server.key\", redirectFrom: 80"),
    );
    let report = project.kit(&["generate", "deploy", "--dry-run", "--json"]).json();
    let deployment = text(&report, "deploy/kubernetes/deployment.yaml");
    for lines in [
        "            - name: http\n              containerPort: 80\n",
        "    - name: http\n      appProtocol: http\n      port: 80\n      targetPort: http\n",
        "          - name: net.ipv4.ip_unprivileged_port_start\n            value: \"0\"\n",
    ] {
        assert!(deployment.contains(lines), "no {lines} in {deployment}");
    }
    let policy = text(&report, "deploy/kubernetes/network-policy.yaml");
    assert!(policy.contains("port: http\n"), "{policy}");
    let compose = text(&report, "deploy/compose/compose.yaml");
    assert!(compose.contains("- \"80:80\"\n"), "{compose}");
    assert!(
        compose.contains("net.ipv4.ip_unprivileged_port_start: 0\n"),
        "{compose}"
    );
    let notes = report["notes"].to_string();
    assert!(notes.contains("`tls.redirectTo`"), "{notes}");
    let refused = project.kit(&["generate", "deploy", "--port", "80"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused
            .err
            .starts_with("error: the application and the redirects from plain HTTP cannot both have port 80"),
        "{}",
        refused.err
    );
    let refused = project.kit(&["generate", "deploy", "--no-tls", "--redirect-port", "80"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    project.write(
        "src/main.ts",
        "import { app } from \"./app.ts\";\nawait app.listen({ port: 1 });\n",
    );
    let refused = project.kit(&["generate", "deploy", "--redirect-port", "80"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused
            .err
            .starts_with("error: `--redirect-port` is for applications that listen with TLS"),
        "{}",
        refused.err
    );
}

#[test]
fn a_rust_server_gets_the_port_of_redirects_and_the_right_to_listen_there() {
    let project = notes_in_rust();
    let report = project
        .kit(&[
            "generate",
            "deploy",
            "--dry-run",
            "--json",
            "--tls",
            "--port",
            "443",
            "--redirect-port",
            "80",
        ])
        .json();
    let unit = text(&report, "deploy/systemd/notes.service");
    assert!(
        unit.contains("\nEnvironment=TLS_REDIRECT_PORT=80\n")
            && unit.contains("\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n"),
        "{unit}"
    );
    let deployment = text(&report, "deploy/kubernetes/deployment.yaml");
    assert!(
        deployment.contains("- name: TLS_REDIRECT_PORT\n              value: \"80\"\n")
            && deployment.contains("containerPort: 80\n"),
        "{deployment}"
    );
    let notes = report["notes"].to_string();
    assert!(!notes.contains("TLS_REDIRECT_TO"), "{notes}");
}

#[test]
fn a_rust_server_gets_the_rule_for_clients_without_a_certificate() {
    let project = notes_in_rust();
    let generate = |rule: &str| {
        let arguments = ["generate", "deploy", "--dry-run", "--json", "--tls"];
        project
            .kit(&[&arguments[..], &["--client-certificates", rule]].concat())
            .json()
    };
    for (rule, probes) in [("required", 0), ("optional", 3)] {
        let report = generate(rule);
        let deployment = text(&report, "deploy/kubernetes/deployment.yaml");
        for lines in [
            "- name: TLS_CLIENT_CA\n              value: /etc/notes/tls/ca.crt\n".to_owned(),
            format!("- name: TLS_CLIENT_CERTIFICATES\n              value: {rule}\n"),
            "- key: ca.crt\n                path: ca.crt\n".to_owned(),
        ] {
            assert!(deployment.contains(&lines), "no {lines} in {deployment}");
        }
        assert_eq!(deployment.matches("httpGet:").count(), probes, "{deployment}");
        let unit = text(&report, "deploy/systemd/notes.service");
        let line = format!("\nEnvironment=TLS_CLIENT_CERTIFICATES={rule}\n");
        assert!(unit.contains(&line), "{unit}");
    }
    let refused = project.kit(&["generate", "deploy", "--client-certificates", "required"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused
            .err
            .starts_with("error: `--client-certificates` is for applications that listen with TLS"),
        "{}",
        refused.err
    );
    let wrong = project.kit(&["generate", "deploy", "--tls", "--client-certificates", "some"]);
    assert_eq!(wrong.code, 2, "{}", wrong.err);
}

/// Makes a project with a Rust server.
fn notes_in_rust() -> Project {
    let mut project = Project::new(&[
        ("package.json", "{ \"name\": \"notes\", \"version\": \"0.1.0\" }"),
        ("kit.config.ts", ""),
        ("Cargo.toml", "[package]\nname = \"notes\"\nversion = \"0.1.0\"\n"),
        ("src/orders.routes.ts", ROUTES),
    ]);
    project.use_rust_server();
    project
}
