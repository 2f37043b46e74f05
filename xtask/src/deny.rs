//! Checks the Rust dependencies with cargo-deny and the rules of `deny.toml`: their licences, banned crates, and the
//! places that they come from.

use std::path::Path;
use std::process::Command;

use crate::progress::Step;
use crate::repository::Repository;
use crate::{run, toolchain};

/// Name of the check.
pub(crate) const NAME: &str = "licences, bans and sources of crates (cargo-deny)";

const PROGRAM: &str = "cargo-deny";
/// Version of cargo-deny (MIT OR Apache-2.0). A newer version may have rules that `deny.toml` does not configure.
const VERSION: &str = "0.20.2";

/// The check if it can run, otherwise the reason why it cannot.
pub(crate) enum Check {
    /// The command that runs the check.
    Ready(Command),
    /// Reason why the check cannot run on this machine.
    Unavailable(String),
}

/// Installs cargo-deny and fetches all crates, so that the check itself needs no network.
pub(crate) fn check(repository: &Repository) -> anyhow::Result<Check> {
    let program = match toolchain::cargo_program(repository, PROGRAM, VERSION)? {
        Ok(program) => program,
        Err(reason) => return Ok(Check::Unavailable(reason)),
    };
    // cargo-deny reads the licences from the manifests of all crates, but a build fetches only the crates of its
    // platform.
    let mut fetch = run::command(repository, "cargo")?;
    fetch.args(["fetch", "--locked"]);
    let step = Step::start("fetching the crates of all platforms");
    let finished = run::finish(fetch, &step)?;
    // If the lock file does not match the manifests, the network is not the reason. cargo-deny then reports it below.
    if !finished.success && !finished.output.contains("--locked") {
        step.skipped("");
        return Ok(Check::Unavailable(format!(
            "the crates of all platforms cannot be fetched: {}",
            toolchain::error_of(&finished.output)
        )));
    }
    step.done("");
    let manifest = repository.path("Cargo.toml");
    Ok(Check::Ready(command(repository, &program, &manifest)?))
}

fn command(repository: &Repository, program: &Path, manifest: &Path) -> anyhow::Result<Command> {
    let mut command = run::command(repository, program)?;
    command
        .args(["--offline", "--locked", "--color", "never"])
        .arg("--manifest-path")
        .arg(manifest)
        .arg("--config")
        .arg(repository.path("deny.toml"))
        .args(["check", "licenses", "bans", "sources"]);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{NAME, PROGRAM, command};
    use crate::repository::Repository;
    use crate::toolchain;

    /// Runs cargo-deny, with the rules of this repository, on a crate whose only dependency has this licence. Returns
    /// the success and the output.
    fn check_licence(repository: &Repository, licence: &str) -> (bool, String) {
        let directory = repository
            .target()
            .join("tmp/deny")
            .join(format!("{licence}-{}", std::process::id()));
        for (name, manifest) in [
            (
                ".",
                "license = 'MIT'\npublish = false\n[workspace]\n[dependencies]\nhelper = { path = 'helper' }"
                    .to_owned(),
            ),
            ("helper", format!("license = '{licence}'")),
        ] {
            let crate_directory = directory.join(name);
            std::fs::create_dir_all(crate_directory.join("src")).unwrap();
            std::fs::write(crate_directory.join("src/lib.rs"), "").unwrap();
            let name = if name == "." { "planted" } else { name };
            let text =
                format!("[package]\nname = '{name}'\nversion = '1.0.0'\nedition = '2024'\n{manifest}\n");
            std::fs::write(crate_directory.join("Cargo.toml"), text).unwrap();
        }
        std::fs::write(
            directory.join("Cargo.lock"),
            "version = 4\n[[package]]\nname = \"helper\"\nversion = \"1.0.0\"\n\
             [[package]]\nname = \"planted\"\nversion = \"1.0.0\"\ndependencies = [\"helper\"]\n",
        )
        .unwrap();
        let program = toolchain::installed(repository, PROGRAM);
        let mut deny = command(repository, &program, &directory.join("Cargo.toml")).unwrap();
        // No dependency of this crate has some of the licences in `deny.toml`. cargo-deny must not report these unused rules.
        deny.args([
            "--allow",
            "license-not-encountered",
            "--allow",
            "license-exception-not-encountered",
        ]);
        let output = deny.output().unwrap();
        std::fs::remove_dir_all(&directory).unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), text)
    }

    #[test]
    fn refuses_a_dependency_with_a_licence_that_is_not_in_deny_toml() {
        let repository = Repository::find(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        if !toolchain::installed(&repository, PROGRAM).is_file() {
            println!("SKIPPED {NAME}: cargo-deny is not installed; `cargo xtask check` installs it");
            return;
        }
        let (passed, output) = check_licence(&repository, "ISC");
        assert!(passed, "{output}");
        let (passed, output) = check_licence(&repository, "GPL-3.0-only");
        assert!(!passed, "{output}");
        assert!(
            output.contains("GPL-3.0-only") && output.contains("helper"),
            "{output}"
        );
    }
}
