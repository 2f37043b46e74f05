//! Runs the project's own compiler after the artifacts are written, and reports its errors.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

use kit_build::{Compiler, ResolvedConfig, Uncompiled};

use crate::console::Console;
use crate::context::Context;
use crate::entry;
use crate::failure::{CommandError, Problem, Reason};
use crate::project::Project;
use crate::tsconfig::NoOutput;
use crate::{Stream, compiler_errors, tsconfig};

/// Result of a compiler that succeeded.
pub(crate) struct Compiled {
    pub(crate) compiler: Compiler,
    pub(crate) took: Duration,
}

/// Reason why no compiler runs, although the configuration does not set `compiler`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotCompiled {
    /// tsc is not in `node_modules`.
    NotInstalled,
    /// tsconfig.json is missing or makes tsc write no JavaScript.
    NoOutput(NoOutput),
}

impl NotCompiled {
    /// Returns the reason as text.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::NotInstalled => "typescript is not installed",
            Self::NoOutput(NoOutput::NoSettings) => "there is no tsconfig.json",
            Self::NoOutput(NoOutput::NoEmit) => {
                "tsconfig.json has `noEmit`, so the app runs from its sources"
            }
            Self::NoOutput(NoOutput::DeclarationsOnly) => "tsconfig.json has `emitDeclarationOnly`",
        }
    }
}

/// Compiles the project into its `distDir`. Returns a reason if no compiler runs, because the configuration
/// sets no compiler and tsconfig.json makes tsc write no JavaScript. The project then runs from its
/// TypeScript sources.
pub(crate) fn compile(
    project: &Project,
    context: &Context<'_>,
) -> Result<Result<Compiled, NotCompiled>, CommandError> {
    let (config, console) = (&project.config, context.console);
    let compiler = config.compiler;
    let Some(program) = find(&project.root, compiler.name()) else {
        return if config.is_compiler_configured {
            Err(missing(project))
        } else {
            Ok(Err(NotCompiled::NotInstalled))
        };
    };
    if let (false, Err(reason)) = (
        config.is_compiler_configured,
        tsconfig::check_emits(&project.root),
    ) {
        return Ok(Err(NotCompiled::NoOutput(reason)));
    }
    let program = tsup_node(project).unwrap_or(program);
    let pretty = !console.is_json() && console.colors(Stream::Err);
    let args = arguments(project, pretty)?;
    let start = Instant::now();
    let output = context
        .environment
        .output(&program, &args, &project.root)
        .map_err(|error| {
            let program = program.display();
            Problem::build("compile", format!("{program} could not be started: {error}"))
                .help("reinstall the project's packages with `npm install`")
        })?;
    let text = output_text(&output);
    if !output.status.success() {
        return Err(failed(compiler, &output, &text, console));
    }
    copy_uncompiled(project)?;
    // Warnings of the compiler, and progress messages of a bundler.
    if !text.is_empty() && !console.is_json() {
        console.note(text.trim_end());
    }
    Ok(Ok(Compiled {
        compiler,
        took: start.elapsed(),
    }))
}

/// Copies the files of the output directory that the compiler left out beside the code that the compiler made from it: tsc
/// compiles only TypeScript, and none of the compilers copies JSON. Copies nothing if the compiler did not compile the output
/// directory.
fn copy_uncompiled(project: &Project) -> Result<(), CommandError> {
    let config = &project.config;
    let mut outputs = directories(config);
    outputs.push(config.dist_dir.clone());
    let files = if config.compiler == Compiler::Tsc {
        outputs.extend(tsconfig::out_dir(&project.root));
        Uncompiled::JavaScriptAndJson
    } else {
        Uncompiled::Json
    };
    for output in outputs {
        // `rootDir` may be a directory above the project. Then the output repeats the path from there to the project.
        for above in project.root.ancestors() {
            let Ok(inner) = project.root.strip_prefix(above) else {
                continue;
            };
            let compiled = project.root.join(&output).join(inner).join(&config.output_dir);
            if compiled.join("routes/index.js").is_file() {
                kit_build::copy_uncompiled(&project.root.join(&config.output_dir), &compiled, files)?;
                break;
            }
        }
    }
    Ok(())
}

/// Returns the directories that the arguments of the compiler name as output, such as `--outDir build`, relative to the root.
/// `distDir` is not included.
pub(crate) fn directories(config: &ResolvedConfig) -> Vec<String> {
    let names = ["--outDir", "--out-dir", "-d", "--declarationDir"];
    let mut found = Vec::new();
    let mut before = "";
    for argument in &config.compiler_args {
        let given = match argument.split_once('=') {
            Some((name, value)) if names.contains(&name) => Some(value),
            _ if names.contains(&before) => Some(argument.as_str()),
            _ => None,
        };
        if let Some(path) = given {
            found.push(path.trim_start_matches("./").trim_end_matches('/').to_owned());
        }
        before = argument;
    }
    found
}

/// Returns the path of a program in `node_modules/.bin` of the project or of a parent directory. npm scripts find programs in
/// the same way.
pub(crate) fn find(root: &Path, program: &str) -> Option<PathBuf> {
    let name = if cfg!(windows) {
        format!("{program}.cmd")
    } else {
        program.to_owned()
    };
    root.ancestors()
        .map(|directory| directory.join("node_modules/.bin").join(&name))
        .find(|path| path.exists())
}

/// Returns true if the project uses tsup without configuring it, so that kit must name the files to bundle.
fn is_bare_tsup(project: &Project) -> bool {
    let config = &project.config;
    config.compiler == Compiler::Tsup && config.compiler_args.is_empty() && !has_tsup_config(&project.root)
}

/// Returns the program `tsup-node`, which does not bundle packages. `tsup` itself would bundle development
/// dependencies. One of them is the embedded database, which does not work in a bundle.
fn tsup_node(project: &Project) -> Option<PathBuf> {
    is_bare_tsup(project)
        .then(|| find(&project.root, "tsup-node"))
        .flatten()
}

fn missing(project: &Project) -> CommandError {
    let compiler = project.config.compiler;
    let packages = match compiler {
        Compiler::Tsc => "typescript",
        Compiler::Tsup => "tsup typescript",
        Compiler::Swc => "@swc/cli @swc/core",
    };
    let message = format!(
        "the project's compiler, `{}`, is not installed: there is no node_modules/.bin/{} in {} or above it",
        compiler.name(),
        compiler.name(),
        project.root.display(),
    );
    Problem::build("compile", message)
        .help(&format!(
            "install the compiler with `npm install --save-dev {packages}`, or build without a compiler: `kit build --no-compile`"
        ))
        .into()
}

/// Returns the arguments of the compiler: the arguments of the configuration, and the arguments that kit
/// adds.
fn arguments(project: &Project, pretty: bool) -> Result<Vec<String>, CommandError> {
    let ResolvedConfig {
        compiler,
        compiler_args: given,
        dist_dir,
        output_dir,
        ..
    } = &project.config;
    let says = |names: &[&str]| {
        given.iter().any(|argument| {
            names
                .iter()
                .any(|name| argument == name || argument.starts_with(&format!("{name}=")))
        })
    };
    let mut args: Vec<String> = Vec::new();
    let mut add = |words: &[&str]| args.extend(words.iter().map(ToString::to_string));
    match compiler {
        Compiler::Tsc => {
            let is_build_mode = says(&["-b", "--build"]);
            // tsc requires `--build` as the first argument.
            if !is_build_mode {
                if !says(&["-p", "--project"]) {
                    add(&["-p", "."]);
                }
                if !says(&["--outDir"]) {
                    add(&["--outDir", dist_dir]);
                }
            }
        }
        Compiler::Tsup => {
            if is_bare_tsup(project) {
                let entry = entry::find(&project.root, None)?;
                // The bundler must include the artifacts explicitly, because the application imports them by a computed path.
                let made = format!("{output_dir}/routes/index.ts");
                add(&[&entry, &made]);
                let environment = format!("{output_dir}/environment.ts");
                if project.root.join(&environment).is_file() {
                    add(&[&environment]);
                }
                add(&["--format", "esm"]);
            }
            if !says(&["-d", "--out-dir"]) {
                add(&["--out-dir", dist_dir]);
            }
        }
        Compiler::Swc => {
            if given.first().is_none_or(|first| first.starts_with('-')) {
                add(&["src", output_dir]);
            }
            // swc skips directories with a leading dot, such as that of the artifacts. The second option is needed because
            // sources import files with `.ts`.
            if !says(&["--include-dotfiles"]) {
                add(&["--include-dotfiles"]);
            }
            let rewrite = "jsc.rewriteRelativeImportExtensions";
            if !given.iter().any(|argument| argument.contains(rewrite)) {
                add(&["--config", &format!("{rewrite}=true")]);
            }
            // swc's default target is older than JavaScript's classes.
            let configured = says(&["--config-file"]) || project.root.join(".swcrc").exists();
            if !configured && !given.iter().any(|argument| argument.contains("jsc.target")) {
                add(&["--config", "jsc.target=es2024"]);
            }
            if !says(&["-d", "--out-dir"]) {
                add(&["--out-dir", dist_dir]);
            }
        }
    }
    if *compiler == Compiler::Swc && given.first().is_some_and(|first| !first.starts_with('-')) {
        // The arguments of the configuration start with the source directories, which must come first.
        args.splice(0..0, given.iter().cloned());
    } else {
        args.extend(given.iter().cloned());
    }
    if *compiler == Compiler::Tsc && !says(&["--pretty"]) {
        args.extend(["--pretty".to_owned(), pretty.to_string()]);
    }
    Ok(args)
}

fn has_tsup_config(root: &Path) -> bool {
    ["ts", "mts", "js", "mjs", "cjs", "json"]
        .iter()
        .any(|ending| root.join(format!("tsup.config.{ending}")).exists())
}

/// Returns the messages of a compiler from standard output and standard error.
pub(crate) fn output_text(output: &Output) -> String {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    text
}

fn failed(compiler: Compiler, output: &Output, text: &str, console: &Console<'_>) -> CommandError {
    let name = compiler.name();
    let mut end = format!("`{name}` failed ({})", output.status);
    if console.is_json() {
        let mut reasons = compiler_errors::read(compiler, text);
        if reasons.is_empty() {
            if !text.trim().is_empty() {
                let _ = write!(end, ":\n{}", text.trim());
            }
            reasons.push(Reason::new(end));
        }
        return Problem::compile(reasons).into();
    }
    if !text.trim().is_empty() {
        console.note(text.trim_end());
    }
    end.push_str("; kit wrote the artifacts, but the code is not compiled");
    Problem::compile(vec![Reason::new(end)]).into()
}

#[cfg(test)]
mod tests {
    use kit_build::ResolvedConfig;

    use super::directories;

    #[test]
    fn finds_the_output_directories_in_the_arguments_of_a_compiler() {
        let args = ["-p", ".", "--outDir", "./build/", "--declarationDir=types"];
        let config = ResolvedConfig {
            compiler_args: args.map(str::to_owned).to_vec(),
            ..ResolvedConfig::default()
        };
        assert_eq!(directories(&config), ["build", "types"]);
    }
}
