//! Wrapper `refused`. Refuses handshakes before and after the code that it wraps.

use kit_runtime::{Error, HeaderName, HeaderValue, Never, Next, Request, Wrapped, Wrapper};

use crate::app::App;

/// Result of the wrapper `refused`. It adds nothing to the request.
#[derive(Debug, Clone)]
pub struct Refused;

impl Wrapper<App> for Refused {
    const NAME: &'static str = "refused";

    type Reply = Never;

    async fn run(_app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped, Error> {
        let refusal = || Error::unauthorized("UNAUTHORIZED", "Send x-token");
        let token = request.header("x-token");
        if token.is_none() {
            return Err(refusal());
        }
        let mut answer = next.run(Self).await?;
        if token.as_deref() != Some("secret") {
            return Err(refusal());
        }
        let status = HeaderValue::try_from(answer.status().as_str())?;
        answer.set_header(HeaderName::from_static("x-wrapped"), status);
        Ok(answer.into())
    }
}
