//! Middleware `global9`. Records the step at which it runs.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::services::next_step;

/// Result of the middleware `global9`: the step at which it ran.
#[derive(Debug, Clone)]
pub struct Global9(pub usize);

impl Middleware<App> for Global9 {
    const NAME: &'static str = "global9";

    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Ok(Self(next_step()))
    }
}
