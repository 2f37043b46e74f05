//! Files that plugins make: in the output directory beside kit's own, and outside of it where the plugin owns them.

use std::collections::BTreeMap;
use std::path::Path;

use globset::GlobBuilder;

use super::Plugin;
use super::messages::{AfterValidators, Emit, File, Owned};
use crate::output::OutputFile;
use crate::{BuildError, disk};

/// A file outside of the output directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectFile {
    /// Relative to the root.
    pub(crate) path: String,
    text: String,
    /// Leave it as it is where it is there.
    only_if_missing: bool,
    /// Whose it is.
    plugin: String,
}

/// What plugins add to a build's output.
#[derive(Debug, Default)]
pub(crate) struct Additions {
    /// New texts of kit's own files, by path.
    replaced: BTreeMap<String, String>,
    /// New files with the plugin that made them, by path.
    added: BTreeMap<String, (String, String)>,
    project: Vec<ProjectFile>,
}

/// A path that stays in its directory; `what` names it in the message.
pub(super) fn within(path: &str, what: &str) -> Result<String, String> {
    let plain = path.strip_prefix("./").unwrap_or(path);
    let leaves = plain.starts_with('/')
        || plain.contains(['\\', ':', '\0'])
        || plain.split('/').any(|part| matches!(part, "" | "." | ".."));
    if leaves {
        return Err(format!(
            "{what} `{path}` must have a relative path with `/` that stays in its directory"
        ));
    }
    Ok(plain.to_owned())
}

impl Additions {
    /// Takes what a plugin does to validators. `made` are the paths of kit's own files.
    pub(super) fn validators(
        &mut self,
        plugin: &Plugin,
        made: &[String],
        answer: AfterValidators,
    ) -> Result<(), String> {
        for replaced in answer.replaced {
            let path = format!("validators/{}.validator.ts", replaced.r#type);
            if !made.contains(&path) {
                return Err(format!(
                    "there is no validator of `{}` to replace",
                    replaced.r#type
                ));
            }
            let export = format!("{}Validator", replaced.r#type);
            if !kit_typescript::exports(&replaced.text, &export) {
                return Err(format!(
                    "the new validator of `{}` does not export `{export}`, through which kit reaches it",
                    replaced.r#type
                ));
            }
            self.replaced.insert(path, replaced.text);
        }
        for file in answer.added {
            let path = within(&file.path, "the validator")?;
            self.add(
                plugin,
                made,
                File {
                    path: format!("validators/{path}"),
                    ..file
                },
            )?;
        }
        Ok(())
    }

    /// Takes the files that a plugin emits.
    pub(super) fn emitted(&mut self, plugin: &Plugin, made: &[String], answer: Emit) -> Result<(), String> {
        for file in answer.files {
            self.add(plugin, made, file)?;
        }
        for file in answer.project_files {
            self.own(plugin, file)?;
        }
        Ok(())
    }

    fn add(&mut self, plugin: &Plugin, made: &[String], file: File) -> Result<(), String> {
        let path = within(&file.path, "the file")?;
        crate::output::check_path(&path).map_err(|problem| format!("the file `{path}` {problem}"))?;
        let folded = path.to_lowercase();
        if made.iter().any(|own| own.to_lowercase() == folded) {
            return Err(format!("the file `{path}` is one of kit's own"));
        }
        let same = self
            .added
            .iter()
            .find(|(known, _)| known.to_lowercase() == folded);
        if let Some((_, (_, other))) = same {
            return Err(format!("the file `{path}` was added by `{other}` already"));
        }
        self.added.insert(path, (file.text, plugin.name.clone()));
        Ok(())
    }

    fn own(&mut self, plugin: &Plugin, file: Owned) -> Result<(), String> {
        let path = within(&file.path, "the project file")?;
        let foreign = path
            .split('/')
            .next()
            .is_some_and(|first| first.starts_with('.') || first == "node_modules");
        if foreign {
            return Err(format!(
                "the project file `{path}` lies where no plugin may write"
            ));
        }
        let owned = plugin.owns.iter().any(|glob| {
            let glob = GlobBuilder::new(glob)
                .literal_separator(true)
                .backslash_escape(false)
                .build();
            glob.is_ok_and(|glob| glob.compile_matcher().is_match(&path))
        });
        if !owned {
            return Err(format!(
                "the project file `{path}` is not among the files that the plugin says it `owns`"
            ));
        }
        let first = file.text.lines().next().unwrap_or_default();
        if !file.only_if_missing && !first.to_lowercase().contains("generated") {
            return Err(format!(
                "the first line of the project file `{path}` must say that it is generated, so that the next build knows it again"
            ));
        }
        if let Some(other) = self.project.iter().find(|other| other.path == path) {
            return Err(format!(
                "the project file `{path}` was added by `{}` already",
                other.plugin
            ));
        }
        self.project.push(ProjectFile {
            path,
            text: file.text,
            only_if_missing: file.only_if_missing,
            plugin: plugin.name.clone(),
        });
        Ok(())
    }

    /// Puts what was added among kit's own files, and replaces what was replaced.
    pub(crate) fn apply(&self, files: &mut Vec<OutputFile>) {
        for file in files.iter_mut() {
            if let Some(text) = self.replaced.get(&file.path) {
                file.text = text.clone().into();
            }
        }
        files.extend(self.added.iter().map(|(path, (text, _))| OutputFile {
            path: path.clone(),
            text: text.clone().into(),
            generated_at: None,
        }));
    }

    /// The files outside of the output directory whose bytes are to change, sorted. One that somebody else wrote is an error.
    pub(crate) fn pending(&self, root: &Path) -> Result<Vec<&ProjectFile>, BuildError> {
        let mut pending = Vec::new();
        for file in &self.project {
            match disk::read_if_there(&root.join(&file.path))? {
                None => pending.push(file),
                Some(bytes) if file.only_if_missing || bytes == file.text.as_bytes() => {}
                Some(bytes) => {
                    let first = |text: &str| text.lines().next().map(str::to_owned);
                    if first(&String::from_utf8_lossy(&bytes)) != first(&file.text) {
                        return Err(BuildError::Plugin {
                            plugin: file.plugin.clone(),
                            hook: "emit",
                            message: format!(
                                "{} is there, and its first line does not say that the plugin made it; move it away, or delete it",
                                file.path
                            ),
                        });
                    }
                    pending.push(file);
                }
            }
        }
        pending.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(pending)
    }
}

impl ProjectFile {
    /// Writes it, in one step.
    pub(crate) fn write(&self, root: &Path) -> Result<(), BuildError> {
        crate::write_text(&root.join(&self.path), &self.text)
    }
}
