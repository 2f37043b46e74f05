//! Files of a project as they are in a commit of git.

use std::path::{Path, PathBuf};

use kit_build::{TemporaryDirectory, link_packages};

use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::project::below_project_error;

/// The files of a commit in a temporary worktree, which is removed at the end.
pub(super) struct Checkout<'a> {
    context: &'a Context<'a>,
    /// Root of the repository.
    repository: PathBuf,
    /// Root of the project in the worktree.
    pub(super) root: PathBuf,
    directory: TemporaryDirectory,
}

impl<'a> Checkout<'a> {
    /// Checks out the commit that `reference` names. `root` is the root of the project.
    pub(super) fn create(
        root: &Path,
        reference: &str,
        context: &'a Context<'a>,
    ) -> Result<Self, CommandError> {
        if !root.join("package.json").is_file()
            && let Some((message, help)) = below_project_error(root)
        {
            return Err(Problem::comparison(message).help(&help).into());
        }
        let repository = PathBuf::from(required(root, &["rev-parse", "--show-toplevel"], context)?);
        let prefix = required(root, &["rev-parse", "--show-prefix"], context)?;
        let commit = format!("{reference}^{{commit}}");
        let found = git(
            root,
            &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit],
            context,
        )?;
        let Ok(commit) = found else {
            return Err(Problem::comparison(format!("git knows no commit `{reference}`, and there is no file with this name"))
                .help("write a branch, a tag or a commit such as `origin/main`. If the branch is only on the server, run `git fetch` first; in GitHub Actions, set `fetch-depth: 0` for actions/checkout")
                .into());
        };
        let directory = TemporaryDirectory::create("diff")?;
        let tree = directory.path().join("tree");
        let path = tree.to_string_lossy().into_owned();
        let checkout = Self {
            context,
            repository,
            root: tree.join(&prefix),
            directory,
        };
        // Hooks of the repository have nothing to do with this copy.
        let hooks = format!(
            "core.hooksPath={}",
            checkout.directory.path().join("no-hooks").display()
        );
        let args = [
            "-c", &hooks, "worktree", "add", "--quiet", "--detach", &path, &commit,
        ];
        if let Err(reason) = git(&checkout.repository, &args, context)? {
            return Err(Problem::comparison(format!("git cannot check out `{reference}`: {reason}")).into());
        }
        if !checkout.root.is_dir() {
            let directory = prefix.trim_end_matches('/');
            return Err(Problem::comparison(format!(
                "the commit `{reference}` has no directory {directory}/"
            ))
            .help("compare with a commit that contains the project")
            .into());
        }
        checkout.link_packages(root)?;
        Ok(checkout)
    }

    /// Links the installed packages of the project, and of the directories above it in the repository.
    fn link_packages(&self, root: &Path) -> Result<(), CommandError> {
        let tree = self.directory.path().join("tree");
        let pairs = root.ancestors().zip(self.root.ancestors());
        for (directory, copy) in pairs.take_while(|(_, copy)| copy.starts_with(&tree)) {
            link_packages(directory, copy, (&self.repository, &tree))?;
        }
        Ok(())
    }
}

impl Drop for Checkout<'_> {
    fn drop(&mut self) {
        let path = self.directory.path().join("tree").to_string_lossy().into_owned();
        let removed = git(
            &self.repository,
            &["worktree", "remove", "--force", &path],
            self.context,
        );
        if !matches!(removed, Ok(Ok(_))) {
            // git knows a worktree that it could not create completely. `prune` forgets worktrees whose directory is gone.
            self.directory.remove();
            let _ = git(&self.repository, &["worktree", "prune"], self.context);
        }
    }
}

/// Returns the path of the project in its repository, such as `packages/api/`. Empty without a repository.
pub(super) fn prefix(root: &Path, context: &Context<'_>) -> String {
    let found = git(root, &["rev-parse", "--show-prefix"], context);
    found.ok().and_then(Result::ok).unwrap_or_default()
}

/// Runs git. Fails if the directory does not belong to a repository.
fn required(root: &Path, args: &[&str], context: &Context<'_>) -> Result<String, CommandError> {
    git(root, args, context)?.map_err(|reason| {
        Problem::comparison(format!(
            "{} does not belong to a git repository: {reason}",
            root.display()
        ))
        .help("run the command in a repository, or compare with a file that `kit diff --save <file>` wrote")
        .into()
    })
}

/// Runs git. Returns its output without the last line break, or its message if git fails.
fn git(
    directory: &Path,
    args: &[&str],
    context: &Context<'_>,
) -> Result<Result<String, String>, CommandError> {
    let args: Vec<String> = args.iter().map(|argument| (*argument).to_owned()).collect();
    let output = context
        .environment
        .output(Path::new("git"), &args, directory)
        .map_err(|error| {
            Problem::comparison(format!("git cannot be started: {error}"))
                .help("install git, or compare with a file that `kit diff --save <file>` wrote")
        })?;
    let text = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes)
            .trim_end_matches(['\r', '\n'])
            .to_owned()
    };
    Ok(if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        let message = text(&output.stderr);
        let last = message.lines().last().unwrap_or_default();
        Err(last.trim_start_matches("fatal: ").to_owned())
    })
}
