//! Source files that plugins add. They exist on the disk, or are virtual: only the build sees them.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_diagnostics::codes;
use kit_typescript::FileSystem;
use serde_json::Value;

use super::messages::{BeforeTransform, File, FunctionCall};
use super::mistake::Mistake;
use crate::globs::SourceFiles;

/// Virtual source files that plugins added.
#[derive(Debug, Clone, Default)]
pub(crate) struct AddedSources {
    virtual_files: BTreeMap<PathBuf, String>,
}

impl AddedSources {
    /// Adds the source files of one plugin. The error describes an invalid file.
    pub(super) fn add(
        &mut self,
        root: &Path,
        files: &dyn FileSystem,
        added: BeforeTransform,
        sources: &mut SourceFiles,
    ) -> Result<(), Mistake> {
        for (list, function, added) in [
            (&mut sources.types, "addTypes", added.types),
            (&mut sources.routes, "addRoutes", added.routes),
        ] {
            for call in added {
                let at = call.at.clone();
                let path = self
                    .source(root, files, function, call)
                    .map_err(|mistake| mistake.at(at))?;
                // The file may already be listed as a module of the application. It is removed there, so that it is
                // read only once.
                sources.entries.retain(|entry| *entry != path);
                list.push(path);
            }
            list.sort();
            list.dedup();
        }
        Ok(())
    }

    fn source(
        &mut self,
        root: &Path,
        files: &dyn FileSystem,
        function: &str,
        call: FunctionCall,
    ) -> Result<PathBuf, Mistake> {
        let (path, text) = match call.value {
            Value::String(path) => (path, None),
            value => {
                let help = format!(
                    "write `{function}({{ path: \"virtual/plan.types.ts\", text: \"…\" }})`, or give the path of a file"
                );
                let file: File = FunctionCall { value, ..call }.read(function, &help)?;
                (file.path, Some(file.text))
            }
        };
        let refused = |message: String| Err(Mistake::new(codes::PLUGIN_PATH, message));
        let full = root.join(super::files::path_inside_directory(&path, "the source")?);
        if !matches!(
            full.extension().and_then(|ending| ending.to_str()),
            Some("ts" | "mts" | "cts")
        ) {
            return refused(format!(
                "the source `{path}` is not TypeScript: its name must end in .ts, .mts or .cts"
            ));
        }
        match text {
            Some(_) if files.is_file(&full) => Err(Mistake::new(
                codes::PLUGIN_FILE_CONFLICT,
                format!("the virtual source `{path}` has the same path as a file of the project"),
            )
            .help("choose a path without a file, such as `virtual/plan.types.ts`")),
            Some(text) => match self.virtual_files.insert(full.clone(), text) {
                Some(_) => Err(Mistake::new(
                    codes::PLUGIN_FILE_CONFLICT,
                    format!("the virtual source `{path}` was added twice"),
                )),
                None => Ok(full),
            },
            None if files.is_file(&full) => Ok(full),
            None => refused(format!("there is no file `{path}` to add as a source")),
        }
    }

    /// Returns true if the file is virtual.
    pub(crate) fn is_virtual(&self, path: &Path) -> bool {
        self.virtual_files.contains_key(path)
    }

    /// Returns a file system that contains the files of `files` and the virtual files.
    pub(crate) fn with_virtual_files(&self, files: &Arc<dyn FileSystem>) -> Arc<dyn FileSystem> {
        if self.virtual_files.is_empty() {
            return Arc::clone(files);
        }
        Arc::new(Overlay {
            files: Arc::clone(files),
            virtual_files: self.virtual_files.clone(),
        })
    }
}

struct Overlay {
    files: Arc<dyn FileSystem>,
    virtual_files: BTreeMap<PathBuf, String>,
}

impl Overlay {
    /// Returns true if the directory or one of its subdirectories contains a virtual file.
    fn contains_virtual(&self, path: &Path) -> bool {
        self.virtual_files
            .keys()
            .any(|file| file.ancestors().skip(1).any(|above| above == path))
    }
}

impl FileSystem for Overlay {
    fn read(&self, path: &Path) -> io::Result<String> {
        match self.virtual_files.get(path) {
            Some(text) => Ok(text.clone()),
            None => self.files.read(path),
        }
    }

    fn is_file(&self, path: &Path) -> bool {
        self.virtual_files.contains_key(path) || self.files.is_file(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.files.is_dir(path) || self.contains_virtual(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let mut names = match self.files.list(path) {
            Ok(names) => names,
            Err(_) if self.contains_virtual(path) => Vec::new(),
            Err(error) => return Err(error),
        };
        let own = self
            .virtual_files
            .keys()
            .filter_map(|file| file.strip_prefix(path).ok());
        names.extend(own.filter_map(|rest| Some(rest.iter().next()?.to_string_lossy().into_owned())));
        names.sort();
        names.dedup();
        Ok(names)
    }

    fn stamp(&self, path: &Path) -> Option<u128> {
        (!self.virtual_files.contains_key(path))
            .then(|| self.files.stamp(path))
            .flatten()
    }

    fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        if self.virtual_files.contains_key(path) {
            return Ok(path.to_owned());
        }
        self.files.real_path(path)
    }

    fn declarations(&self, path: &Path) -> Option<String> {
        self.files.declarations(path)
    }
}
