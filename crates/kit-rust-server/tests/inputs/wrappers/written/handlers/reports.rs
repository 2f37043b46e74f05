use kit_runtime::{HeaderName, HeaderValue, header};

use crate::app::App;
use crate::error::Error;
use crate::models::{PostReportsReply201Headers, Report};
use crate::router::{DeleteReportsById, GetReportsById, PostReports, PostReportsReply, ReportRoutes};

impl ReportRoutes for App {
    async fn get_reports_by_id(&self, input: GetReportsById) -> Result<Report, Error> {
        let id = input.params.id;
        if id == "none" {
            return Err(Error::not_found("NOT_FOUND", "There is no such report"));
        }
        input
            .context
            .set_header(header::ETAG, HeaderValue::try_from(format!("\"{id}\""))?);
        let reader = HeaderValue::try_from(input.require_reader.reader_id)?;
        input
            .context
            .set_header(HeaderName::from_static("x-reader"), reader);
        Ok(Report {
            id,
            lines: input.timed.started_at,
        })
    }

    async fn post_reports(&self, input: PostReports) -> Result<PostReportsReply, Error> {
        let title = input.body.title;
        Ok(PostReportsReply::Created {
            headers: PostReportsReply201Headers {
                location: format!("/reports/{title}"),
                etag: "\"new\"".to_owned(),
            },
            body: Report { id: title, lines: 0.0 },
        })
    }

    async fn delete_reports_by_id(&self, _input: DeleteReportsById) -> Result<(), Error> {
        Ok(())
    }
}
