//! Tests of the end of a server, in its own process.
#![allow(clippy::unwrap_used)] // Reason: test helpers may panic like tests.
#![allow(clippy::disallowed_methods)] // Reason: a file shows that a task of another process runs.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::process::Server;
use kit_runtime::{
    Application, Context, Error, EventData, EventSender, Events, Request, Response, Routes, Segment,
    StatusCode,
};

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Event without data.
struct Tick;

impl EventData for Tick {
    fn name(&self) -> &'static str {
        "tick"
    }

    fn data(&self, _: &Context) -> Result<String, Error> {
        Ok("null".to_owned())
    }
}

/// The server. [`Server::start`] runs it in its own process.
#[test]
fn server() {
    if std::env::var_os("KIT_TEST_SERVER").is_none() {
        return;
    }
    let router = Routes::new(App)
        .route(
            "GET /slow",
            &[Segment::Static("slow")],
            |_: App, request: Request| async move {
                tokio::time::sleep(Duration::from_millis(600)).await;
                Ok(Response::empty(request.context(), StatusCode::OK))
            },
        )
        .route(
            "GET /blocked",
            &[Segment::Static("blocked")],
            |_: App, request: Request| async move {
                tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_secs(60)));
                Ok(Response::empty(request.context(), StatusCode::OK))
            },
        )
        .route(
            "GET /events",
            &[Segment::Static("events")],
            |_: App, request: Request| async move {
                let context = request.into_context()?;
                let events = Events::write(async |mut events: EventSender<Tick>| {
                    events.send(Tick).await?;
                    std::future::pending().await
                });
                Response::events(&context, StatusCode::OK, events)
            },
        )
        .into_router();
    kit_runtime::run(async {
        let task = tokio::spawn(async {
            kit_runtime::stopping().await;
            if let Some(path) = std::env::var_os("FILE_AT_SHUTDOWN") {
                std::fs::write(path, "stopping").unwrap();
            }
        });
        kit_runtime::serve(router).await?;
        Ok(task.await?)
    });
}

#[test]
fn tells_tasks_of_the_program_that_the_shutdown_begins_while_requests_are_in_progress() {
    let path = std::env::temp_dir().join(format!("kit-shutdown-{}", std::process::id()));
    let mut server = Server::start(
        module_path!(),
        &[("FILE_AT_SHUTDOWN", path.to_str().unwrap().to_owned())],
    );
    let mut slow = TcpStream::connect(&server.address).unwrap();
    slow.set_read_timeout(Some(Duration::from_secs(9))).unwrap();
    slow.write_all(b"GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let id = server.child.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    let start = Instant::now();
    while !path.exists() {
        assert!(
            start.elapsed() < Duration::from_secs(9),
            "the task waits for ever"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    std::fs::remove_file(path).unwrap();
    assert!(
        server.child.try_wait().unwrap().is_none(),
        "the request is in progress"
    );
    let mut response = String::new();
    slow.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn completes_requests_in_progress_and_closes_idle_connections() {
    let mut server = Server::start(module_path!(), &[]);
    let connect = |request: &str| {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(9))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    let mut slow = connect("GET /slow HTTP/1.1\r\nhost: a\r\n\r\n");
    let mut idle = connect("GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n");
    assert!(idle.read(&mut [0; 4096]).unwrap() > 0);
    std::thread::sleep(Duration::from_millis(100));
    let id = server.child.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    let start = Instant::now();
    assert_eq!(idle.read(&mut [0]).unwrap(), 0);
    let mut response = String::new();
    slow.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert!(response.contains("connection: close\r\n"), "{response}");
    assert!(server.child.wait().unwrap().success());
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "the server does not wait for its grace period"
    );
}

#[test]
fn ends_although_a_blocking_task_still_runs() {
    let mut server = Server::start(module_path!(), &[]);
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(9))).unwrap();
    stream
        .write_all(b"GET /blocked HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert_ends_within(&mut server, Duration::from_secs(10));
}

#[test]
fn closes_requests_that_take_longer_than_the_grace_period() {
    let mut server = Server::start(module_path!(), &[("SHUTDOWN_GRACE_MS", "100".to_owned())]);
    let mut slow = TcpStream::connect(&server.address).unwrap();
    slow.set_read_timeout(Some(Duration::from_secs(9))).unwrap();
    slow.write_all(b"GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    std::thread::sleep(Duration::from_millis(100));
    assert_ends_within(&mut server, Duration::from_secs(10));
    let mut response = String::new();
    let _ = slow.read_to_string(&mut response);
    assert_eq!(
        response, "",
        "600 ms are more than the delay and the grace period"
    );
}

/// Sends SIGTERM to a server, and waits for its end.
fn assert_ends_within(server: &mut Server, longest: Duration) {
    let id = server.child.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    let start = Instant::now();
    loop {
        if let Some(status) = server.child.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            return;
        }
        assert!(start.elapsed() < longest, "the server still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn ends_event_streams_with_a_complete_body_when_the_shutdown_begins() {
    let mut server = Server::start(module_path!(), &[]);
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(9))).unwrap();
    stream
        .write_all(b"GET /events HTTP/1.1\r\nhost: a\r\n\r\n")
        .unwrap();
    let mut received = String::new();
    while !received.contains("data: null\n\n") {
        let mut bytes = [0; 4096];
        let length = stream.read(&mut bytes).unwrap();
        assert!(length > 0, "{received}");
        received += std::str::from_utf8(&bytes[..length]).unwrap();
    }
    let id = server.child.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    let start = Instant::now();
    stream.read_to_string(&mut received).unwrap();
    assert!(received.ends_with("\r\n0\r\n\r\n"), "{received}");
    assert!(server.child.wait().unwrap().success());
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "the server does not wait for its grace period"
    );
}
