//! Wrapper `cached`. Replies in place of the handler if the header `x-mode` asks for it.

use kit_runtime::{Error, HeaderName, HeaderValue, Next, Request, Wrapped, Wrapper};

use crate::app::App;
use crate::models::{CachedReply202Headers, CachedReply304Headers, Queued};
use crate::router::CachedReply;

/// Values that `cached` adds to a request.
#[derive(Debug, Clone)]
pub struct Cached;

fn queued(position: f64, retry_after: f64) -> Wrapped<CachedReply> {
    Wrapped::Reply(CachedReply::Accepted {
        body: Queued { position },
        headers: CachedReply202Headers { retry_after },
    })
}

impl Wrapper<App> for Cached {
    const NAME: &'static str = "cached";

    type Reply = CachedReply;

    async fn run(_app: &App, request: &Request, next: Next<'_, Self>) -> Result<Wrapped<CachedReply>, Error> {
        let set_own = || {
            let name = HeaderName::from_static("x-own");
            request
                .context()
                .set_header(name, HeaderValue::from_static("cached"));
        };
        match request.header("x-mode").as_deref() {
            Some("queue") => {
                set_own();
                Ok(queued(3.0, 5.0))
            }
            Some("not modified") => {
                next.run(Self).await?;
                set_own();
                let etag = "\"1\"".to_owned();
                Ok(Wrapped::Reply(CachedReply::NotModified {
                    headers: CachedReply304Headers { etag },
                }))
            }
            Some("rescue") => match next.run(Self).await {
                Ok(answer) => Ok(answer.into()),
                Err(_) => Ok(queued(1.0, 1.0)),
            },
            _ => Ok(next.run(Self).await?.into()),
        }
    }
}
