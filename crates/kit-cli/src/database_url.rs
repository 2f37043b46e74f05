//! Selects the database that a command works with.

use crate::Environment;
use crate::failure::{Problem, Reason};

/// Environment variable with the URL of the database.
const VARIABLE: &str = "DATABASE_URL";

/// Environment variable with the URL for migrations, if they need another role or another port than the application.
const MIGRATE_VARIABLE: &str = "MIGRATE_URL";

/// Form of the URL.
const FORM: &str = "postgres://user:password@host:5432/database";

/// Returns the URL in `DATABASE_URL`; `None` for the project's embedded database.
///
/// Without the variable, the embedded database is used, which is for development only. With
/// `NODE_ENV=production`, the variable must be set. In production and in CI the variable must not be blank: a
/// blank value mostly means a missing secret, and the migrations would go into a database that no application
/// uses.
pub(crate) fn from_environment(environment: &dyn Environment) -> Result<Option<String>, MissingUrl> {
    from_variable(environment, VARIABLE)
}

/// Returns the URL for a command that applies or compares migrations: `MIGRATE_URL` if the variable exists, or else the
/// result of [`from_environment`]. A blank `MIGRATE_URL` is treated like a blank `DATABASE_URL`.
///
/// `from_file` contains the names of the variables that come from `.env`. A `MIGRATE_URL` of the file does not replace a
/// `DATABASE_URL` that the user set for this command.
pub(crate) fn for_migrations(
    environment: &dyn Environment,
    from_file: &[String],
) -> Result<Option<String>, MissingUrl> {
    let is_from_file = |variable: &str| from_file.iter().any(|name| name == variable);
    let is_set_for_command = !is_from_file(VARIABLE)
        && environment
            .var(VARIABLE)
            .is_some_and(|value| !value.trim().is_empty());
    if environment.var(MIGRATE_VARIABLE).is_some()
        && !(is_from_file(MIGRATE_VARIABLE) && is_set_for_command)
        && let Some(url) = from_variable(environment, MIGRATE_VARIABLE)?
    {
        return Ok(Some(url));
    }
    from_environment(environment)
}

fn from_variable(environment: &dyn Environment, variable: &str) -> Result<Option<String>, MissingUrl> {
    let value = environment.var(variable);
    let url = value.as_deref().map_or("", str::trim);
    if !url.is_empty() {
        return Ok(Some(url.to_owned()));
    }
    let is_set = value.is_some();
    let place = if is_production(environment) {
        "NODE_ENV is `production`"
    } else if is_set && is_ci(environment) {
        "CI is set"
    } else {
        return Ok(None);
    };
    let state = if is_set { "is set and empty" } else { "is not set" };
    Err(MissingUrl {
        message: format!("{variable} {state}, and {place}: the embedded PostgreSQL is only for development"),
        help: if is_set {
            format!("set {variable}={FORM} (the value may refer to a secret or a variable that is missing)")
        } else {
            format!("set {variable}={FORM}")
        },
    })
}

/// Returns true if `NODE_ENV` is `production`, in any letter case: a typing mistake must not turn off a protection.
pub(crate) fn is_production(environment: &dyn Environment) -> bool {
    environment
        .var("NODE_ENV")
        .is_some_and(|mode| mode.trim().eq_ignore_ascii_case("production"))
}

/// Error for a `DATABASE_URL` that is missing or blank.
pub(crate) struct MissingUrl {
    pub(crate) message: String,
    pub(crate) help: String,
}

impl From<MissingUrl> for Problem {
    fn from(refused: MissingUrl) -> Self {
        Self::migration(vec![Reason {
            help: Some(refused.help),
            ..Reason::new(refused.message)
        }])
    }
}

/// Returns true in continuous integration. CI services set the variable `CI`.
pub(crate) fn is_ci(environment: &dyn Environment) -> bool {
    environment
        .var("CI")
        .is_some_and(|value| !matches!(value.trim(), "" | "0" | "false"))
}
