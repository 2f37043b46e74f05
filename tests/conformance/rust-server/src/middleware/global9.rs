//! `global9`, which says when it ran.

use kit_runtime::{Error, Middleware, Request};

use crate::app::App;
use crate::services::next_step;

/// What `global9` adds to a request: the step at which it ran.
#[derive(Debug, Clone)]
pub struct Global9(pub usize);

impl Middleware<App> for Global9 {
    const NAME: &'static str = "global9";

    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {
        Ok(Self(next_step()))
    }
}
