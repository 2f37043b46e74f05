//! Tests of HTTP/2 with single frames, after the sections of RFC 9113. `README.md` lists the cases.
#![cfg(feature = "http2")]
#![allow(clippy::unwrap_used)] // Reason: test helpers may panic like tests.
#![allow(clippy::disallowed_methods)] // Reason: a file of the system has the memory of a process.

mod cases;
mod client;
mod floods;
mod frame_cases;
mod protocol;
mod request_cases;
mod requests;

use std::sync::Arc;
use std::time::Duration;

use kit_runtime::shape::Shape;
use kit_runtime::{Application, Contract, Error, Reply, Request, Response, Routes, Segment, StatusCode};
use rustls::ClientConfig;

use crate::authority::Authority;
use crate::process::Server;
use crate::tls::{self, Files};

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Body of `/echo`.
#[derive(serde::Deserialize, serde::Serialize)]
struct Text(String);

impl Contract for Text {
    const NAME: &'static str = "Text";

    fn shape() -> &'static Shape {
        static SHAPE: Shape = Shape::TEXT;
        &SHAPE
    }
}

/// Number of bytes of the response of `/big`.
const BIG: usize = 1024 * 1024;

/// The server. [`Server::start`] runs it in its own process.
#[test]
fn server() {
    if std::env::var_os("KIT_TEST_SERVER").is_none() {
        return;
    }
    let text = |request: Request, text: String| async move {
        let context = request.into_context()?;
        Response::reply(&context, StatusCode::OK, Reply::text(&text))
    };
    let router = Routes::new(App)
        .route(
            "GET /origin",
            &[Segment::Static("origin")],
            move |_: App, request: Request| async move {
                let origin = request.context().origin().unwrap_or_default();
                text(request, origin).await
            },
        )
        .route(
            "GET /cookie",
            &[Segment::Static("cookie")],
            move |_: App, request: Request| async move {
                let cookie = request.header("cookie").unwrap_or_default().into_owned();
                text(request, cookie).await
            },
        )
        .route(
            "GET /big",
            &[Segment::Static("big")],
            move |_: App, request: Request| async move { text(request, "a".repeat(BIG)).await },
        )
        .route(
            "GET /slow",
            &[Segment::Static("slow")],
            move |_: App, request: Request| async move {
                tokio::time::sleep(Duration::from_millis(600)).await;
                text(request, "slow".to_owned()).await
            },
        )
        .route(
            "POST /echo",
            &[Segment::Static("echo")],
            move |_: App, request: Request| async move {
                let Text(body) = request.body()?;
                let context = request.handler_context()?;
                Response::reply(&context, StatusCode::OK, Reply::text(&body))
            },
        )
        .into_router();
    let ended = kit_runtime::run(async { kit_runtime::serve(router).await });
    assert_eq!(
        format!("{ended:?}"),
        format!("{:?}", std::process::ExitCode::SUCCESS)
    );
}

/// A server, and what a client of it needs.
struct Running {
    server: Server,
    config: Arc<ClientConfig>,
    _files: Files,
}

impl Running {
    fn start(variables: &[(&'static str, &str)]) -> Self {
        let authority = Authority::new();
        let files = Files::new(&authority);
        let mut all = files.variables();
        all.extend(variables.iter().map(|(name, value)| (*name, (*value).to_owned())));
        Self {
            server: Server::start(module_path!(), &all),
            config: tls::client(&authority, None),
            _files: files,
        }
    }

    fn open(&self) -> client::Client {
        client::Client::open(&self.server.address, &self.config)
    }
}
