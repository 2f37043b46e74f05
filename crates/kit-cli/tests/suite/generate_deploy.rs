//! Tests of `kit generate deploy`.

use crate::support::Project;
use serde_json::Value;

pub(crate) const ROUTES: &str = "import type { RouteContract } from \"@kit/types\";
export interface OrderRoutes {
  \"GET /orders\": RouteContract<void, void, void, string[]>;
}
";

const APP: &str = "import { createApp, defineHandlers, env } from \"@kit/core\";
import { createJobs } from \"@kit/jobs\";
import { nativeServer } from \"@kit/server-native\";
import type { OrderRoutes } from \"./orders.routes.ts\";

export interface AppEnv {
  /** TCP port of the server. @integer @default 8080 */
  PORT: number;
  /** Password of the mail server. @sensitive */
  MAIL_PASSWORD: string;
  /** Name of the shop on invoices. */
  SHOP_NAME: string;
  /** Address on which the server listens. */
  HOST: string;
  /** @default \"info\" */
  LOG_LEVEL: \"info\" | \"debug\";
}

export const environment = await env<AppEnv>();
export const jobs = createJobs<{ \"send-mail\": { to: string } }>({ pool: undefined as never });
const orders = defineHandlers<OrderRoutes>({ \"GET /orders\": () => [process.env[\"TAX_TOKEN\"] ?? \"\"] });
export const app = createApp({
  server: nativeServer({ workers: 2 }),
  health: { live: \"/alive\" },
  shutdownDelayMs: 2000,
  telemetry: { tracing: true, prometheus: true },
  routes: [{ handlers: orders }],
  plugins: [jobs.plugin],
});
";

pub(crate) fn shop() -> Project {
    Project::new(&[
        (
            "package.json",
            "{ \"name\": \"@acme/shop\", \"version\": \"1.2.0\", \"scripts\": { \"start\": \"node src/main.ts\" } }",
        ),
        ("src/orders.routes.ts", ROUTES),
        ("src/app.ts", APP),
        (
            "src/main.ts",
            "import { app } from \"./app.ts\";\nawait app.listen({ port: 1 });\n",
        ),
        (
            "src/worker.ts",
            "import { jobs } from \"./app.ts\";\nawait jobs.work({ \"send-mail\": () => undefined });\n",
        ),
        (
            "src/orders.types.ts",
            "/** @table orders */\nexport interface Order {\n  /** @id @generated uuid */\n  id: string;\n}\n",
        ),
    ])
}

/// Returns the text of a file in the JSON of a dry run.
pub(crate) fn text<'a>(report: &'a Value, path: &str) -> &'a str {
    let files = report["files"].as_array().expect("a list of files");
    let file = files.iter().find(|file| file["path"] == path);
    file.unwrap_or_else(|| panic!("no {path} in {report}"))["text"]
        .as_str()
        .expect("a dry run has texts")
}

#[test]
fn kubernetes_and_compose_limit_the_memory_of_all_workers_together() {
    for (workers, kubernetes, compose, has_cores) in [
        ("1", "512Mi", "512m", false),
        ("8", "4608Mi", "4608m", false),
        ("\"auto\"", "1536Mi", "1536m", true),
    ] {
        let project = shop();
        project.write(
            "src/app.ts",
            &APP.replace("workers: 2", &format!("workers: {workers}")),
        );
        let report = project.kit(&["generate", "deploy", "--dry-run", "--json"]).json();
        let deployment = text(&report, "deploy/kubernetes/deployment.yaml");
        let limits = deployment.split_once("limits:").map_or("", |(_, limits)| limits);
        assert!(limits.contains(kubernetes), "{workers}: {deployment}");
        assert_eq!(limits.contains("cpu: \"2\"\n"), has_cores, "{deployment}");
        let file = text(&report, "deploy/compose/compose.yaml");
        let (_, server) = file.split_once("server:\n").expect("a server");
        let (_, limit) = server.split_once("\n    mem_limit: ").expect("a limit");
        assert!(
            limit.starts_with(&format!("\"{compose}\"\n")),
            "{workers}: {file}"
        );
        assert_eq!(server.contains("cpus: 2\n"), has_cores, "{file}");
        let on_one_core = "    # Docker refuses more cores than the machine has. On a machine with one core, write `cpus: 1` and `mem_limit: \"1024m\"`.\n";
        assert_eq!(server.contains(on_one_core), has_cores, "{file}");
    }
}

#[test]
fn files_express_the_settings_of_the_application() {
    let project = shop();
    assert_eq!(
        project.kit(&["migrate:generate", "--name", "create_orders"]).code,
        0
    );
    let outcome = project.kit(&["generate", "deploy", "--dry-run", "--json", "--replicas", "3"]);
    let report = outcome.json();
    assert_eq!(report["status"], "planned");
    assert!(!project.root.join("deploy").exists(), "a dry run writes nothing");
    let deployment = text(&report, "deploy/kubernetes/deployment.yaml");
    for line in [
        "image: acme-shop:1.2.0",
        "value: \"8080\"",
        "path: /alive",
        "path: /readyz",
        "containerPort: 9464",
        "readOnlyRootFilesystem: true",
        // 3 s of preStop, 2 s of shutdownDelayMs, 30 s of grace, 10 s for workers, 5 s of reserve.
        "terminationGracePeriodSeconds: 50",
        "seconds: 3",
        "cpu: \"500m\"",
        "key: MAIL_PASSWORD",
        "key: DATABASE_URL",
        "key: TAX_TOKEN",
        "# LOG_LEVEL is info by default.",
    ] {
        assert!(deployment.contains(line), "no {line} in {deployment}");
    }
    let worker = text(&report, "deploy/kubernetes/worker.yaml");
    assert!(worker.contains("- src/worker.ts\n"), "{worker}");
    assert!(worker.contains("terminationGracePeriodSeconds: 35\n"), "{worker}");
    let job = text(&report, "deploy/kubernetes/migration/job.yaml");
    assert!(job.contains("image: acme-shop-migrate:1.2.0\n"), "{job}");
    assert!(job.contains("key: MIGRATE_URL\n"), "{job}");
    let scaling = text(&report, "deploy/kubernetes/scaling.yaml");
    assert!(scaling.contains("minReplicas: 3\n"), "{scaling}");
    let compose = text(&report, "deploy/compose/compose.yaml");
    assert!(
        compose.contains("MAIL_PASSWORD: \"${MAIL_PASSWORD:?}\"\n"),
        "{compose}"
    );
    assert!(compose.contains("stop_grace_period: \"47s\"\n"), "{compose}");
    // Two workers and the process that supervises them; one process does jobs.
    assert!(compose.contains("mem_limit: \"1536m\"\n"), "{compose}");
    assert!(compose.contains("mem_limit: \"512m\"\n"), "{compose}");
    assert!(!compose.contains("cpus"), "{compose}");
    let unit = text(&report, "deploy/systemd/acme-shop.service");
    assert!(unit.contains("\nExecStart=/usr/bin/node src/main.ts\n"), "{unit}");
    assert!(unit.contains("\nTimeoutStopSec=47\n"), "{unit}");
    assert!(unit.contains("\nKillMode=mixed\n"), "{unit}");
    assert!(
        unit.contains("# Once: systemctl enable acme-shop acme-shop-worker\n"),
        "{unit}"
    );
    assert!(unit.contains("# Copy the project to /opt/acme-shop, "), "{unit}");
    let notes = report["notes"].as_array().expect("notes");
    let named = |name: &str| notes.iter().any(|note| note.as_str().unwrap().contains(name));
    assert!(
        notes.len() == 2 && named("SHOP_NAME") && named("HOST"),
        "{notes:?}"
    );
}

#[test]
fn only_the_unit_for_migrations_reads_the_role_that_may_change_tables() {
    let project = shop();
    assert_eq!(
        project.kit(&["migrate:generate", "--name", "create_orders"]).code,
        0
    );
    let report = project
        .kit(&["generate", "deploy", "--format", "systemd", "--dry-run", "--json"])
        .json();
    let files = report["files"].as_array().expect("a list of files");
    for file in files {
        let (path, unit) = (file["path"].as_str().unwrap(), file["text"].as_str().unwrap());
        let reads = unit.contains("\nEnvironmentFile=-/etc/acme-shop/migrate-environment\n");
        assert_eq!(reads, path.ends_with("-migrate.service"), "{unit}");
        assert!(!unit.contains("/usr/bin/env"), "{unit}");
    }
    assert_eq!(files.len(), 3);
}

#[test]
fn a_file_of_an_earlier_run_that_the_application_needs_no_more_is_reported() {
    let project = shop();
    assert_eq!(project.kit(&["generate", "deploy"]).code, 0);
    project.write("deploy/kubernetes/own.yaml", "kind: ConfigMap\n");
    // A file that a person has copied and changed belongs to that person.
    let copy =
        String::from_utf8(project.tree("deploy/kubernetes")["deployment.yaml"].clone()).expect("UTF-8");
    project.write(
        "deploy/kubernetes/overlays/deployment.yaml",
        &format!("{copy}# ours\n"),
    );
    project.write("src/app.ts", &APP.replace("  plugins: [jobs.plugin],\n", ""));
    project.remove("src/worker.ts");
    let outcome = project.kit(&["generate", "deploy", "--format", "kubernetes"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert!(
        outcome.err.contains(
            "warning: deploy/kubernetes/worker.yaml is from an earlier run, and kit no longer generates this file; delete the file\n"
        ),
        "{}",
        outcome.err
    );
    assert!(!outcome.err.contains("own.yaml"), "{}", outcome.err);
    assert!(!outcome.err.contains("overlays"), "{}", outcome.err);
    assert!(!outcome.err.contains("systemd"), "{}", outcome.err);
    let report = project
        .kit(&["generate", "deploy", "--format", "kubernetes", "--json"])
        .json();
    let unneeded: Vec<_> = report["files"]
        .as_array()
        .expect("a list of files")
        .iter()
        .filter(|file| file["status"] == "unneeded")
        .map(|file| &file["path"])
        .collect();
    assert_eq!(unneeded, ["deploy/kubernetes/worker.yaml"]);
}

#[test]
fn a_changed_file_stays_as_it_is_and_others_are_written_again() {
    let project = shop();
    let first = project.kit(&["generate", "deploy", "--format", "compose,systemd"]);
    assert_eq!(first.code, 0, "{}", first.err);
    assert!(
        first.out.contains("wrote deploy/compose/compose.yaml\n"),
        "{}",
        first.out
    );
    let compose = "deploy/compose/compose.yaml";
    let edited = format!("{}# mine\n", String::from_utf8_lossy(&project.tree("")[compose]));
    project.write(compose, &edited);
    project.write("src/app.ts", &APP.replace("8080", "9090"));
    let again = project.kit(&["generate", "deploy", "--format", "compose", "--format", "systemd"]);
    assert_eq!(
        again.out,
        "wrote deploy/systemd/acme-shop.service\nunchanged deploy/systemd/acme-shop-worker.service\n"
    );
    assert!(
        again
            .err
            .starts_with("warning: deploy/compose/compose.yaml was not written"),
        "{}",
        again.err
    );
    let tree = project.tree("");
    assert_eq!(String::from_utf8_lossy(&tree[compose]), edited);
    let unit = String::from_utf8_lossy(&tree["deploy/systemd/acme-shop.service"]).into_owned();
    assert!(unit.contains("PORT=9090"), "{unit}");
    let report = project
        .kit(&["generate", "deploy", "--format", "compose", "--json"])
        .json();
    assert_eq!(report["files"][0]["status"], "kept");
}

#[test]
fn refuses_options_that_no_format_expresses_and_projects_without_a_program() {
    let project = shop();
    let wrong = project.kit(&["generate", "deploy", "--format", "systemd", "--replicas", "3"]);
    assert_eq!(wrong.code, 1);
    assert!(
        wrong
            .err
            .starts_with("error: `--replicas` is for the format kubernetes"),
        "{}",
        wrong.err
    );
    assert_eq!(project.kit(&["generate", "deploy", "--image", "a b"]).code, 2);
    assert_eq!(project.kit(&["generate", "deploy", "--replicas", "0"]).code, 2);
    let missing = project.kit(&["generate", "deploy", "--worker", "src/nobody.ts"]);
    assert!(
        missing.err.starts_with("error: there is no file src/nobody.ts"),
        "{}",
        missing.err
    );
    project.write("package.json", "{ \"name\": \"shop\" }");
    project.remove("src/main.ts");
    let nothing = project.kit(&["generate", "deploy"]);
    assert_eq!(nothing.code, 1);
    assert!(
        nothing.err.contains("kit found no program that serves"),
        "{}",
        nothing.err
    );
}

#[test]
fn the_files_of_a_rust_server_name_its_program_and_its_health_checks() {
    let mut project = Project::new(&[
        ("package.json", "{ \"name\": \"notes\", \"version\": \"0.1.0\" }"),
        ("kit.config.ts", ""),
        (
            "Cargo.toml",
            "[package]\nname = \"notes-server\" # of the team\nversion = \"0.1.0\"\n",
        ),
        ("src/orders.routes.ts", ROUTES),
        (
            "src/app.ts",
            "import { createApp } from \"@kit/core\";\ncreateApp({ cookies: { keys: [process.env[\"A\"]!] }, routes: [] });\n",
        ),
    ]);
    project.use_rust_server();
    let report = project.kit(&["generate", "deploy", "--dry-run", "--json"]).json();
    let unit = text(&report, "deploy/systemd/notes.service");
    assert!(unit.contains("\nExecStart=/opt/notes/notes-server\n"), "{unit}");
    assert!(unit.contains("\nMemoryDenyWriteExecute=yes\n"), "{unit}");
    assert!(
        unit.contains("# Copy target/release/notes-server to /opt/notes/notes-server, and"),
        "{unit}"
    );
    let deployment = text(&report, "deploy/kubernetes/deployment.yaml");
    assert!(deployment.contains("path: /healthz\n"), "{deployment}");
    assert!(!deployment.contains("NODE_COMPILE_CACHE"), "{deployment}");
    for file in [&unit, &deployment] {
        assert!(file.contains("MALLOC_TRIM_THRESHOLD_"), "{file}");
    }
    assert!(deployment.contains("key: KIT_COOKIE_KEYS\n"), "{deployment}");
    let refused = project.kit(&["generate", "deploy", "--worker", "src/worker.ts"]);
    assert!(
        refused
            .err
            .starts_with("error: `--worker` is for applications on Node"),
        "{}",
        refused.err
    );
}

#[test]
fn options_of_node_and_arguments_in_the_script_start_are_in_the_unit() {
    let project = shop();
    let script = |start: &str| {
        let manifest = serde_json::json!({
            "name": "shop", "version": "1.0.0",
            "scripts": { "start": start, "work": "node --title=work src/worker.ts --slow" },
        });
        project.write("package.json", &manifest.to_string());
        project.kit(&["generate", "deploy", "--dry-run", "--json"]).json()
    };
    let report =
        script("kit build && node --enable-source-maps --import './o tel.mjs' src/main.ts --port 80");
    let unit = text(&report, "deploy/systemd/shop.service");
    assert!(
        unit.contains(
            "\nExecStart=/usr/bin/node --enable-source-maps --import \"./o tel.mjs\" src/main.ts --port 80\n"
        ),
        "{unit}"
    );
    let worker = text(&report, "deploy/systemd/shop-worker.service");
    assert!(
        worker.contains("\nExecStart=/usr/bin/node --title=work src/worker.ts --slow\n"),
        "{worker}"
    );
    let pods = text(&report, "deploy/kubernetes/worker.yaml");
    assert!(
        pods.contains(
            "- node\n            - \"--title=work\"\n            - src/worker.ts\n            - \"--slow\"\n"
        ),
        "{pods}"
    );
    let report = script("node --title $NAME src/main.ts");
    let unit = text(&report, "deploy/systemd/shop.service");
    assert!(unit.contains("\nExecStart=/usr/bin/node src/main.ts\n"), "{unit}");
    let notes = report["notes"].as_array().expect("notes");
    assert!(
        notes
            .iter()
            .any(|note| note.as_str().unwrap().contains("the shell computes")),
        "{notes:?}"
    );
    let manifest = serde_json::json!({
        "name": "shop", "version": "1.0.0",
        "scripts": { "start": "node src/main.ts", "work": "node src/worker.ts --queue $QUEUE" },
    });
    project.write("package.json", &manifest.to_string());
    let report = project.kit(&["generate", "deploy", "--dry-run", "--json"]).json();
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("the shell computes a part of the script `work`"),
        "{notes}"
    );
}

#[test]
fn variables_before_node_in_a_script_are_in_the_files_of_its_program() {
    let project = shop();
    let script = |start: &str, work: &str| {
        let manifest = serde_json::json!({
            "name": "shop", "version": "1.0.0", "scripts": { "start": start, "work": work },
        });
        project.write("package.json", &manifest.to_string());
        project.kit(&["generate", "deploy", "--dry-run", "--json"]).json()
    };
    let report = script(
        "NODE_ENV=production PORT=9000 SHOP_NAME='our $$hop $(HOST)' MAIL_PASSWORD=x node src/main.ts",
        "SHOP_NAME=mail node src/worker.ts '$(HOST)'",
    );
    let deployment = text(&report, "deploy/kubernetes/deployment.yaml");
    for lines in [
        "            - name: SHOP_NAME\n              value: \"our $$$$hop $$(HOST)\"\n",
        "containerPort: 9000\n",
        "key: MAIL_PASSWORD\n",
    ] {
        assert!(deployment.contains(lines), "no {lines} in {deployment}");
    }
    assert_eq!(deployment.matches("SHOP_NAME").count(), 1, "{deployment}");
    let pods = text(&report, "deploy/kubernetes/worker.yaml");
    assert!(
        pods.contains("- name: SHOP_NAME\n              value: mail\n"),
        "{pods}"
    );
    assert!(
        pods.contains("- src/worker.ts\n            - \"$$(HOST)\"\n"),
        "{pods}"
    );
    let compose = text(&report, "deploy/compose/compose.yaml");
    assert!(
        compose.contains("SHOP_NAME: \"our $$$$hop $$(HOST)\"\n"),
        "{compose}"
    );
    let unit = text(&report, "deploy/systemd/shop.service");
    assert!(
        unit.contains("\nEnvironment=\"SHOP_NAME=our $$hop $(HOST)\"\n")
            && unit.contains("\nEnvironment=PORT=9000\n"),
        "{unit}"
    );
    let worker = text(&report, "deploy/systemd/shop-worker.service");
    assert!(worker.contains("\nEnvironment=SHOP_NAME=mail\n"), "{worker}");
    let notes = report["notes"].to_string();
    assert!(
        notes.contains("check MAIL_PASSWORD in the files") && !notes.contains("SHOP_NAME"),
        "{notes}"
    );
    // A worker without a script of its own gets the variables of the server.
    let report = script(
        "SHOP_NAME=a SHOP_KEY=b node src/main.ts",
        "node --watch src/worker.ts",
    );
    let worker = text(&report, "deploy/systemd/shop-worker.service");
    assert!(worker.contains("\nEnvironment=SHOP_NAME=a\n"), "{worker}");
    assert!(!worker.contains("--watch"), "{worker}");
    let notes = report["notes"].to_string();
    assert_eq!(notes.matches("SHOP_KEY").count(), 1, "{notes}");
}
