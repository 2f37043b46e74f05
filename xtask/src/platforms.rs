//! Platforms that kit is published for, and the tools that build the addons of each.

use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::repository::Repository;

/// A platform, in the notation of Node.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Platform {
    /// Name in the names of packages: `linux-x64-gnu`.
    pub(crate) name: &'static str,
    /// Name of the target in Rust: `x86_64-unknown-linux-gnu`.
    pub(crate) triple: &'static str,
    /// Target that Linux builds to try the platform. Its addons are not published. `None` if Linux builds the published target.
    pub(crate) trial: Option<Target>,
    /// Program that builds for this platform.
    pub(crate) tool: Tool,
    /// False if the HTTP engine does not support the platform, so that applications use node:http there.
    pub(crate) has_engine: bool,
}

/// Program that builds the addons of a platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// cargo-zigbuild, which links with Zig. With glibc, it links against an old version of the library.
    Zig,
    /// cargo with the linker of MinGW. Zig's linker exports all symbols of a DLL, of which a debug build has too many.
    MinGw,
    /// cargo on the platform itself. These platforms cannot be built elsewhere.
    Native,
}

impl Tool {
    /// Returns the command of cargo that builds.
    pub(crate) fn subcommand(self) -> &'static str {
        match self {
            Self::Zig => "zigbuild",
            Self::MinGw | Self::Native => "build",
        }
    }
}

/// Oldest version of glibc on which the addons load: that of RHEL 8 and Debian 10, and the oldest on which Node 24 runs.
pub(crate) const GLIBC: &str = "2.28";

/// All platforms.
pub(crate) const ALL: [Platform; 7] = [
    Platform {
        name: "linux-x64-gnu",
        triple: "x86_64-unknown-linux-gnu",
        trial: None,
        tool: Tool::Zig,
        has_engine: true,
    },
    Platform {
        name: "linux-arm64-gnu",
        triple: "aarch64-unknown-linux-gnu",
        trial: None,
        tool: Tool::Zig,
        has_engine: true,
    },
    Platform {
        name: "linux-x64-musl",
        triple: "x86_64-unknown-linux-musl",
        trial: None,
        tool: Tool::Zig,
        has_engine: true,
    },
    Platform {
        name: "linux-arm64-musl",
        triple: "aarch64-unknown-linux-musl",
        trial: None,
        tool: Tool::Zig,
        has_engine: true,
    },
    Platform {
        name: "darwin-x64",
        triple: "x86_64-apple-darwin",
        trial: Some(Target {
            triple: "x86_64-apple-darwin",
            tool: Tool::Zig,
        }),
        tool: Tool::Native,
        has_engine: true,
    },
    Platform {
        name: "darwin-arm64",
        triple: "aarch64-apple-darwin",
        trial: Some(Target {
            triple: "aarch64-apple-darwin",
            tool: Tool::Zig,
        }),
        tool: Tool::Native,
        has_engine: true,
    },
    Platform {
        name: "win32-x64",
        triple: "x86_64-pc-windows-msvc",
        trial: Some(Target {
            triple: "x86_64-pc-windows-gnu",
            tool: Tool::MinGw,
        }),
        tool: Tool::Native,
        has_engine: false,
    },
];

/// Returns the platform with a name.
pub(crate) fn of(name: &str) -> anyhow::Result<&'static Platform> {
    let found = ALL.iter().find(|platform| platform.name == name);
    found.with_context(|| {
        let names: Vec<&str> = ALL.iter().map(|platform| platform.name).collect();
        format!(
            "there is no platform `{name}`; the platforms are {}",
            names.join(", ")
        )
    })
}

/// Returns the name of the platform of this machine.
pub(crate) fn host() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let libc = if cfg!(target_env = "musl") {
        "-musl"
    } else if cfg!(all(target_os = "linux", target_env = "gnu")) {
        "-gnu"
    } else {
        ""
    };
    format!("{system}-{architecture}{libc}")
}

/// Returns the fields of `package.json` by which package managers install a package only on this platform.
pub(crate) fn fields(name: &str) -> Vec<(&'static str, String)> {
    let mut parts = name.split('-');
    let mut fields = Vec::new();
    for field in ["os", "cpu", "libc"] {
        if let Some(part) = parts.next() {
            // npm calls the GNU C library `glibc`.
            let value = if part == "gnu" { "glibc" } else { part };
            fields.push((field, value.to_owned()));
        }
    }
    fields
}

/// Target of Rust that a machine builds for a platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) triple: &'static str,
    pub(crate) tool: Tool,
}

impl Platform {
    /// Returns the target whose addons are published.
    pub(crate) fn published(&self) -> Target {
        Target {
            triple: self.triple,
            tool: self.tool,
        }
    }

    /// Returns the target with which this machine tries the platform: the published one, unless only machines with the platform can build
    /// the published one.
    pub(crate) fn tried(&self) -> Target {
        match self.trial {
            Some(target) if self.name != host() => target,
            _ => self.published(),
        }
    }

    /// Returns the file name of a library that cargo builds for the platform.
    pub(crate) fn library_file(&self, name: &str) -> String {
        if self.name.starts_with("win32") {
            format!("{name}.dll")
        } else if self.name.starts_with("darwin") {
            format!("lib{name}.dylib")
        } else {
            format!("lib{name}.so")
        }
    }

    /// Returns the reason why this machine cannot build the published addons. `None` if it can.
    pub(crate) fn missing(&self) -> Option<String> {
        self.missing_for(self.published())
    }

    /// Returns the reason why this machine cannot build a target of the platform. `None` if it can.
    pub(crate) fn missing_for(&self, target: Target) -> Option<String> {
        match target.tool {
            Tool::Native if self.name == host() => None,
            Tool::Native => Some(format!(
                "only a machine with this platform can build it; the workflow release.yml does (this machine is {})",
                host()
            )),
            Tool::Zig | Tool::MinGw => target.missing(),
        }
    }
}

impl Target {
    /// Prepares a cargo command for the target. The build script of napi links Windows addons of the GNU target with a library of Node.
    /// The addons find Node's functions when they are loaded (`dyn-symbols`), so empty libraries are enough.
    pub(crate) fn prepare(self, repository: &Repository, cargo: &mut Command) -> anyhow::Result<()> {
        if self.triple.ends_with("windows-gnu") {
            let directory = repository.target().join("libnode");
            std::fs::create_dir_all(&directory)
                .with_context(|| format!("cannot create {}", directory.display()))?;
            for (name, bytes) in [
                ("libnode.dll", ""),
                ("libnode.dll.a", "!<arch>\n"),
                ("libnode.a", "!<arch>\n"),
            ] {
                let path = directory.join(name);
                std::fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
            }
            cargo.env("LIBNODE_PATH", directory);
        }
        Ok(())
    }

    /// Returns the name of the target for the tool: with glibc, it contains the version of the library.
    pub(crate) fn name(self) -> String {
        if self.tool == Tool::Zig && self.triple.ends_with("linux-gnu") {
            format!("{}.{GLIBC}", self.triple)
        } else {
            self.triple.to_owned()
        }
    }

    fn missing(self) -> Option<String> {
        let has_target =
            installed_targets().is_ok_and(|targets| targets.iter().any(|one| one == self.triple));
        if !has_target {
            return Some(format!(
                "Rust for {} is not installed; run `rustup target add {}`",
                self.triple, self.triple
            ));
        }
        let (program, install) = match self.tool {
            Tool::MinGw => (
                "x86_64-w64-mingw32-gcc",
                "install Debian's `gcc-mingw-w64-x86-64-win32`",
            ),
            Tool::Zig | Tool::Native => ("cargo-zigbuild", "run `pip install cargo-zigbuild ziglang`"),
        };
        let started = Command::new(program)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if started.is_ok_and(|status| status.success()) {
            return None;
        }
        Some(format!("{program} is not installed; {install}"))
    }
}

/// Returns the targets for which Rust's standard library is installed.
fn installed_targets() -> anyhow::Result<Vec<String>> {
    let output = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .context("`rustc` could not be started")?;
    if !output.status.success() {
        bail!("`rustc --print sysroot` failed");
    }
    let root = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let list = std::path::Path::new(&root).join("lib/rustlib");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&list).with_context(|| format!("cannot list {}", list.display()))? {
        let entry = entry?;
        if entry.path().join("lib").is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::{ALL, fields, host, of};

    #[test]
    fn packages_of_a_platform_are_installed_only_there() {
        let of_linux = [("os", "linux"), ("cpu", "x64"), ("libc", "glibc")];
        assert_eq!(
            fields("linux-x64-gnu"),
            of_linux.map(|(field, value)| (field, value.to_owned()))
        );
        let of_mac = [("os", "darwin"), ("cpu", "arm64")];
        assert_eq!(
            fields("darwin-arm64"),
            of_mac.map(|(field, value)| (field, value.to_owned()))
        );
    }

    #[test]
    fn addons_for_glibc_are_linked_against_an_old_version() {
        assert_eq!(
            of("linux-arm64-gnu").unwrap().published().name(),
            "aarch64-unknown-linux-gnu.2.28"
        );
        assert_eq!(
            of("linux-x64-musl").unwrap().published().name(),
            "x86_64-unknown-linux-musl"
        );
        assert!(of("plan9-x64").unwrap_err().to_string().contains("win32-x64"));
    }

    #[test]
    fn platforms_that_linux_cannot_publish_are_tried_with_other_targets() {
        if !cfg!(target_os = "linux") {
            return;
        }
        let windows = of("win32-x64").unwrap();
        assert_eq!(windows.published().name(), "x86_64-pc-windows-msvc");
        assert!(windows.missing().unwrap().contains("release.yml"));
        assert_eq!(windows.tried().name(), "x86_64-pc-windows-gnu");
        let arm = of("linux-arm64-gnu").unwrap();
        assert_eq!(arm.tried(), arm.published());
    }

    #[test]
    fn libraries_have_the_names_that_the_system_uses() {
        for (name, file) in [
            ("linux-x64-gnu", "libkit.so"),
            ("darwin-x64", "libkit.dylib"),
            ("win32-x64", "kit.dll"),
        ] {
            assert_eq!(of(name).unwrap().library_file("kit"), file);
        }
    }

    /// The packages load addons by these names (`PLATFORMS` in `platform.ts`).
    #[test]
    fn platforms_are_those_that_the_packages_know() {
        let text = include_str!("../../packages/transform-native/src/platform.ts");
        let (_, list) = text.split_once("const PLATFORMS").unwrap();
        let (list, _) = list.split_once("];").unwrap();
        let mut known: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        let mut names: Vec<&str> = ALL.iter().map(|platform| platform.name).collect();
        known.sort_unstable();
        names.sort_unstable();
        assert_eq!(names, known);
        assert!(names.contains(&host().as_str()) || cfg!(not(target_os = "linux")));
    }
}
