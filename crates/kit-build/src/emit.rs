//! Artifacts with the right times in them: a file keeps the time of the build that last changed it.

use kit_emit::{Artifact, EmitOptions, emit};
use kit_ir::Program;
use kit_router::RouteTree;

use crate::output::{OutputDirectory, OutputFile};
use crate::{BuildError, BuildTime, ResolvedConfig};

/// All that `kit-emit` makes of the program. Emitting is pure, so the question "would this file be the same but for its
/// time?" is answered by emitting with the time that the file carries.
pub(crate) fn artifacts(
    program: &Program,
    tree: &RouteTree,
    config: &ResolvedConfig,
    time: &BuildTime,
    output: &OutputDirectory,
) -> Result<Vec<OutputFile>, BuildError> {
    let mut emitter = Emitter {
        program,
        tree,
        config,
        done: Vec::new(),
    };
    let now = time.iso();
    let kept: Vec<(&str, &str)> = if time.is_fixed() {
        Vec::new()
    } else {
        output.times().collect()
    };
    let first = kept.first().map_or(now.as_str(), |(_, time)| time).to_owned();
    let mut files = Vec::new();
    for artifact in emitter.at(&first) {
        if !artifact.text.contains(&first) {
            files.push(file(artifact, None));
            continue;
        }
        let path = artifact.path;
        let old = kept.iter().find(|(kept, _)| *kept == path).map(|(_, time)| *time);
        if let Some(old) = old {
            let as_before = emitter.one_at(&path, old);
            if output.holds(&path, &as_before.text)? {
                files.push(file(as_before, Some(old)));
                continue;
            }
        }
        files.push(file(emitter.one_at(&path, &now), Some(&now)));
    }
    Ok(files)
}

fn file(artifact: Artifact, generated_at: Option<&str>) -> OutputFile {
    OutputFile {
        path: artifact.path,
        text: artifact.text,
        generated_at: generated_at.map(str::to_owned),
    }
}

struct Emitter<'a> {
    program: &'a Program,
    tree: &'a RouteTree,
    config: &'a ResolvedConfig,
    /// By time. Nearly always one or two.
    done: Vec<(String, Vec<Artifact>)>,
}

impl Emitter<'_> {
    fn at(&mut self, generated_at: &str) -> Vec<Artifact> {
        if let Some((_, artifacts)) = self.done.iter().find(|(time, _)| time == generated_at) {
            return artifacts.clone();
        }
        let options = EmitOptions {
            generated_at: generated_at.to_owned(),
            output_dir_to_root: vec![".."; self.config.output_dir.split('/').count()].join("/"),
            title: self.config.project.name.clone(),
            version: self.config.project.version.clone(),
        };
        let artifacts = emit(self.program, self.tree, &options);
        self.done.push((generated_at.to_owned(), artifacts.clone()));
        artifacts
    }

    fn one_at(&mut self, path: &str, generated_at: &str) -> Artifact {
        self.at(generated_at)
            .into_iter()
            .find(|artifact| artifact.path == path)
            .expect("which artifacts there are does not depend on the time")
    }
}
