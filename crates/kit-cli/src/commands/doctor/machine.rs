//! Checks the programs and ports of the machine.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use super::{Check, packages};
use crate::context::Context;
use crate::{NodeRun, REPORT};

/// Oldest supported version of Node. In 24.0.0 to 24.4.0, the hash function for strings lets clients slow a server down
/// (CVE-2025-27209).
const OLDEST_NODE: [u32; 3] = [24, 4, 1];

/// Default port of applications.
const APP_PORT: u16 = 3000;

/// Default port of the debug sidecar.
const SIDECAR_PORT: u16 = 9800;

/// Script for `node`: writes its version, its path and the version of glibc into the file that the argument names. The last
/// line is empty if Node runs on another C library.
const VERSION_SCRIPT: &str = "process.report.excludeNetwork = true;
const { glibcVersionRuntime } = process.report.getReport().header;
const lines = [process.versions.node, process.execPath, glibcVersionRuntime ?? ''];
require('node:fs').writeFileSync(process.argv[1], lines.join('\\n'))";

/// Checks the Node that runs kit, the platform, the `node` in `PATH`, and npm.
pub(super) async fn programs(root: &Path, context: &Context<'_>) -> Vec<Check> {
    let (node, glibc) = own_node(root, context).await;
    vec![
        node,
        platform(packages::platform().as_deref(), &glibc),
        found_node(root, context),
        npm(root, context),
    ]
}

/// Checks the Node that runs kit. Also returns the version of glibc, or an empty text.
async fn own_node(root: &Path, context: &Context<'_>) -> (Check, String) {
    let run = NodeRun {
        args: ["--eval", VERSION_SCRIPT, REPORT].map(ToOwned::to_owned).to_vec(),
        directory: root.to_string_lossy().into_owned(),
        env: BTreeMap::new(),
    };
    let end = context.host.run_node(&run).await;
    let said = end.ok().and_then(|end| end.report).unwrap_or_default();
    let mut lines = said.lines();
    let (version, path, glibc) = (lines.next(), lines.next(), lines.next());
    let check = match (version, path) {
        // No check of the version is needed: kit does not start on an older Node.
        (Some(version), Some(path)) => Check::ok("node", format!("kit runs on Node {version} ({path})")),
        _ => Check::fail(
            "node",
            "kit cannot start a second process of the Node that runs kit",
        )
        .help("reinstall Node: https://nodejs.org"),
    };
    (check, glibc.unwrap_or_default().to_owned())
}

/// Describes the platform, and the HTTP engine that applications use there.
fn platform(name: Option<&str>, glibc: &str) -> Check {
    let Some(name) = name else {
        let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
        return Check::warn(
            "platform",
            format!("kit is not built for {system} on {processor}"),
        )
        .help("applications use node:http here");
    };
    let library = if glibc.is_empty() {
        String::new()
    } else {
        format!(" with glibc {glibc}")
    };
    let engine = if packages::has_engine(name) {
        "`nativeServer()` uses kit's HTTP engine"
    } else {
        "`nativeServer()` uses node:http on Windows"
    };
    Check::ok("platform", format!("{name}{library}; {engine}"))
}

/// Checks the `node` in `PATH`, which runs scripts of package.json and `node src/main.ts`. It may be another version than
/// the Node that runs kit.
fn found_node(root: &Path, context: &Context<'_>) -> Check {
    let help = format!(
        "apps need Node {}.{}.{} or newer: install it from https://nodejs.org, or for this project alone with `npm install --save-dev node@{}` and start it with `npx node`",
        OLDEST_NODE[0], OLDEST_NODE[1], OLDEST_NODE[2], OLDEST_NODE[0]
    );
    match version(root, "node", context) {
        None => Check::warn("node on PATH", "there is no `node` on the path").help(help),
        Some(version) => {
            let plain = version.trim_start_matches('v');
            let parts: Vec<u32> = plain
                .split('.')
                .map(|part| part.parse().unwrap_or_default())
                .collect();
            if parts.as_slice() >= OLDEST_NODE.as_slice() {
                Check::ok("node on PATH", format!("`node` is {plain}"))
            } else {
                Check::warn("node on PATH", format!("`node` is {plain}, which is too old")).help(help)
            }
        }
    }
}

fn npm(root: &Path, context: &Context<'_>) -> Check {
    match version(root, if cfg!(windows) { "npm.cmd" } else { "npm" }, context) {
        Some(version) => Check::ok("npm", format!("npm {version}")),
        None => Check::warn("npm", "there is no `npm` on the path")
            .help("npm comes with Node; if you use another package manager, you do not need npm"),
    }
}

/// Returns the version that a program prints with `--version`.
fn version(root: &Path, program: &str, context: &Context<'_>) -> Option<String> {
    let output = context
        .environment
        .output(Path::new(program), &["--version".to_owned()], root)
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let version = text.trim();
    (output.status.success() && !version.is_empty()).then(|| version.to_owned())
}

/// Checks that the default ports of the application and of its sidecar are free.
pub(super) fn ports(context: &Context<'_>) -> Vec<Check> {
    let own = context.environment.var("PORT").filter(|port| !port.is_empty());
    let help = "this is no problem if your application uses the port; otherwise stop the program that uses it, or choose another port with PORT";
    let sidecar = "this is no problem if the sidecar of your application uses the port; otherwise give the debug plugin another `port`";
    let app = match own.as_deref().map(str::parse) {
        Some(Err(_)) => Check::warn(
            "app port",
            format!(
                "PORT is `{}`, which is not a port number",
                own.unwrap_or_default().escape_debug()
            ),
        )
        .help("set PORT to a number from 1 to 65535, or unset PORT to use the default port 3000"),
        Some(Ok(own)) => port("app port", own, help),
        None => port("app port", APP_PORT, help),
    };
    vec![app, port("debug port", SIDECAR_PORT, sidecar)]
}

fn port(name: &'static str, port: u16, taken: &str) -> Check {
    match TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)) {
        Ok(_) => Check::ok(name, format!("port {port} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            Check::warn(name, format!("port {port} is in use")).help(taken)
        }
        Err(error) => Check::warn(name, format!("a server cannot listen on port {port}: {error}"))
            .help("choose another port"),
    }
}
