//! Middleware `group7`. Records the step at which it runs.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::services::next_step;

/// Result of the middleware `group7`: the step at which it ran.
#[derive(Debug, Clone)]
pub struct Group7(pub usize);

impl Middleware<App> for Group7 {
    const NAME: &'static str = "group7";

    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Ok(Self(next_step()))
    }
}
