//! Projects in temporary directories, and helpers for golden files.
#![allow(clippy::disallowed_methods)] // Reason: tests access files directly, without the code under test.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.
#![allow(unreachable_pub)] // Reason: `pub` in a test binary is not reachable from outside.
#![allow(dead_code)] // Reason: each test binary uses only some of the helpers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use kit_build::{BuildReport, BuildRequest, BuildTime, Disk, LoadedConfig, build, resolve};

/// Content of files, by path.
pub type Files = BTreeMap<String, String>;

/// A project in a temporary directory, removed when the test ends.
pub struct Project {
    pub root: PathBuf,
}

impl Project {
    pub fn new<P: AsRef<str>, T: AsRef<str>>(files: impl IntoIterator<Item = (P, T)>) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("kit-build-{}-{number}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        let project = Self {
            root: root.canonicalize().unwrap(),
        };
        for (path, text) in files {
            project.write(path.as_ref(), text.as_ref());
        }
        project
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.root.join(path)).unwrap();
    }

    /// Builds the project at a time in seconds since 1970. If `fixed` is true, `SOURCE_DATE_EPOCH`
    /// sets the time.
    pub fn build_at(&self, second: u64, fixed: bool) -> BuildReport {
        let epoch = second.to_string();
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        let time = BuildTime::new(fixed.then_some(epoch.as_str()), now).unwrap();
        let loaded = fs::read_to_string(self.root.join("kit.config.json"))
            .ok()
            .map(|text| LoadedConfig {
                path: "kit.config.ts".to_owned(),
                value: serde_json::from_str(&text).unwrap(),
            });
        let resolution = resolve(&self.root, loaded.as_ref()).unwrap();
        assert!(
            !resolution.diagnostics.has_errors(),
            "{:?}",
            resolution.diagnostics
        );
        let request = BuildRequest {
            root: &self.root,
            config: &resolution.config,
            files: Arc::new(Disk),
            time: &time,
        };
        build(&request, &()).unwrap()
    }

    /// Builds the project and asserts that there are no errors.
    pub fn build(&self) -> BuildReport {
        let report = self.build_at(1_790_000_000, true);
        assert!(report.succeeded(), "{:#?}", report.diagnostics);
        report
    }

    /// Returns the artifacts, without the empty lock file.
    pub fn output(&self) -> Files {
        let mut files = read_tree(&self.root.join(".kit"));
        files.remove(".lock");
        files
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Returns every file in a directory and its subdirectories. Empty if the directory does not exist.
pub fn read_tree(base: &Path) -> Files {
    let mut found = Files::new();
    let mut open = vec![base.to_owned()];
    while let Some(directory) = open.pop() {
        let Ok(entries) = fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let parts: Vec<_> = path
                    .strip_prefix(base)
                    .unwrap()
                    .components()
                    .map(|part| part.as_os_str().to_string_lossy())
                    .collect();
                found.insert(parts.join("/"), fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// Returns true if `KIT_BLESS` is set, so that tests rewrite golden files. A person reviews the
/// changes afterwards.
pub fn bless() -> bool {
    std::env::var_os("KIT_BLESS").is_some_and(|value| value == "1")
}

/// Returns the path of a file or directory in the `tests/` directory of this crate.
pub fn beside(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)
}
