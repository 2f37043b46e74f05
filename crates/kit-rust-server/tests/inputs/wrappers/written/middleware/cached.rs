use kit_runtime::{Error, Events, Lines, Next, Request, Wrapped, Wrapper, header};

use crate::app::App;
use crate::models::{CachedReply202Headers, CachedReply304Headers, Job};
use crate::router::{CachedEvent, CachedReply};

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
        let job = Job { job: "7".to_owned() };
        let reply = match request.header("prefer").as_deref() {
            Some("respond-async") => Some(CachedReply::Accepted {
                body: job,
                headers: CachedReply202Headers { retry_after: 30.0 },
            }),
            Some("lines") => Some(CachedReply::NonAuthoritativeInformation {
                body: Lines::of([job]),
            }),
            Some("events") => Some(CachedReply::MultiStatus {
                body: Events::write(async move |mut events| events.send(CachedEvent::Job(job)).await),
            }),
            Some("text") => Some(CachedReply::ImUsed {
                body: "job\n7\n".into(),
            }),
            _ => None,
        };
        if let Some(reply) = reply {
            return Ok(Wrapped::Reply(reply));
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
