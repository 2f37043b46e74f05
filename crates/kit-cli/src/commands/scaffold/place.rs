//! Place of a new project: a new directory, or the working directory.

use std::path::PathBuf;

use kit_build::{TargetState, check_target, create_tree, entry_names, fill_directory};
use kit_scaffold::ProjectName;

use crate::context::Context;
use crate::failure::{CommandError, Problem};

/// Argument for the working directory.
const CURRENT: &str = ".";

/// Name and directory of a new project.
pub(super) struct Place {
    pub(super) name: ProjectName,
    pub(super) directory: PathBuf,
    /// True if the project is created in the working directory.
    is_current: bool,
}

impl Place {
    /// Returns the place for the argument of the command: a name, or `.`. The directory must not exist or must be empty. The
    /// working directory may contain a git repository.
    pub(super) fn of(argument: &str, context: &Context<'_>) -> Result<Self, CommandError> {
        let working = working_directory(context)?;
        if matches!(argument, CURRENT | "./") {
            return Self::current(working);
        }
        let name = ProjectName::parse(argument)
            .map_err(|error| Problem::scaffold(error.message).help(&error.help))?;
        let directory = working.join(name.as_str());
        let problem = match check_target(&directory)? {
            TargetState::Free => {
                return Ok(Self {
                    name,
                    directory,
                    is_current: false,
                });
            }
            TargetState::NotEmpty(first) => {
                format!("{name}/ exists and is not empty: it contains {first}")
            }
            TargetState::NotADirectory => format!("{name} exists and is not a directory"),
        };
        Err(Problem::scaffold(problem)
            .at(name.as_str())
            .help("choose another name, or move it away")
            .into())
    }

    fn current(directory: PathBuf) -> Result<Self, CommandError> {
        let last = directory.file_name().unwrap_or_default().to_string_lossy();
        let name = ProjectName::parse(&last).map_err(|error| {
            Problem::scaffold(error.message)
                .at(CURRENT)
                .help("`.` gives the project the name of the working directory; rename the directory, or write a name instead of `.`")
        })?;
        let names = entry_names(&directory)?.unwrap_or_default();
        if let Some(first) = names.iter().find(|name| *name != ".git") {
            return Err(Problem::scaffold(format!(
                "the working directory is not empty: it contains {first}"
            ))
            .at(CURRENT)
            .help("write a name instead of `.`, or move the files away; only `.git` may be there")
            .into());
        }
        Ok(Self {
            name,
            directory,
            is_current: true,
        })
    }

    /// Writes the files of the project: all or none.
    pub(super) fn write<'a>(
        &self,
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), CommandError> {
        if self.is_current {
            // A new directory cannot replace this one, because the user's shell would stay in the old one.
            fill_directory(&self.directory, files)?;
        } else {
            create_tree(&self.directory, files)?;
        }
        Ok(())
    }

    /// Returns the path of the project, relative to the working directory.
    pub(super) fn path(&self) -> &str {
        if self.is_current {
            CURRENT
        } else {
            self.name.as_str()
        }
    }

    /// Returns the project as messages name it.
    pub(super) fn shown(&self) -> String {
        if self.is_current {
            format!("{} in this directory", self.name)
        } else {
            format!("{}/", self.name)
        }
    }

    /// Returns the command by which a shell enters the project. `None` if the shell is there already.
    pub(super) fn enter(&self) -> Option<String> {
        (!self.is_current).then(|| format!("cd {}", self.name))
    }
}

/// Returns the working directory.
pub(super) fn working_directory(context: &Context<'_>) -> Result<PathBuf, CommandError> {
    let directory = context.environment.current_dir();
    Ok(directory
        .map_err(|error| Problem::scaffold(format!("the working directory cannot be used: {error}")))?)
}
