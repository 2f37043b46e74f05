use kit_runtime::{Error, Next, Request, Wrapped, Wrapper, header};

use crate::app::App;
use crate::models::{CachedReply202Headers, CachedReply304Headers, Job};
use crate::router::CachedReply;

/// Values that `cached` adds to a request.
#[derive(Debug, Clone)]
pub struct Cached;

impl Wrapper<App> for Cached {
    const NAME: &'static str = "cached";

    type Reply = CachedReply;

    async fn run(
        _app: &App,
        request: &Request,
        next: Next<'_, Self>,
    ) -> Result<Wrapped<CachedReply>, Error> {
        if request.header("prefer").as_deref() == Some("respond-async") {
            return Ok(Wrapped::Reply(CachedReply::Accepted {
                body: Job { job: "7".to_owned() },
                headers: CachedReply202Headers { retry_after: 30.0 },
            }));
        }
        let answer = next.run(Self).await?;
        let known = request.header("if-none-match");
        let etag = answer
            .headers()
            .get(header::ETAG)
            .and_then(|etag| etag.to_str().ok());
        match etag.filter(|etag| known.as_deref() == Some(*etag)) {
            Some(etag) => Ok(Wrapped::Reply(CachedReply::NotModified {
                headers: CachedReply304Headers {
                    etag: etag.to_owned(),
                },
            })),
            None => Ok(answer.into()),
        }
    }
}
