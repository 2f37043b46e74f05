//! `group7`, which says when it ran.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::services::next_step;

/// What `group7` adds to a request: the step at which it ran.
#[derive(Debug, Clone)]
pub struct Group7(pub usize);

impl Middleware<App> for Group7 {
    const NAME: &'static str = "group7";

    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Ok(Self(next_step()))
    }
}
