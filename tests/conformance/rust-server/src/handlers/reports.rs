//! Handlers of `ReportRoutes`, with the answers of `tests/conformance/wrappers-application.ts`.

use kit_runtime::{Context, HeaderName, HeaderValue};

use crate::app::App;
use crate::error::Error;
use crate::middleware::timed::Timed;
use crate::models::{GetPlainResponse, PostReportsReply201Headers, Report};
use crate::router::{GetPlain, GetReportsById, PostReports, PostReportsReply, ReportRoutes};

/// Sets the headers of a handler, and fails if the header `x-mode` asks for it.
fn begin(context: &Context) -> Result<(), Error> {
    for name in ["x-inner", "x-shared", "x-removed"] {
        let name = HeaderName::from_static(name);
        context.set_header(name, HeaderValue::from_static("handler"));
    }
    match context.header("x-mode").as_deref() {
        Some("fail" | "rescue") => Err(Error::not_found("REPORT_NOT_FOUND", "There is no such report")),
        Some("crash") => Err(Error::internal("the handler crashed")),
        _ => Ok(()),
    }
}

fn is_timed(timed: &Timed) -> bool {
    timed.started_at == 1
}

impl ReportRoutes for App {
    async fn get_reports_by_id(&self, input: GetReportsById) -> Result<Report, Error> {
        begin(&input.context)?;
        Ok(Report {
            id: input.params.id,
            is_timed: is_timed(&input.timed),
        })
    }

    async fn post_reports(&self, input: PostReports) -> Result<PostReportsReply, Error> {
        begin(&input.context)?;
        Ok(PostReportsReply::Created {
            body: Report {
                id: 7.0,
                is_timed: is_timed(&input.timed),
            },
            headers: PostReportsReply201Headers {
                location: "/reports/7".to_owned(),
            },
        })
    }

    async fn get_plain(&self, _input: GetPlain) -> Result<GetPlainResponse, Error> {
        Ok(GetPlainResponse { free: true })
    }
}
