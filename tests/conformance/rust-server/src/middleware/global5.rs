//! `global5`, which says when it ran.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::services::next_step;

/// What `global5` adds to a request: the step at which it ran.
#[derive(Debug, Clone)]
pub struct Global5(pub usize);

impl Middleware<App> for Global5 {
    const NAME: &'static str = "global5";

    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Ok(Self(next_step()))
    }
}
