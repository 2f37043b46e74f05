//! Files that plugins write: in the output directory beside kit's files, and outside of it if the plugin owns
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use globset::GlobBuilder;
use kit_diagnostics::codes;

use super::CodeLocation;
use super::PluginReports;
use super::messages::{AddedProjectFile, AfterValidators, Emit, File, Replaced};
use super::mistake::Mistake;
use crate::config::Plugin;
use crate::output::OutputFile;
use crate::{BuildError, disk};

/// A file that a plugin writes outside of the output directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectFile {
    /// Path of the file, relative to the project's root.
    pub(crate) path: String,
    text: String,
    /// True if the file is written only if it does not exist yet.
    only_if_missing: bool,
    /// Name of the plugin that wrote the file.
    plugin: String,
    /// Location of the plugin's call that added the file.
    at: Option<CodeLocation>,
}

/// Files that plugins add to a build or replace in it.
#[derive(Debug, Default)]
pub(crate) struct Additions {
    /// Texts with which plugins replace files of kit, by path.
    replaced: BTreeMap<String, String>,
    /// Files that plugins add to the output directory, by path: the text, and the name of the plugin.
    added: BTreeMap<String, (String, String)>,
    project: Vec<ProjectFile>,
}

/// Checks that a path does not leave its directory, and returns it without a leading `./`. `name` is
/// the name of the file in the error message.
pub(super) fn path_inside_directory(path: &str, name: &str) -> Result<String, Mistake> {
    let plain = path.strip_prefix("./").unwrap_or(path);
    let leaves = plain.starts_with('/')
        || plain.contains(['\\', ':', '\0'])
        || plain.split('/').any(|part| matches!(part, "" | "." | ".."));
    if leaves {
        let message = format!("{name} `{path}` leads out of its directory");
        return Err(
            Mistake::new(codes::PLUGIN_PATH, message).help("write a relative path with `/` and without `..`")
        );
    }
    Ok(plain.to_owned())
}

impl Additions {
    /// Applies the result of a plugin for the hook `afterValidators`. `made` are the paths of the files that
    /// kit generates.
    pub(super) fn validators(
        &mut self,
        plugin: &Plugin,
        made: &[String],
        answer: AfterValidators,
    ) -> Result<(), Mistake> {
        for call in answer.replaced {
            let at = call.at.clone();
            let replaced = call.read(
                "replaceValidator",
                "write `replaceValidator(\"Note\", \"export const NoteValidator = …\")`",
            )?;
            self.replace(made, replaced).map_err(|mistake| mistake.at(at))?;
        }
        for call in answer.added {
            let at = call.at.clone();
            let help = "write `addValidator({ path: \"Slug.validator.ts\", text: \"…\" })`";
            let file: File = call.read("addValidator", help)?;
            path_inside_directory(&file.path, "the validator")
                .and_then(|path| {
                    let path = format!("validators/{path}");
                    self.add(plugin, made, File { path, ..file })
                })
                .map_err(|mistake| mistake.at(at))?;
        }
        Ok(())
    }

    fn replace(&mut self, made: &[String], replaced: Replaced) -> Result<(), Mistake> {
        let name = &replaced.r#type;
        let path = format!("validators/{name}.validator.ts");
        if !made.contains(&path) {
            return Err(Mistake::new(
                codes::INVALID_PLUGIN_RESULT,
                format!("there is no validator of `{name}` to replace"),
            )
            .help("`validators` of the event lists the existing validators; `addValidator` adds a new validator"));
        }
        let export = format!("{name}Validator");
        if !kit_typescript::exports(&replaced.text, &export) {
            return Err(Mistake::new(
                codes::INVALID_PLUGIN_RESULT,
                format!(
                    "the new validator of `{name}` does not export `{export}`, but kit imports the validator by this name"
                ),
            )
            .help(format!(
                "write `export const {export} = …` with the same interface as the generated validator"
            )));
        }
        self.replaced.insert(path, replaced.text);
        Ok(())
    }

    /// Adds the files that a plugin returned for the hook `emit`. `made` are the paths of the files that kit
    /// generates.
    pub(super) fn emitted(&mut self, plugin: &Plugin, made: &[String], answer: Emit) -> Result<(), Mistake> {
        for call in answer.files {
            let at = call.at.clone();
            let file = call.read(
                "addFile",
                "write `addFile({ path: \"routes.txt\", text: \"…\" })`",
            )?;
            self.add(plugin, made, file).map_err(|mistake| mistake.at(at))?;
        }
        for call in answer.project_files {
            let at = call.at.clone();
            let help = "write `addProjectFile({ path: \"Cargo.toml\", text: \"# Generated by …\" })`";
            let file = call.read("addProjectFile", help)?;
            self.add_project_file(plugin, file, at.clone())
                .map_err(|mistake| mistake.at(at))?;
        }
        Ok(())
    }

    fn add(&mut self, plugin: &Plugin, made: &[String], file: File) -> Result<(), Mistake> {
        let path = path_inside_directory(&file.path, "the file")?;
        crate::output::check_path(&path)
            .map_err(|problem| Mistake::new(codes::PLUGIN_PATH, format!("the file `{path}` {problem}")))?;
        let taken = |message: String| Err(Mistake::new(codes::PLUGIN_FILE_CONFLICT, message));
        let folded = path.to_lowercase();
        if made.iter().any(|own| own.to_lowercase() == folded) {
            return taken(format!(
                "the file `{path}` has the same path as a file that kit generates"
            ));
        }
        let same = self
            .added
            .iter()
            .find(|(known, _)| known.to_lowercase() == folded);
        if let Some((_, (_, other))) = same {
            return taken(format!(
                "the plugin `{other}` has already added the file `{path}`"
            ));
        }
        self.added.insert(path, (file.text, plugin.name.clone()));
        Ok(())
    }

    fn add_project_file(
        &mut self,
        plugin: &Plugin,
        file: AddedProjectFile,
        at: Option<CodeLocation>,
    ) -> Result<(), Mistake> {
        let path = path_inside_directory(&file.path, "the project file")?;
        let refused = |message: String| Mistake::new(codes::PLUGIN_PATH, message);
        let foreign = path
            .split('/')
            .next()
            .is_some_and(|first| first.starts_with('.') || first == "node_modules");
        if foreign {
            return Err(refused(format!(
                "the project file `{path}` is in a directory that plugins may not write to"
            )));
        }
        let owned = plugin.owns.iter().any(|glob| {
            let glob = GlobBuilder::new(glob)
                .literal_separator(true)
                .backslash_escape(false)
                .build();
            glob.is_ok_and(|glob| glob.compile_matcher().is_match(&path))
        });
        if !owned {
            return Err(refused(format!(
                "the project file `{path}` is not in the plugin's `owns` list"
            ))
            .help(format!("give the plugin `owns: [\"{path}\"]`")));
        }
        let first = file.text.lines().next().unwrap_or_default();
        if !file.only_if_missing && !first.to_lowercase().contains("generated") {
            return Err(Mistake::new(
                codes::INVALID_PLUGIN_RESULT,
                format!("the first line of the project file `{path}` does not contain the word `generated`"),
            )
            .help("begin the text with a comment such as `# Generated by my-plugin`: the next build identifies the file by this line"));
        }
        if let Some(other) = self.project.iter().find(|other| other.path == path) {
            return Err(Mistake::new(
                codes::PLUGIN_FILE_CONFLICT,
                format!(
                    "the plugin `{}` has already added the project file `{path}`",
                    other.plugin
                ),
            ));
        }
        self.project.push(ProjectFile {
            path,
            text: file.text,
            only_if_missing: file.only_if_missing,
            plugin: plugin.name.clone(),
            at,
        });
        Ok(())
    }

    /// Returns the paths of kit's files that plugins replace.
    pub(crate) fn replaced(&self) -> BTreeSet<String> {
        self.replaced.keys().cloned().collect()
    }

    /// Changes the list of generated files: replaces texts, and adds the plugins' files.
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

    /// Returns the files outside of the output directory that do not exist or have another text there, sorted
    /// by path.
    pub(crate) fn pending(&self, root: &Path) -> Result<Vec<&ProjectFile>, BuildError> {
        let mut pending = Vec::new();
        for file in &self.project {
            let there = disk::read_optional(&root.join(&file.path))?;
            if there.is_none_or(|bytes| !file.only_if_missing && bytes != file.text.as_bytes()) {
                pending.push(file);
            }
        }
        pending.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(pending)
    }

    /// Reports files outside of the output directory that were not written by the plugin. Such a file has
    /// another first line than the new text.
    pub(super) fn refuse_foreign(
        &self,
        root: &Path,
        plugins: &[Plugin],
        reports: &mut PluginReports,
    ) -> Result<(), BuildError> {
        let first = |text: &str| text.lines().next().map(str::to_owned);
        for file in self.pending(root)? {
            let Some(bytes) = disk::read_optional(&root.join(&file.path))? else {
                continue;
            };
            if first(&String::from_utf8_lossy(&bytes)) == first(&file.text) {
                continue;
            }
            let message = format!(
                "the project file `{}` exists, and its first line does not say that the plugin generated it",
                file.path
            );
            let mistake = Mistake::new(codes::PLUGIN_FILE_CONFLICT, message)
                .help("move the file away, or delete it; with `onlyIfMissing`, kit keeps a file that exists")
                .at(file.at.clone());
            if let Some(plugin) = plugins.iter().find(|plugin| plugin.name == file.plugin) {
                reports.add_mistake(root, plugin, "emit", mistake);
            }
        }
        Ok(())
    }
}

impl ProjectFile {
    /// Writes the file in one step.
    pub(crate) fn write(&self, root: &Path) -> Result<(), BuildError> {
        crate::write_text(&root.join(&self.path), &self.text)
    }
}
