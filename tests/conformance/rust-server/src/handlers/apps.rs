//! Handlers of `AppRoutes`, equivalent to those of `tests/conformance/application.ts`.

use std::time::Duration;

use kit_runtime::{HeaderName, HeaderValue, Reply, StatusCode, header, value};

use crate::app::App;
use crate::error::{AppError, Error};
use crate::models::{File, GetSearchResponse, Numbered, OneText, OneValue};
use crate::router::{
    AppRoutes, DeleteThingsById, GetAssetsByPath, GetAssetsLogo, GetBug, GetBytes, GetEndless,
    GetFail, GetFilesByName, GetFilesUpload, GetHeader, GetHeaders, GetHost, GetNumbersById,
    GetRawByTopByPath, GetReject, GetSearch, GetSlow, GetSniffed, GetSplit, GetStream, GetStreamByKind, GetText, PostNotes, PutFilesByName,
};

const OWN: HeaderName = HeaderName::from_static("x-own");

fn value_of(text: impl Into<String>) -> OneValue {
    OneValue { value: text.into() }
}

fn route(name: &str) -> File {
    File {
        route: name.to_owned(),
        value: None,
    }
}

/// Logs an error if the future that it belongs to is dropped before its end. `ctx.signal` tells a handler in TypeScript
/// the same.
struct Watch;

impl Drop for Watch {
    fn drop(&mut self) {
        tracing::error!("aborted");
    }
}

impl AppRoutes for App {
    async fn get_files_upload(&self, _input: GetFilesUpload) -> Result<File, Error> {
        Ok(route("upload"))
    }

    async fn get_files_by_name(&self, input: GetFilesByName) -> Result<File, Error> {
        Ok(File {
            route: "file".to_owned(),
            value: Some(input.params.name),
        })
    }

    async fn put_files_by_name(&self, _input: PutFilesByName) -> Result<File, Error> {
        Ok(route("put"))
    }

    async fn get_assets_logo(&self, _input: GetAssetsLogo) -> Result<OneValue, Error> {
        Ok(value_of("static"))
    }

    async fn get_assets_by_path(&self, input: GetAssetsByPath) -> Result<OneValue, Error> {
        Ok(value_of(input.params.path))
    }

    async fn get_raw_by_top_by_path(&self, input: GetRawByTopByPath) -> Result<OneValue, Error> {
        let raw = input.context.raw_wildcard().unwrap_or_default();
        Ok(value_of(format!("{} {raw}", input.params.path)))
    }

    async fn get_numbers_by_id(&self, input: GetNumbersById) -> Result<Numbered, Error> {
        Ok(Numbered {
            number: input.params.id,
        })
    }

    async fn get_search(&self, input: GetSearch) -> Result<GetSearchResponse, Error> {
        Ok(GetSearchResponse {
            page: input.query.page.unwrap_or(1.0),
        })
    }

    async fn post_notes(&self, input: PostNotes) -> Result<OneText, Error> {
        Ok(input.body)
    }

    async fn delete_things_by_id(&self, _input: DeleteThingsById) -> Result<(), Error> {
        Ok(())
    }

    async fn get_headers(&self, input: GetHeaders) -> Result<OneValue, Error> {
        let context = &input.context;
        context.set_status(StatusCode::ACCEPTED);
        for text in ["a", "b"] {
            context.append_header(OWN, HeaderValue::from_static(text));
        }
        for cookie in ["a=1", "b=2"] {
            context.append_header(header::SET_COOKIE, HeaderValue::from_static(cookie));
        }
        let json = HeaderValue::from_static("application/vnd.own+json");
        context.set_header(header::CONTENT_TYPE, json);
        Ok(value_of("set"))
    }

    async fn get_header(&self, input: GetHeader) -> Result<OneValue, Error> {
        let header = input.context.header("x-own");
        Ok(value_of(header.unwrap_or_default()))
    }

    async fn get_host(&self, input: GetHost) -> Result<OneValue, Error> {
        let host = input.context.header("host");
        Ok(value_of(host.unwrap_or_default()))
    }

    async fn get_sniffed(&self, input: GetSniffed) -> Result<OneValue, Error> {
        let own = HeaderValue::from_static("own");
        input
            .context
            .set_header(header::X_CONTENT_TYPE_OPTIONS, own);
        Ok(value_of("set"))
    }

    async fn get_split(&self, input: GetSplit) -> Result<OneValue, Error> {
        input.context.set_header(OWN, split()?);
        Ok(value_of("never"))
    }

    async fn get_fail(&self, _input: GetFail) -> Result<OneValue, Error> {
        Err(AppError::Taken
            .with("Taken")
            .with_details(value!({ "by": "a" })))
    }

    #[allow(clippy::panic)] // Reason: the route tests the server after a panic.
    async fn get_bug(&self, _input: GetBug) -> Result<OneValue, Error> {
        panic!("secret")
    }

    async fn get_reject(&self, _input: GetReject) -> Result<OneValue, Error> {
        Err(Error::internal("secret"))
    }

    async fn get_slow(&self, _input: GetSlow) -> Result<OneValue, Error> {
        tokio::time::sleep(Duration::from_millis(30)).await;
        Ok(value_of("slow"))
    }

    async fn get_endless(&self, _input: GetEndless) -> Result<OneValue, Error> {
        let _watch = Watch;
        std::future::pending().await
    }

    async fn get_text(&self, _input: GetText) -> Result<Reply, Error> {
        Ok(Reply::text("ä€"))
    }

    async fn get_bytes(&self, _input: GetBytes) -> Result<Reply, Error> {
        Ok(Reply::bytes(vec![0, 255, 128, 13, 10]))
    }

    async fn get_stream(&self, input: GetStream) -> Result<Reply, Error> {
        let context = &input.context;
        context.set_header(OWN, HeaderValue::from_static("a"));
        for cookie in ["a=1", "b=2"] {
            context.append_header(header::SET_COOKIE, HeaderValue::from_static(cookie));
        }
        context.set_status(StatusCode::ACCEPTED);
        Ok(pieces().content_type("text/csv; charset=utf-8"))
    }

    async fn get_stream_by_kind(&self, input: GetStreamByKind) -> Result<Reply, Error> {
        Ok(match input.params.kind.as_str() {
            "sized" => pieces().content_type("text/plain").length(10),
            "short" => pieces().length(11),
            "long" => pieces().length(9),
            "empty" => Reply::stream(async |_| Ok(())),
            "nothing" => {
                input.context.set_status(StatusCode::NO_CONTENT);
                pieces()
            }
            "failing" => failing("a part"),
            "broken" => failing(""),
            "large" => Reply::stream(async |mut pieces| {
                for _ in 0..64 {
                    pieces.send("abcdefg\n".repeat(8192)).await?;
                }
                Ok(())
            }),
            "split" => {
                input.context.set_header(OWN, split()?);
                pieces()
            }
            _ => pieces(),
        })
    }
}

/// Returns the error for a header value with a line break, which is invalid.
fn split() -> Result<HeaderValue, Error> {
    Ok(HeaderValue::from_str("1\r\nx-split: 2")?)
}

fn pieces() -> Reply {
    Reply::stream(async |mut pieces| {
        pieces.send("a, ").await?;
        tokio::time::sleep(Duration::from_millis(5)).await;
        pieces.send("ä, ").await?;
        pieces.send("€").await
    })
}

fn failing(begin: &'static str) -> Reply {
    Reply::stream(async move |mut pieces| {
        pieces.send(begin).await?;
        tokio::time::sleep(Duration::from_millis(5)).await;
        Err(Error::internal("secret, too late"))
    })
}
