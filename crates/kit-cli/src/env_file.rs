//! Loads the project's `.env`, which is for development only.

use crate::common_args::Common;
use crate::console::Console;
use crate::context::Context;
use crate::failure::CommandError;
use crate::host::EnvFile;
use crate::project;

/// Sets the variables of the project's `.env`. Must run before anything reads the environment, because the configuration and
/// `DATABASE_URL` may depend on these variables. Does nothing if `NODE_ENV` is set to a value other than `development`.
pub(crate) async fn load(common: &Common, context: &Context<'_>) -> Result<EnvFile, CommandError> {
    let root = project::root(common, context.environment)?;
    Ok(context.host.load_env(&root).await?)
}

/// Prints the names of the variables that the file sets, because users may not expect that a value comes from
/// the file.
pub(crate) fn print(env: &EnvFile, console: &Console<'_>) {
    if let Some(text) = text(env).filter(|_| !console.is_json()) {
        console.note(&text);
    }
}

/// Loads the file and prints the names of its variables, for a command that runs once.
pub(crate) async fn load_and_print(common: &Common, context: &Context<'_>) -> Result<(), CommandError> {
    print(&load(common, context).await?, context.console);
    Ok(())
}

fn text(env: &EnvFile) -> Option<String> {
    let kept = match env.kept.as_slice() {
        [] => String::new(),
        kept => format!("{} already set, not changed", kept.join(", ")),
    };
    match (env.set.as_slice(), kept.as_str()) {
        ([], "") => None,
        ([], kept) => Some(format!(".env: {kept}")),
        (set, "") => Some(format!(".env sets {}", set.join(", "))),
        (set, kept) => Some(format!(".env sets {}; {kept}", set.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::host::EnvFile;

    #[test]
    fn prints_the_names_but_not_the_values_of_the_variables_in_the_env_file() {
        let said = |set: &[&str], kept: &[&str]| {
            text(&EnvFile {
                set: set.iter().map(ToString::to_string).collect(),
                kept: kept.iter().map(ToString::to_string).collect(),
                changed: Vec::new(),
            })
        };
        assert_eq!(said(&[], &[]), None);
        assert_eq!(said(&["A", "B"], &[]).as_deref(), Some(".env sets A, B"));
        assert_eq!(
            said(&[], &["A"]).as_deref(),
            Some(".env: A already set, not changed")
        );
        assert_eq!(
            said(&["A"], &["B"]).as_deref(),
            Some(".env sets A; B already set, not changed")
        );
    }
}
