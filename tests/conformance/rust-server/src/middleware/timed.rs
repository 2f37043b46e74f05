//! Wrapper `timed`. Adds a value, and sets headers with the status or the error of the wrapped code.

use kit_runtime::{Error, HeaderName, HeaderValue, Never, Next, Request, StatusCode, Wrapped, Wrapper};

use crate::app::App;

/// Values that `timed` adds to a request.
#[derive(Debug, Clone)]
pub struct Timed {
    /// Always 1.
    pub started_at: u32,
}

impl Wrapper<App> for Timed {
    const NAME: &'static str = "timed";

    type Reply = Never;

    async fn run(_app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
        let set = |name, value| request.context().set_header(HeaderName::from_static(name), value);
        match next.run(Self { started_at: 1 }).await {
            Ok(mut answer) => {
                let inner = answer.headers().get("x-inner").cloned();
                let inner = inner.unwrap_or(HeaderValue::from_static("null"));
                let seen = format!("{} {}", answer.status().as_u16(), inner.to_str()?);
                answer.set_header(HeaderName::from_static("x-seen"), HeaderValue::try_from(seen)?);
                answer.remove_header(&HeaderName::from_static("x-removed"));
                set("x-after", HeaderValue::from_static("timed"));
                Ok(answer.into())
            }
            Err(error) => {
                let is_crash = error.status() == StatusCode::INTERNAL_SERVER_ERROR;
                let found = if is_crash { "crash" } else { "refused" };
                set("x-failed", HeaderValue::from_static(found));
                Err(error)
            }
        }
    }
}
