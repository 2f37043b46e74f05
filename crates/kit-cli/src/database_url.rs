//! Which database a command works with.

use crate::Environment;
use crate::failure::{Problem, Reason};

/// The variable that names it.
const VARIABLE: &str = "DATABASE_URL";

/// Help for a variable that names no database.
const HELP: &str = "set DATABASE_URL=postgres://user:password@host:5432/database";

/// The database that `DATABASE_URL` names; nothing where the project's embedded one is meant.
///
/// The embedded database is for development. With `NODE_ENV=production` the variable has to be set, and neither there nor in CI may it be
/// blank: mostly a secret is missing then, and the migrations would go into a database that nobody uses.
pub(crate) fn named(environment: &dyn Environment) -> Result<Option<String>, Refused> {
    let value = environment.var(VARIABLE);
    let url = value.as_deref().map_or("", str::trim);
    if !url.is_empty() {
        return Ok(Some(url.to_owned()));
    }
    let is_set = value.is_some();
    let place = if environment
        .var("NODE_ENV")
        .is_some_and(|mode| mode == "production")
    {
        "NODE_ENV is `production`"
    } else if is_set && is_ci(environment) {
        "CI is set"
    } else {
        return Ok(None);
    };
    let state = if is_set { "is set and empty" } else { "is not set" };
    Err(Refused {
        message: format!("{VARIABLE} {state}, and {place}: the embedded PostgreSQL is for development alone"),
        help: if is_set {
            format!("{HELP} (a secret or a variable that it is made of may be missing)")
        } else {
            HELP.to_owned()
        },
    })
}

/// Reasons why no database is named.
pub(crate) struct Refused {
    pub(crate) message: String,
    pub(crate) help: String,
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        Self::migration(vec![Reason {
            help: Some(refused.help),
            ..Reason::new(refused.message)
        }])
    }
}

/// Returns true in continuous integration: all such services set the variable `CI`.
fn is_ci(environment: &dyn Environment) -> bool {
    environment
        .var("CI")
        .is_some_and(|value| !matches!(value.trim(), "" | "0" | "false"))
}
