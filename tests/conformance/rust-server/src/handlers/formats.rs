//! Handlers of `FormatRoutes`, with the answers of `tests/conformance/format-unions-application.ts`.

use kit_runtime::json::to_text;
use kit_runtime::{BodyBytes, Choice, Events, HeaderValue, Lines, header};

use crate::app::App;
use crate::error::{AppError, Error};
use crate::models::{GetFormatsReportResponseJson, Progress, Received, Row};
use crate::router::{
    FormatRoutes, GetFormatsExport, GetFormatsExportContents, GetFormatsExportReply, GetFormatsReport,
    GetFormatsReportContents, GetFormatsWatch, GetFormatsWatchContents, GetFormatsWatchEvent,
    PostFormatsOrders, PostFormatsOrdersBody, PostFormatsPhotos, PostFormatsPhotosBody,
};

fn received(r#type: &str, text: String) -> Result<Received, Error> {
    let r#type = r#type.to_owned();
    Ok(Received { r#type, text })
}

fn latin1(bytes: &BodyBytes) -> String {
    bytes.iter().copied().map(char::from).collect()
}

fn row(count: i64) -> Result<Row, Error> {
    Ok(Row {
        title: format!("Order {count}"),
        count,
        due: "2026-01-02T03:04:05.678Z".parse()?,
    })
}

fn csv() -> String {
    let rows = [1, 2].map(|count| format!("Order {count},{count}\n"));
    format!("title,count\n{}", rows.concat())
}

impl FormatRoutes for App {
    async fn post_formats_orders(&self, input: PostFormatsOrders) -> Result<Received, Error> {
        match input.body {
            PostFormatsOrdersBody::Json(row) => received("application/json", to_text(&row)?),
            PostFormatsOrdersBody::Form(row) => {
                received("application/x-www-form-urlencoded", to_text(&row)?)
            }
            PostFormatsOrdersBody::Text { media_type, value } => received(&media_type, value),
            PostFormatsOrdersBody::Raw { media_type, value } => received(&media_type, latin1(&value)),
        }
    }

    async fn post_formats_photos(&self, input: PostFormatsPhotos) -> Result<Received, Error> {
        match input.body {
            PostFormatsPhotosBody::Multipart(parts) => {
                let (title, photo) = (parts.fields.title, parts.photo);
                let text = format!("{title} {} {}", photo.name, latin1(&photo.bytes));
                received("multipart/form-data", text)
            }
            PostFormatsPhotosBody::Raw { media_type, value } => received(&media_type, latin1(&value)),
        }
    }

    async fn get_formats_report(&self, input: GetFormatsReport) -> Result<GetFormatsReportContents, Error> {
        let mut table = csv();
        match input.context.header("x-mode").as_deref() {
            Some("send") => "sent".clone_into(&mut table),
            Some("fail") => return Err(AppError::Conflict.with("The report is not ready")),
            Some("vary") => {
                let language = HeaderValue::from_static("Accept-Language");
                input.context.set_header(header::VARY, language);
            }
            _ => {}
        }
        Ok(GetFormatsReportContents {
            application_json: Choice::new(async || Ok(GetFormatsReportResponseJson(vec![row(1)?, row(2)?]))),
            text_csv: Choice::new(async move || Ok(table)),
            application_pdf: Choice::new(async || Ok(BodyBytes::from_static(b"%PDF-1.7"))),
            application_jsonl: Choice::new(async || Ok(Lines::of([row(1)?, row(2)?]))),
        })
    }

    async fn get_formats_export(&self, input: GetFormatsExport) -> Result<GetFormatsExportReply, Error> {
        Ok(match input.context.header("x-mode").as_deref() {
            Some("202") => GetFormatsExportReply::Accepted {
                body: Progress { percent: 50.0 },
            },
            Some("204") => GetFormatsExportReply::NoContent,
            _ => GetFormatsExportReply::Ok {
                body: GetFormatsExportContents {
                    text_csv: Choice::new(async || Ok(csv())),
                    application_json: Choice::new(async || row(1)),
                },
            },
        })
    }

    async fn get_formats_watch(&self, _input: GetFormatsWatch) -> Result<GetFormatsWatchContents, Error> {
        Ok(GetFormatsWatchContents {
            application_json: Choice::new(async || Ok(Progress { percent: 50.0 })),
            text_event_stream: Choice::new(async || {
                Ok(Events::write(async |mut events| {
                    let progress = Progress { percent: 50.0 };
                    events.send(GetFormatsWatchEvent::Progress(progress)).await
                }))
            }),
        })
    }
}
