//! `.env`, which is for development alone.

use crate::args::Common;
use crate::console::Console;
use crate::context::Context;
use crate::failure::Stop;
use crate::host::EnvFile;
use crate::project;

/// Sets the variables of the project's `.env`, before anything reads the environment: the configuration and `DATABASE_URL` may depend on them. Does
/// nothing if `NODE_ENV` names another environment than `development`.
pub(crate) async fn load(common: &Common, context: &Context<'_>) -> Result<EnvFile, Stop> {
    let root = project::root(common, context.environment)?;
    Ok(context.host.load_env(&root).await?)
}

/// Says which variables come from the file: a value from an unexpected place costs much time.
pub(crate) fn tell(env: &EnvFile, console: &Console<'_>) {
    if let Some(text) = text(env).filter(|_| !console.is_json()) {
        console.note(&text);
    }
}

/// Sets the variables and says so, for a command that ends.
pub(crate) async fn load_and_tell(common: &Common, context: &Context<'_>) -> Result<(), Stop> {
    tell(&load(common, context).await?, context.console);
    Ok(())
}

fn text(env: &EnvFile) -> Option<String> {
    let kept = match env.kept.as_slice() {
        [] => String::new(),
        kept => format!("{} already set, which stays", kept.join(", ")),
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
    fn names_are_told_and_values_are_not() {
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
            Some(".env: A already set, which stays")
        );
        assert_eq!(
            said(&["A"], &["B"]).as_deref(),
            Some(".env sets A; B already set, which stays")
        );
    }
}
