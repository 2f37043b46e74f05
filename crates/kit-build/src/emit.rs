//! Generates the artifacts with the times in them. An artifact contains the time of the build that last changed it.

use std::collections::BTreeSet;

use kit_emit::{Artifact, EmitOptions, Emitter, emit_dated};
use kit_ir::Program;
use kit_router::RouteTree;

use crate::output::{OutputDirectory, OutputFile};
use crate::{BuildError, BuildTime, ResolvedConfig, contract_tests};

/// Files of single validators, by path in the output directory.
pub(crate) struct UsedValidators<'a> {
    /// Files that plugins replace.
    pub(crate) replaced: &'a BTreeSet<String>,
    /// Files that the project imports.
    pub(crate) imported: &'a BTreeSet<String>,
}

/// Returns all artifacts of `kit-emit` for the program. An artifact is first generated with the time in the
/// existing file. If the text is unchanged, the file keeps this time, otherwise the artifact gets the time of
/// this build.
pub(crate) fn artifacts(
    program: &Program,
    tree: &RouteTree,
    config: &ResolvedConfig,
    time: &BuildTime,
    output: &OutputDirectory,
    validators: &UsedValidators<'_>,
    emitter: &mut Emitter,
) -> Result<Vec<OutputFile>, BuildError> {
    let UsedValidators { replaced, imported } = validators;
    let now = time.iso();
    let kept: Vec<(&str, &str)> = if time.is_fixed() {
        Vec::new()
    } else {
        output.times().collect()
    };
    let mut files = Vec::new();
    let used: BTreeSet<String> = replaced.union(imported).cloned().collect();
    let options_of = |time: &str| options(program, config, time, replaced);
    for artifact in emitter.emit_used(program, tree, &options_of(&now), Some(&used)) {
        if !artifact.dated {
            files.push(file(artifact, None));
            continue;
        }
        let old = kept.iter().find(|(path, _)| *path == artifact.path);
        if let Some((path, old)) = old {
            let before = emit_dated(tree, &options_of(old));
            if let Some(before) = before.into_iter().find(|before| before.path == *path)
                && output.contains(path, &before.text)?
            {
                files.push(file(before, Some(old)));
                continue;
            }
        }
        files.push(file(artifact, Some(&now)));
    }
    Ok(files)
}

/// Returns the same files as [`artifacts`] for plugins: every file contains the time of this build, and validators
/// contain their code.
pub(crate) fn preview(
    program: &Program,
    tree: &RouteTree,
    config: &ResolvedConfig,
    time: &BuildTime,
    emitter: &mut Emitter,
) -> Vec<OutputFile> {
    let options = options(program, config, &time.iso(), &BTreeSet::new());
    let made = emitter.emit(program, tree, &options);
    let files = made.into_iter().map(|mut artifact| {
        if let Some(source) = &artifact.source {
            artifact.text = source.text().into();
        }
        file(artifact, None)
    });
    files.collect()
}

fn options(
    program: &Program,
    config: &ResolvedConfig,
    generated_at: &str,
    replaced: &BTreeSet<String>,
) -> EmitOptions {
    EmitOptions {
        generated_at: generated_at.to_owned(),
        output_dir_to_root: vec![".."; config.output_dir.split('/').count()].join("/"),
        title: config.project.name.clone(),
        version: config.project.version.clone(),
        about: config.project.api_info.clone(),
        openapi: config.openapi,
        client: config.project.has_client,
        replaced: replaced.clone(),
        tests: contract_tests(program, config).ok(),
    }
}

fn file(artifact: Artifact, generated_at: Option<&str>) -> OutputFile {
    OutputFile {
        path: artifact.path,
        text: artifact.text,
        generated_at: generated_at.map(str::to_owned),
    }
}
