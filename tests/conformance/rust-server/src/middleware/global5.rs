//! Middleware `global5`. Records the step at which it runs.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::services::next_step;

/// Result of the middleware `global5`: the step at which it ran.
#[derive(Debug, Clone)]
pub struct Global5(pub usize);

impl Middleware<App> for Global5 {
    const NAME: &'static str = "global5";

    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Ok(Self(next_step()))
    }
}
