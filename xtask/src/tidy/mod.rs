//! `cargo xtask tidy`: rules that no other tool checks. Each rule is a function that receives all files and returns a
//! list of problems. Each problem has a location, a description and advice.

mod architecture;
mod circles;
mod examples;
mod files;
pub(crate) mod llms;
mod lock;
mod manifests;
mod prose;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::repository::Repository;
use crate::run;

/// All text files of the repository that are tracked or new.
pub(crate) struct Tree {
    files: Vec<TextFile>,
}

/// A text file. Its path is relative to the root of the repository, with `/` between its parts.
pub(crate) struct TextFile {
    path: String,
    text: String,
}

/// Prints the problems.
pub(crate) fn run(repository: &Repository) -> anyhow::Result<ExitCode> {
    let problems = problems(repository)?;
    for problem in &problems {
        println!("{problem}");
    }
    if problems.is_empty() {
        println!("tidy");
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("{} problems", problems.len());
    Ok(ExitCode::FAILURE)
}

/// Returns the problems that all rules report, in the order of the rules.
pub(crate) fn problems(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let tree = Tree::read(repository)?;
    let rules: [fn(&Tree) -> Vec<String>; 19] = [
        architecture::crates_follow_the_table,
        architecture::packages_follow_the_table,
        architecture::named_paths_exist,
        circles::folders_have_no_circles,
        circles::modules_have_no_circles,
        examples::public_functions_have_examples,
        examples::public_functions_of_crates_have_examples,
        files::crates_begin_with_documentation,
        files::files_are_short,
        files::test_files_are_modules,
        files::unsafe_code_is_in_one_module,
        files::no_code_is_unfinished,
        files::no_registry_host_is_named,
        manifests::crates_take_versions_from_the_workspace,
        manifests::packages_pin_their_dependencies,
        llms::llms_txt_is_current,
        prose::prose_is_plain,
        lock::entries_can_be_checked,
        lock::licences_are_allowed,
    ];
    Ok(rules.into_iter().flat_map(|rule| rule(&tree)).collect())
}

/// Writes `llms.txt`.
pub(crate) fn write_llms(repository: &Repository) -> anyhow::Result<ExitCode> {
    let text = llms::text(&Tree::read(repository)?);
    std::fs::write(repository.path(llms::PATH), text)
        .with_context(|| format!("{} cannot be written", llms::PATH))?;
    Ok(ExitCode::SUCCESS)
}

impl Tree {
    fn read(repository: &Repository) -> anyhow::Result<Self> {
        let mut git = run::command(repository, "git")?;
        git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let output = git
            .output()
            .context("`git` could not be started; tidy reads the list of files from it")?;
        if !output.status.success() {
            bail!(
                "`git ls-files` failed: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        let mut paths: Vec<String> = String::from_utf8_lossy(&output.stdout)
            .split('\0')
            .filter(|path| !path.is_empty())
            .map(str::to_owned)
            .collect();
        paths.sort();
        paths.dedup();
        let files = paths
            .into_iter()
            .filter_map(|path| {
                // A file that was deleted and is still tracked, or that is not text, is skipped.
                let text = std::fs::read_to_string(repository.path(PathBuf::from(&path))).ok()?;
                Some(TextFile { path, text })
            })
            .collect();
        Ok(Self { files })
    }

    /// Returns the files whose path begins with `start` and ends with `end`.
    pub(crate) fn matching<'a>(&'a self, start: &'a str, end: &'a str) -> impl Iterator<Item = &'a TextFile> {
        self.files
            .iter()
            .filter(move |file| file.path.starts_with(start) && file.path.ends_with(end))
    }

    /// Returns the content of a file. Returns `None` if there is no such file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files
            .iter()
            .find(|file| file.path == path)
            .map(|file| file.text.as_str())
    }

    /// Returns true if a file or a directory with this path exists.
    pub(crate) fn exists(&self, path: &str) -> bool {
        let directory = format!("{}/", path.trim_end_matches('/'));
        self.files
            .iter()
            .any(|file| file.path == path || file.path.starts_with(&directory))
    }
}

#[cfg(test)]
impl Tree {
    fn of(files: &[(&str, &str)]) -> Self {
        let files = files
            .iter()
            .map(|(path, text)| TextFile {
                path: (*path).to_owned(),
                text: (*text).to_owned(),
            })
            .collect();
        Self { files }
    }
}
