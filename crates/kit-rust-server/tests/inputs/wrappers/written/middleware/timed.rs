use kit_runtime::{Error, HeaderName, HeaderValue, Never, Next, Request, Wrapped, Wrapper};

use crate::app::App;

/// Values that `timed` adds to a request.
#[derive(Debug, Clone)]
pub struct Timed {
    /// `ctx.startedAt`
    pub started_at: f64,
}

impl Wrapper<App> for Timed {
    const NAME: &'static str = "timed";

    type Reply = Never;

    async fn run(_app: &App, _request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
        let mut answer = next.run(Self { started_at: 12.5 }).await?;
        let status = HeaderValue::from(answer.status().as_u16());
        answer.set_header(HeaderName::from_static("x-timed"), status);
        Ok(answer.into())
    }
}
