//! `cargo xtask pack`: packs the packages in the form that users install, each as one `.tgz`.
//!
//! In this repository, packages run from their TypeScript sources. Node does not run TypeScript below `node_modules`,
//! so a packed package contains JavaScript and type declarations, and its manifest points to them: one file for each
//! entry of the manifest (`pack/bundle.ts`). An addon has a separate package for each platform.

mod manifest;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use crate::addons::Addon;
use crate::repository::Repository;
use crate::sbom::crates::Graph;
use crate::{addons, dashboard, notices, optimized, platforms, run, sbom, toolchain, viewer};
use manifest::Manifest;

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Directory of the archives; created if it is missing.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Use the addons that are in packages/*/native, without building them.
    #[arg(long)]
    no_build: bool,
}

/// A package of the repository.
struct Package {
    /// Name of its directory under `packages/`.
    directory: String,
    manifest: Manifest,
}

impl Package {
    /// Returns true if the package has code to compile. Otherwise, it has only programs that call other packages.
    fn has_sources(&self, repository: &Repository) -> bool {
        repository
            .path("packages")
            .join(&self.directory)
            .join("src")
            .is_dir()
    }
}

pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    toolchain::install(repository)?;
    viewer::install(repository)?;
    if !options.no_build {
        addons::build(repository, addons::Build::Release)?;
    }
    if options.no_build {
        for package in packages(repository)? {
            let Some(addon) = addons::of(&package.directory) else {
                continue;
            };
            let placed = addon.placed(repository);
            let named = optimized::named(repository, &placed)?;
            if !named.is_empty() {
                eprintln!(
                    "warning: {} contains the directory names {}, so it must not be published; build it with `cargo xtask addons`",
                    placed.display(),
                    named.join(" and ")
                );
            }
        }
    }
    let archives = make(repository, &options.out)?;
    for Packed { file, bytes, .. } in &archives {
        println!("{:>9}  {file}", kibibytes(*bytes));
    }
    println!(
        "{:>9}  {} packages in {}",
        kibibytes(archives.iter().map(|archive| archive.bytes).sum()),
        archives.len(),
        options.out.display()
    );
    Ok(ExitCode::SUCCESS)
}

/// Writes all archives into a directory. Uses the addons that are already built.
pub(crate) fn make(repository: &Repository, out: &Path) -> anyhow::Result<Vec<Packed>> {
    dashboard::build(repository)?;
    let packages = packages(repository)?;
    // This directory is inside of the repository, so that tsc finds the packages in `node_modules`.
    let staging = repository.path("target/pack");
    if staging.exists() {
        std::fs::remove_dir_all(&staging).with_context(|| format!("cannot empty {}", staging.display()))?;
    }
    let mut graphs = Graphs::default();
    let mut staged = Vec::new();
    for package in &packages {
        let directory = staging.join(&package.directory);
        stage(repository, package, &directory)?;
        if package.has_sources(repository) {
            declare(repository, package, &packages, &staging)?;
            bundle(repository, package, &directory)?;
        }
        let mut manifest = package.manifest.published()?.with_addresses(&package.directory);
        if let Some(addon) = addons::of(&package.directory) {
            for platform in platforms_with(repository, addon) {
                let name = format!("{}-{platform}", package.manifest.name());
                let target = staging.join(format!("{}-{platform}", package.directory));
                let graph = graphs.of(repository, &platform)?;
                let notices = notices::of_addon(repository, graph, &addon.crate_name())?;
                stage_addon(repository, package, addon, &platform, &notices, &target)?;
                manifest.add_optional(&name, package.manifest.version());
                staged.push(target);
            }
        }
        manifest.write(&directory)?;
        check(&manifest, &directory)?;
        staged.push(directory);
    }
    std::fs::create_dir_all(out).with_context(|| format!("cannot create {}", out.display()))?;
    let out = out.canonicalize()?;
    staged
        .iter()
        .map(|directory| npm_pack(repository, directory, &out))
        .collect()
}

fn kibibytes(bytes: u64) -> String {
    format!("{} KiB", bytes.div_ceil(1024))
}

/// Returns all packages in an order in which each comes after its dependencies.
fn packages(repository: &Repository) -> anyhow::Result<Vec<Package>> {
    let mut open: BTreeMap<String, Package> = BTreeMap::new();
    for entry in std::fs::read_dir(repository.path("packages"))? {
        let entry = entry?;
        if !entry.path().join("package.json").is_file() {
            continue;
        }
        let manifest = Manifest::read(&entry.path())?;
        if !manifest.is_private() {
            let directory = entry.file_name().to_string_lossy().into_owned();
            open.insert(manifest.name().to_owned(), Package { directory, manifest });
        }
    }
    let mut sorted = Vec::new();
    while !open.is_empty() {
        let ready: Vec<String> = open
            .iter()
            .filter(|(_, package)| {
                let mut needs = package.manifest.needs();
                needs.all(|name| !open.contains_key(name))
            })
            .map(|(name, _)| name.clone())
            .collect();
        if ready.is_empty() {
            let names: Vec<&String> = open.keys().collect();
            bail!("these packages depend on each other in a circle: {names:?}");
        }
        sorted.extend(ready.iter().filter_map(|name| open.remove(name)));
    }
    Ok(sorted)
}

/// Copies the sources of a package, and the files that are published without compilation.
fn stage(repository: &Repository, package: &Package, directory: &Path) -> anyhow::Result<()> {
    let source = repository.path("packages").join(&package.directory);
    std::fs::create_dir_all(directory)?;
    if package.has_sources(repository) {
        copy_tree(&source.join("src"), &directory.join("src"))?;
    }
    if source.join("bin").is_dir() {
        copy_tree(&source.join("bin"), &directory.join("bin"))?;
    }
    // These files are read by the running package, for example to serve them to a browser.
    for data in manifest::DATA_DIRECTORIES {
        if source.join(data).is_dir() {
            copy_tree(&source.join(data), &directory.join(data))?;
        }
    }
    for file in package.manifest.data() {
        std::fs::copy(source.join(file), directory.join(file)).with_context(|| {
            format!(
                "{} exports {file}, which cannot be copied",
                package.manifest.name()
            )
        })?;
    }
    let readme = source.join("README.md");
    std::fs::copy(&readme, directory.join("README.md")).with_context(|| {
        format!(
            "{} cannot be copied; each package needs it, because npm shows it as the page of the package",
            readme.display()
        )
    })?;
    std::fs::copy(repository.path("LICENSE"), directory.join("LICENSE"))?;
    Ok(())
}

/// Writes the type declarations of a package. The declarations may refer to the declarations of the packages
/// before this package.
fn declare(
    repository: &Repository,
    package: &Package,
    packages: &[Package],
    staging: &Path,
) -> anyhow::Result<()> {
    let directory = staging.join(&package.directory);
    let mut paths = serde_json::Map::new();
    for other in packages {
        for (specifier, types) in other.manifest.declarations()? {
            let file = staging.join(&other.directory).join(types);
            paths.insert(specifier, json!([file]));
        }
    }
    let config = json!({
        "extends": repository.path("tsconfig.base.json"),
        "compilerOptions": {
            "noEmit": false,
            "emitDeclarationOnly": true,
            "rewriteRelativeImportExtensions": true,
            "rootDir": "src",
            "outDir": "dist",
            "paths": paths,
        },
        "include": ["src/**/*.ts"],
    });
    std::fs::write(directory.join("tsconfig.json"), config.to_string())?;
    let mut tsc = run::command(repository, "tsc")?;
    tsc.arg("-p").arg(&directory);
    run::step(&format!("declarations of {}", package.manifest.name()), tsc)?;
    Ok(())
}

/// Compiles the sources of a package to JavaScript, with one file for each entry: Node takes time for each module
/// that it loads, whatever its size.
fn bundle(repository: &Repository, package: &Package, directory: &Path) -> anyhow::Result<()> {
    package.manifest.write(directory)?;
    let mut node = run::command(repository, "node")?;
    node.arg(repository.path("xtask/src/pack/bundle.ts"))
        .arg(directory);
    run::step(&format!("code of {}", package.manifest.name()), node)?;
    Ok(())
}

/// The crates of the addons of each platform. Reading them takes a second.
#[derive(Default)]
struct Graphs(BTreeMap<String, Graph>);

impl Graphs {
    fn of(&mut self, repository: &Repository, platform: &str) -> anyhow::Result<&Graph> {
        let entry = match self.0.entry(platform.to_owned()) {
            Entry::Occupied(entry) => return Ok(entry.into_mut()),
            Entry::Vacant(entry) => entry,
        };
        let graph = if platform == platforms::host() {
            Graph::read(repository, &sbom::ADDON_CRATES)?
        } else {
            let triple = platforms::of(platform)?.triple;
            Graph::read_for(repository, &sbom::ADDON_CRATES, triple)?
        };
        Ok(entry.insert(graph))
    }
}

/// Returns the platforms whose addons are built. An addon of this machine must be, and those of others may be.
fn platforms_with(repository: &Repository, addon: &Addon) -> Vec<String> {
    let host = platforms::host();
    let mut found: Vec<String> = platforms::ALL
        .iter()
        .map(|platform| platform.name.to_owned())
        .filter(|name| *name != host && addon.placed_for(repository, name).is_file())
        .collect();
    found.push(host);
    found.sort();
    found
}

/// Creates the package with the addon of a platform.
fn stage_addon(
    repository: &Repository,
    package: &Package,
    addon: &Addon,
    platform: &str,
    notices: &str,
    directory: &Path,
) -> anyhow::Result<()> {
    let name = format!("{}-{platform}", package.manifest.name());
    let placed = addon.placed_for(repository, platform);
    std::fs::create_dir_all(directory)?;
    let file = placed
        .file_name()
        .context("the path of an addon has no file name")?
        .to_string_lossy()
        .into_owned();
    std::fs::copy(&placed, directory.join(&file))
        .with_context(|| format!("cannot copy {}", placed.display()))?;
    std::fs::copy(repository.path("LICENSE"), directory.join("LICENSE"))?;
    std::fs::write(directory.join(notices::FILE), notices)?;
    let of = package.manifest.name();
    std::fs::write(
        directory.join("README.md"),
        format!(
            "# {name}\n\nThe native addon of [{of}](../{}) for one platform. It is installed with that package; nothing imports it by itself.\n",
            package.directory
        ),
    )?;
    let fields = platforms::fields(platform);
    Manifest::of_addon(&package.manifest, &name, &[&file, notices::FILE], &fields)
        .with_addresses(&package.directory)
        .write(directory)
}

/// Fails if a file that the manifest points to does not exist.
fn check(manifest: &Manifest, directory: &Path) -> anyhow::Result<()> {
    for target in manifest.targets() {
        if !directory.join(&target).is_file() {
            bail!(
                "the manifest of {} refers to {target}, which does not exist",
                manifest.name()
            );
        }
    }
    Ok(())
}

/// A packed package.
pub(crate) struct Packed {
    /// Name of the package.
    pub(crate) name: String,
    /// File name of the archive.
    pub(crate) file: String,
    /// Size of the archive.
    pub(crate) bytes: u64,
    /// True if other packages import code with types from it.
    pub(crate) has_types: bool,
}

fn npm_pack(repository: &Repository, directory: &Path, out: &Path) -> anyhow::Result<Packed> {
    let mut npm = run::command(repository, "npm")?;
    npm.args(["pack", "--json", "--ignore-scripts", "--pack-destination"])
        .arg(out)
        .current_dir(directory);
    let output = npm.output().context("npm could not be started")?;
    if !output.status.success() {
        bail!(
            "`npm pack` failed in {}:\n{}",
            directory.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let report: Value =
        serde_json::from_slice(&output.stdout).context("the output of `npm pack --json` is not JSON")?;
    // npm prints a list of packages, or in other versions an object with packages by their names.
    let packed = match &report {
        Value::Array(list) => list.first(),
        Value::Object(map) if map.contains_key("filename") => Some(&report),
        Value::Object(map) => map.values().next(),
        _ => None,
    };
    let packed = packed.context("the output of `npm pack --json` does not contain the package")?;
    for file in packed["files"].as_array().into_iter().flatten() {
        let path = file["path"].as_str().unwrap_or_default();
        let extension = Path::new(path)
            .extension()
            .and_then(|extension| extension.to_str());
        if extension == Some("ts") && !path.ends_with(".d.ts") {
            bail!(
                "{} would contain {path}, which Node cannot run in an installed package",
                directory.display()
            );
        }
    }
    let name = packed["filename"]
        .as_str()
        .context("the output of `npm pack --json` does not contain the name of the file")?;
    // Some versions of npm print the name with `@` and `/`, which file names do not have.
    let file = name.replace('@', "").replace('/', "-");
    let bytes = std::fs::metadata(out.join(&file))
        .with_context(|| format!("npm did not write {file}"))?
        .len();
    let manifest = Manifest::read(directory)?;
    Ok(Packed {
        name: manifest.name().to_owned(),
        file,
        bytes,
        has_types: manifest.has_exports(),
    })
}

/// Copies a directory with all that is in it.
pub(crate) fn copy_tree(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
