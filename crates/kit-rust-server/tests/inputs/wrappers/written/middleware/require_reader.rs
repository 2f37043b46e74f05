use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Values that `requireReader` adds to a request.
#[derive(Debug, Clone)]
pub struct RequireReader {
    /// `ctx.readerId`
    pub reader_id: String,
}

impl Middleware<App> for RequireReader {
    const NAME: &'static str = "requireReader";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let reader = request.header("x-user");
        let reader_id = reader.ok_or_else(|| Error::unauthorized("UNAUTHORIZED", "Nobody says who asks"))?;
        Ok(Self {
            reader_id: reader_id.into_owned(),
        })
    }
}
