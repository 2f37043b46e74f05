//! Runs the project's own TypeScript, which emits declarations for source files.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::directory;
use crate::{BuildError, disk, read_text};

/// Time between two checks if TypeScript has ended.
const POLL: Duration = Duration::from_millis(3);

/// The project's own TypeScript.
pub(super) struct TypeScript {
    program: PathBuf,
    args: Vec<OsString>,
    /// Major and minor version.
    version: (u32, u32),
    /// Path of the `package.json` of TypeScript.
    pub(super) manifest: PathBuf,
}

/// Output of TypeScript.
pub(super) struct Emitted {
    /// Texts of the declaration files, by the path of the source file.
    pub(super) declarations: BTreeMap<PathBuf, String>,
    /// All files that TypeScript read, except those that are part of TypeScript.
    pub(super) read: Vec<PathBuf>,
    /// Errors that TypeScript reported.
    pub(super) messages: Vec<Message>,
    /// Time of the start by the clock of the file system; `None` if the file system has no times.
    pub(super) started: Option<SystemTime>,
}

/// TypeScript that runs in its own process. Dropping the value ends the process.
pub(super) struct Running {
    child: Child,
    scratch: Scratch,
    root: PathBuf,
    /// Source files for which declarations are needed.
    files: BTreeSet<PathBuf>,
    start: Instant,
    limit: Duration,
}

/// An error that TypeScript reported.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) path: PathBuf,
    pub(super) line: u32,
    pub(super) column: u32,
    /// Code, such as `TS4023`.
    pub(super) code: String,
    pub(super) text: String,
}

/// Reason why TypeScript gave no declarations.
#[derive(Debug)]
pub(super) enum Failure {
    NotInstalled,
    NotStarted(String),
    TimedOut(Duration),
    NothingEmitted(String),
    Files(BuildError),
}

impl Failure {
    /// Returns the reason, and the help without its end, which says how to write the types by hand.
    pub(super) fn text(&self) -> (String, &'static str) {
        match self {
            Self::NotInstalled => (
                "TypeScript could infer the type, but is not installed in the project".to_owned(),
                "install TypeScript: `npm install --save-dev typescript`",
            ),
            Self::NotStarted(reason) => (
                format!("TypeScript could infer the type, but could not be started: {reason}"),
                "reinstall the packages of the project",
            ),
            Self::TimedOut(limit) => (
                format!(
                    "TypeScript could infer the type, but did not finish within {} s",
                    limit.as_secs()
                ),
                "move the value to a file with few imports",
            ),
            Self::NothingEmitted(output) => (
                format!("TypeScript could infer the type, but emitted no declarations: {output}"),
                "correct the error that `tsc --noEmit` reports",
            ),
            Self::Files(error) => (
                format!("TypeScript could infer the type, but kit could not write a file for it: {error}"),
                "allow kit to write to `node_modules/.cache/kit`",
            ),
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        Self::Files(error)
    }
}

#[derive(Deserialize)]
struct Manifest {
    version: String,
}

impl TypeScript {
    /// Finds TypeScript in the `node_modules` of the project or of a directory above; `None` if TypeScript is not
    /// installed.
    pub(super) fn find(root: &Path) -> Option<Self> {
        let installed = root
            .ancestors()
            .map(|above| above.join("node_modules/typescript"))
            .find(|package| disk::is_file(&package.join("package.json")))?;
        let package = disk::canonical(&installed).ok()?;
        let manifest = package.join("package.json");
        let text = read_text(&manifest).ok()??;
        let version = serde_json::from_str::<Manifest>(&text).ok()?.version;
        let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let (program, args) = match native_program(&package) {
            Some(program) if version.0 >= 7 => (program, Vec::new()),
            _ => (node(), vec![package.join("bin/tsc").into_os_string()]),
        };
        Some(Self {
            program,
            args,
            version,
            manifest,
        })
    }

    /// Starts TypeScript, which emits the declarations of source files and of the files that they import.
    pub(super) fn start(
        &self,
        root: &Path,
        files: &BTreeSet<PathBuf>,
        limit: Duration,
    ) -> Result<Running, Failure> {
        let scratch = Scratch::new(root)?;
        let (config, log) = (scratch.config(), scratch.log());
        let settings = self.settings(root, files, &scratch.out());
        disk::write(&config, settings.to_string().as_bytes())?;
        disk::write(&log, b"")?;
        let log_file = || disk::open_log(&log);
        let child = Command::new(&self.program)
            .args(&self.args)
            .arg("-p")
            .arg(&config)
            .current_dir(root)
            .stdin(Stdio::null())
            .stdout(log_file()?)
            .stderr(log_file()?)
            .spawn()
            .map_err(|error| Failure::NotStarted(format!("{}: {error}", self.program.display())))?;
        Ok(Running {
            child,
            scratch,
            root: root.to_owned(),
            files: files.clone(),
            start: Instant::now(),
            limit,
        })
    }

    /// Returns the configuration of TypeScript: the options of the project, with those that affect output
    /// replaced.
    fn settings(&self, root: &Path, files: &BTreeSet<PathBuf>, out: &Path) -> Value {
        let top = root.ancestors().last().unwrap_or(root);
        let mut options = json!({
            "noEmit": false,
            "declaration": true,
            "emitDeclarationOnly": true,
            "noEmitOnError": false,
            "declarationMap": false,
            "composite": false,
            "incremental": false,
            "tsBuildInfoFile": null,
            "outFile": null,
            "declarationDir": null,
            "isolatedDeclarations": false,
            "stripInternal": false,
            "sourceMap": false,
            "inlineSourceMap": false,
            "inlineSources": false,
            "skipLibCheck": true,
            "rootDir": top,
            "outDir": out,
            "listFiles": true,
            "listEmittedFiles": false,
            "explainFiles": false,
            "traceResolution": false,
            "diagnostics": false,
            "extendedDiagnostics": false,
            "pretty": false,
        });
        if self.version >= (5, 6) {
            options["noCheck"] = true.into();
        }
        let mut settings = Map::new();
        let own = root.join("tsconfig.json");
        if disk::is_file(&own) {
            settings.insert("extends".to_owned(), json!(own));
        } else {
            let defaults = json!({
                "strict": true,
                "target": "esnext",
                "module": "esnext",
                "moduleResolution": "bundler",
                "allowImportingTsExtensions": true,
            });
            if let (Some(options), Value::Object(defaults)) = (options.as_object_mut(), defaults) {
                options.extend(defaults);
            }
        }
        settings.insert("compilerOptions".to_owned(), options);
        settings.insert("files".to_owned(), json!(files));
        settings.insert("include".to_owned(), json!([]));
        settings.insert("references".to_owned(), json!([]));
        Value::Object(settings)
    }
}

impl Running {
    /// Waits until TypeScript has ended, and returns its output.
    pub(super) fn wait(mut self) -> Result<Emitted, Failure> {
        loop {
            if let Some(result) = self.poll() {
                return result;
            }
            std::thread::sleep(POLL);
        }
    }

    /// Returns the output of TypeScript; `None` if TypeScript still runs.
    pub(super) fn poll(&mut self) -> Option<Result<Emitted, Failure>> {
        match self.child.try_wait() {
            Ok(Some(_)) => Some(self.emitted()),
            Ok(None) if self.start.elapsed() < self.limit => None,
            // Dropping the value ends the process.
            Ok(None) => Some(Err(Failure::TimedOut(self.limit))),
            Err(error) => Some(Err(Failure::NotStarted(error.to_string()))),
        }
    }

    fn emitted(&self) -> Result<Emitted, Failure> {
        let output = disk::read_optional(&self.scratch.log())?.unwrap_or_default();
        let output = String::from_utf8_lossy(&output);
        let mut read = Vec::new();
        let mut messages = Vec::new();
        for line in output.lines() {
            if let Some(message) = Message::parse(&self.root, line) {
                messages.push(message);
            } else if Path::new(line).is_absolute() {
                read.push(PathBuf::from(line));
            }
        }
        let declarations = declarations(&self.scratch.out(), &read)?;
        if declarations.is_empty() && !messages.iter().any(|message| self.files.contains(&message.path)) {
            let said = output
                .lines()
                .find(|line| line.contains("error"))
                .unwrap_or("no output");
            return Err(Failure::NothingEmitted(said.trim().to_owned()));
        }
        Ok(Emitted {
            declarations,
            read,
            messages,
            started: disk::modified(&self.scratch.config()),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The process may have ended already, in which case there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the program of TypeScript 7 or later, which needs no Node; `None` if it is not installed beside the package.
fn native_program(package: &Path) -> Option<PathBuf> {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let name = format!("@typescript/typescript-{system}-{processor}/lib");
    let program = if system == "win32" { "tsc.exe" } else { "tsc" };
    [package.parent()?.to_owned(), package.join("node_modules")]
        .into_iter()
        .map(|modules| modules.join(&name).join(program))
        .find(|path| disk::is_file(path))
}

/// Returns the Node that runs kit, or else the Node in `PATH`.
fn node() -> PathBuf {
    std::env::current_exe()
        .ok()
        .filter(|program| program.file_stem().is_some_and(|name| name == "node"))
        .unwrap_or_else(|| PathBuf::from("node"))
}

/// Directory for the files of one run of TypeScript. Dropping the value removes the directory.
struct Scratch(PathBuf);

impl Scratch {
    fn new(root: &Path) -> Result<Self, BuildError> {
        // Projects may share `node_modules` through a symbolic link, and run TypeScript at the same time.
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = directory(root).join(format!("infer-{}-{number}", std::process::id()));
        disk::remove_tree(&path)?;
        disk::make_dir(&path)?;
        Ok(Self(path))
    }

    /// Returns the path of the directory for declarations.
    fn out(&self) -> PathBuf {
        self.0.join("out")
    }

    /// Returns the path of the configuration, which kit writes before TypeScript starts.
    fn config(&self) -> PathBuf {
        self.0.join("tsconfig.json")
    }

    /// Returns the path of the file with the output of TypeScript.
    fn log(&self) -> PathBuf {
        self.0.join("log")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If this fails, files of a few kilobytes remain in a cache.
        let _ = disk::remove_tree(&self.0);
    }
}

impl Message {
    /// Parses a line such as `src/a.ts(2,14): error TS4023: Exported variable …`. Returns `None` for another line.
    fn parse(root: &Path, line: &str) -> Option<Self> {
        let (place, rest) = line.split_once("): error ")?;
        let (path, position) = place.rsplit_once('(')?;
        let (row, column) = position.split_once(',')?;
        let (code, text) = rest.split_once(": ")?;
        Some(Self {
            path: root.join(path),
            line: row.parse().ok()?,
            column: column.parse().ok()?,
            code: code.to_owned(),
            text: text.to_owned(),
        })
    }
}

/// Returns the texts of the declaration files in the output directory, by the path of the source file.
fn declarations(out: &Path, read: &[PathBuf]) -> Result<BTreeMap<PathBuf, String>, BuildError> {
    let mut found = BTreeMap::new();
    for source in read {
        let Some(name) = source.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        let Some((stem, ending)) = name.rsplit_once('.') else {
            continue;
        };
        let ending = match ending {
            "ts" | "tsx" => "d.ts",
            "mts" => "d.mts",
            "cts" => "d.cts",
            _ => continue,
        };
        // The output directory has the same directories as the root of the file system.
        let below: PathBuf = source
            .components()
            .filter(|part| matches!(part, std::path::Component::Normal(_)))
            .collect();
        let emitted = out.join(below).with_file_name(format!("{stem}.{ending}"));
        if let Some(text) = read_text(&emitted)? {
            found.insert(source.clone(), text);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, Instant};

    use super::{Failure, Message, Running, TypeScript};
    use crate::disk;

    #[test]
    #[cfg(unix)]
    fn ends_a_typescript_that_does_not_finish_in_time_and_removes_its_files() {
        let root = std::env::temp_dir().join(format!("kit-slow-typescript-{}", std::process::id()));
        let program = |command: &str| TypeScript {
            program: PathBuf::from("/bin/sh"),
            args: vec!["-c".into(), command.into()],
            version: (7, 0),
            manifest: root.join("package.json"),
        };
        let emit = |command| {
            let running = program(command).start(&root, &BTreeSet::new(), Duration::from_millis(300));
            running.and_then(Running::wait)
        };
        let start = Instant::now();
        assert!(matches!(emit("exec sleep 30"), Err(Failure::TimedOut(_))));
        assert!(start.elapsed() < Duration::from_secs(10));
        let failed = emit("echo error TS5023: Unknown option");
        assert!(
            matches!(failed, Err(Failure::NothingEmitted(said)) if said == "error TS5023: Unknown option")
        );
        let cache = root.join("node_modules/.cache/kit");
        assert_eq!(disk::list(&cache).unwrap(), Vec::<String>::new());
        disk::remove_tree(&root).unwrap();
    }

    #[test]
    fn parses_errors_of_typescript_and_ignores_other_lines() {
        let root = Path::new("/app");
        let message = Message::parse(root, "src/a.ts(2,14): error TS4023: Exported variable 'a' has: b");
        assert_eq!(
            message,
            Some(Message {
                path: PathBuf::from("/app/src/a.ts"),
                line: 2,
                column: 14,
                code: "TS4023".to_owned(),
                text: "Exported variable 'a' has: b".to_owned(),
            })
        );
        assert_eq!(Message::parse(root, "/app/src/a.ts"), None);
        assert_eq!(Message::parse(root, "error TS5023: Unknown option"), None);
    }
}
