//! Checks the packages of kit that the project depends on, and the addon of its server.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Check;

const SERVER: &str = "@kit/server-native";

/// Checks that the packages of kit in package.json are installed in the right version, with the addon of the server.
pub(super) fn check(root: &Path) -> Vec<Check> {
    let name = "packages";
    let text = match kit_build::read_text(&root.join("package.json")) {
        Ok(Some(text)) => text,
        Ok(None) => {
            return vec![
                Check::warn(name, format!("there is no package.json in {}", root.display()))
                    .help(kit_build::project_advice(root)),
            ];
        }
        Err(error) => {
            return vec![
                Check::fail(name, error.to_string())
                    .help("package.json must be a text file in UTF-8 that you have permission to read"),
            ];
        }
    };
    let manifest: Value = match serde_json::from_str(&text) {
        Ok(manifest) => manifest,
        Err(error) => {
            return vec![
                Check::fail(name, format!("package.json is not JSON: {error}"))
                    .help("repair package.json at that position; npm cannot read the file either"),
            ];
        }
    };
    let mut named: Vec<&str> = ["dependencies", "devDependencies"]
        .iter()
        .filter_map(|field| manifest[field].as_object())
        .flat_map(|packages| packages.keys().map(String::as_str))
        .filter(|package| package.starts_with("@kit/"))
        .collect();
    named.sort_unstable();
    named.dedup();
    let mut checks = vec![installed(root, &named)];
    if named.contains(&SERVER) {
        checks.extend(addon(root));
    }
    checks
}

/// Checks that all packages of kit are installed with the version of this command. Packages of different versions do not
/// work together.
fn installed(root: &Path, named: &[&str]) -> Check {
    let own = env!("CARGO_PKG_VERSION");
    let mut missing = Vec::new();
    let mut others = Vec::new();
    for package in named {
        match find(root, package).map(|directory| version(&directory)) {
            None => missing.push(*package),
            Some(Some(version)) if version == own => {}
            Some(version) => others.push(format!("{package} {}", version.unwrap_or_default())),
        }
    }
    let name = "packages";
    if !missing.is_empty() {
        Check::fail(name, format!("not installed: {}", missing.join(", "))).help("run `npm install`")
    } else if !others.is_empty() {
        let others = others.join(", ");
        Check::warn(
            name,
            format!("this command has the version {own}, but these packages have another version: {others}"),
        )
        .help("give all packages of kit the same version in package.json, and run `npm install`")
    } else if named.is_empty() {
        Check::warn(name, "package.json names no package of kit")
            .help("go to the project's directory, or name it with --root")
    } else {
        let verb = if named.len() == 1 { "is" } else { "are" };
        Check::ok(
            name,
            format!("{} {verb} installed in version {own}", named.join(", ")),
        )
    }
}

/// Checks the server's addon. Without it, the server falls back to node:http. The compiler's addon needs no check, because
/// it runs this code.
fn addon(root: &Path) -> Option<Check> {
    let directory = find(root, SERVER)?;
    let platform = platform()?;
    if !has_engine(&platform) {
        // The check of the platform says so.
        return None;
    }
    let file = directory.join(format!("native/kit-server.{platform}.node"));
    let package = format!("{SERVER}-{platform}");
    let is_there = file.is_file() || find(root, &package).is_some() || find(&directory, &package).is_some();
    Some(if is_there {
        Check::ok(
            "server addon",
            format!("the addon of the native server for {platform} is installed"),
        )
    } else {
        Check::warn(
            "server addon",
            format!("the native server has no addon for {platform}: {package} is not installed"),
        )
        .help("run `npm install` on this machine, without `--omit=optional`; with KIT_SERVER=node, the application uses node:http instead")
    })
}

/// Returns this platform as in the file names of addons: `linux-x64-gnu`. The code of this crate runs in an addon, so its
/// compile target is this machine.
pub(super) fn platform() -> Option<String> {
    let arch = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        _ => return None,
    };
    match std::env::consts::OS {
        "linux" if cfg!(target_env = "musl") => Some(format!("linux-{arch}-musl")),
        "linux" => Some(format!("linux-{arch}-gnu")),
        "macos" => Some(format!("darwin-{arch}")),
        // Windows on ARM has no packages.
        "windows" if arch == "x64" => Some("win32-x64".to_owned()),
        _ => None,
    }
}

/// Returns true if kit's HTTP engine runs on a platform. Elsewhere, applications use node:http.
pub(super) fn has_engine(platform: &str) -> bool {
    !platform.starts_with("win32")
}

/// Returns the directory of a package that files in the directory `from` would import.
pub(super) fn find(from: &Path, package: &str) -> Option<PathBuf> {
    from.ancestors()
        .map(|directory| directory.join("node_modules").join(package))
        .find(|directory| directory.join("package.json").is_file())
}

fn version(directory: &Path) -> Option<String> {
    let text = kit_build::read_text(&directory.join("package.json")).ok()??;
    let manifest: Value = serde_json::from_str(&text).ok()?;
    manifest["version"].as_str().map(ToOwned::to_owned)
}
