//! Tests of connections that speak HTTP/2, with the cases of `kit-test-http2`.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kit_http::{Config, Response, Timeouts, UploadFailure, WriteResult};
use kit_test_http2::{
    Client, DATA, END_HEADERS, END_STREAM, HEADERS, Outcome, PING, PREFACE, RST_STREAM, SETTINGS, Target,
    WHOLE, WINDOW_UPDATE, fields, frame, request,
};

use crate::http2_server::{Event, Running, STREAMED};
use crate::same_thread::Server;
use crate::tls_client::{Files, TlsClient};

/// Sends the head of a request with a body.
fn post(client: &mut Client, stream: u32, path: &str, extra: &[(&str, &str)]) {
    let head = [&request("POST", path)[..], extra].concat();
    client.send(HEADERS, END_HEADERS, stream, &fields(&head));
}

#[test]
fn reacts_to_frames_as_rfc_9113_requires() {
    let running = Running::start(Timeouts::default());
    kit_test_http2::reacts_to_frames_as_rfc_9113_requires(&running.target);
}

#[test]
fn reacts_to_requests_as_rfc_9113_requires() {
    let running = Running::start(Timeouts::default());
    kit_test_http2::reacts_to_requests_as_rfc_9113_requires(&running.target);
}

#[test]
fn begins_a_connection_with_settings_and_refuses_another_preface() {
    let running = Running::start(Timeouts::default());
    kit_test_http2::begins_a_connection_with_settings_and_refuses_another_preface(&running.target);
}

#[test]
fn refuses_streams_above_the_maximum_number_and_serves_the_others() {
    let running = Running::start(Timeouts::default());
    kit_test_http2::refuses_streams_above_the_maximum_number_and_serves_the_others(&running.target);
}

/// Runs a test in a process of its own. The operating system reports the memory of a whole process, and other tests of this
/// program need hundreds of megabytes at the same time.
fn in_own_process(name: &str, test: impl FnOnce()) {
    const VARIABLE: &str = "KIT_TEST_IN_OWN_PROCESS";
    if std::env::var(VARIABLE).is_ok_and(|alone| alone == name) {
        return test();
    }
    let output = Command::new(std::env::current_exe().expect("the path of this program"))
        .args(["--exact", name, "--nocapture"])
        .env(VARIABLE, name)
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    assert!(text.contains("1 passed"), "no test is called {name}: {text}");
}

#[test]
fn ends_connections_that_flood_with_control_frames_and_serves_the_others() {
    in_own_process(
        "http2::ends_connections_that_flood_with_control_frames_and_serves_the_others",
        flood,
    );
}

fn flood() {
    let running = Running::start(Timeouts::default());
    kit_test_http2::ends_connections_that_flood_with_control_frames_and_serves_the_others(
        &running.target,
        std::process::id(),
    );
    let reasons: BTreeSet<_> = running
        .events
        .try_iter()
        .filter_map(|event| match event {
            Event::Limited(reason) => Some(reason),
            _ => None,
        })
        .collect();
    assert!(reasons.len() >= 2, "the handler gets the reasons: {reasons:?}");
}

#[test]
fn frees_responses_that_no_client_reads() {
    in_own_process("http2::frees_responses_that_no_client_reads", || {
        let running = Running::start(Timeouts {
            write: Duration::from_millis(1500),
            ..Timeouts::default()
        });
        kit_test_http2::frees_responses_that_no_client_reads(&running.target, std::process::id());
    });
}

#[test]
fn passes_origin_cookies_and_bodies_as_over_http_1_1() {
    let running = Running::start(Timeouts::default());
    kit_test_http2::passes_origin_cookies_and_bodies_as_over_http_1_1(&running.target);
}

#[test]
fn answers_several_requests_of_a_connection_at_the_same_time() {
    let running = Running::start(Timeouts::default());
    kit_test_http2::answers_several_requests_of_a_connection_at_the_same_time(&running.target);
}

#[test]
fn sends_no_more_of_a_response_than_the_client_accepts() {
    let running = Running::start(Timeouts::default());
    kit_test_http2::sends_no_more_of_a_response_than_the_client_accepts(&running.target);
}

#[test]
fn limits_the_times_of_heads_bodies_reading_and_idle_connections() {
    let running = Running::start(Timeouts {
        head: Duration::from_secs(3),
        body: Duration::from_secs(3),
        write: Duration::from_secs(3),
        idle: Duration::from_secs(5),
        ..Timeouts::default()
    });
    kit_test_http2::limits_the_times_of_heads_bodies_reading_and_idle_connections(&running.target);
}

#[test]
fn ends_a_connection_without_a_request_after_the_time_for_a_head() {
    let running = Running::start(Timeouts {
        head: Duration::from_millis(300),
        ..Timeouts::default()
    });
    kit_test_http2::ends_a_connection_without_a_request_after_the_time_for_a_head(&running.target);
}

#[test]
fn completes_requests_in_progress_after_goaway_when_the_server_stops() {
    let mut running = Running::start(Timeouts::default());
    let target = Target {
        address: running.target.address.clone(),
        config: Arc::clone(&running.target.config),
    };
    kit_test_http2::completes_requests_in_progress_after_goaway_when_the_server_stops(&target, || {
        running.stop();
    });
}

#[test]
fn serves_others_after_random_frames() {
    let running = Running::start(Timeouts::default());
    kit_test_http2::serves_others_after_random_frames(&running.target);
}

#[test]
fn asks_the_client_to_use_another_connection_if_the_response_closes_this_one() {
    let running = Running::start(Timeouts::default());
    let mut client = running.target.open();
    client.get(1, "/slow");
    client.get(3, "/closing");
    let goaway = client.read_kind(kit_test_http2::GOAWAY).expect("a frame");
    assert_eq!(goaway.number(4), 0, "NO_ERROR");
    let (outcome, body) = client.outcome(1);
    assert_eq!((outcome, &body[..]), (Outcome::Response(200), &b"slow"[..]));
}

#[test]
fn tells_the_handler_that_a_client_has_reset_a_request_or_a_stream() {
    let running = Running::start(Timeouts::default());
    let mut client = running.target.open();
    client.get(1, "/never");
    client.get(3, "/stream");
    let Event::Blocked(written) = running.event() else {
        panic!("the window of the client is full");
    };
    assert!(
        written < 512 * 1024,
        "{written} bytes are buffered for a client that reads nothing"
    );
    for stream in [1, 3] {
        client.send(RST_STREAM, 0, stream, &[0, 0, 0, 8]);
    }
    let mut expected = vec![Event::Aborted("/never".to_owned()), Event::StreamAborted];
    while !expected.is_empty() {
        let event = running.event();
        expected.retain(|expected| *expected != event);
    }
    // The connection serves further requests. The stream has used up its window.
    client.send(WINDOW_UPDATE, 0, 0, &[0, 1, 0, 0]);
    client.get(5, "/origin");
    assert_eq!(client.outcome(5).0, Outcome::Response(200));
    // The end of the connection is the end of its requests.
    client.get(7, "/never");
    client.get(9, "/origin");
    assert_eq!(client.outcome(9).0, Outcome::Response(200));
    drop(client);
    assert_eq!(running.event(), Event::Aborted("/never".to_owned()));
}

#[test]
fn streams_a_response_as_fast_as_the_client_reads() {
    let running = Running::start(Timeouts::default());
    let mut client = running.target.open();
    client.get(1, "/stream");
    let mut received = 0;
    while received < STREAMED {
        let data = client.read_kind(DATA).expect("a chunk");
        received += data.payload.len();
        let more = u32::try_from(data.payload.len())
            .expect("a short chunk")
            .to_be_bytes();
        if data.flags & END_STREAM == 0 {
            client.send(WINDOW_UPDATE, 0, 0, &more);
            client.send(WINDOW_UPDATE, 0, 1, &more);
        }
    }
    assert_eq!(received, STREAMED);
}

#[test]
fn resets_the_stream_of_a_response_that_its_handler_aborts() {
    let running = Running::start(Timeouts::default());
    let mut client = running.target.open();
    client.get(1, "/cut");
    // The code 2 is INTERNAL_ERROR.
    assert_eq!(client.outcome(1).0, Outcome::Reset(2));
    client.get(3, "/origin");
    assert_eq!(client.outcome(3).0, Outcome::Response(200));
}

#[test]
fn passes_a_body_in_chunks_to_a_handler_and_bounds_its_size_and_speed() {
    let running = Running::start(Timeouts {
        body_idle: Duration::from_millis(300),
        ..Timeouts::default()
    });
    let mut client = running.target.open();
    // The windows of 256 KiB and 1 MiB are valid from here on.
    client
        .read_kind(WINDOW_UPDATE)
        .expect("a larger window of the connection");
    client.send(SETTINGS, 1, 0, &[]);
    post(&mut client, 1, "/upload", &[]);
    for _ in 0..9 {
        client.send(DATA, 0, 1, &[0; 10_000]);
    }
    client.send(DATA, END_STREAM, 1, b"end");
    assert_eq!(client.outcome(1), (Outcome::Response(200), b"90003".to_vec()));
    while running.events.try_recv().is_ok() {}
    // A client that has reset its upload.
    post(&mut client, 3, "/upload", &[]);
    client.send(DATA, 0, 3, b"part");
    assert_eq!(running.event(), Event::Uploaded(4));
    client.send(RST_STREAM, 0, 3, &[0, 0, 0, 8]);
    assert_eq!(running.event(), Event::UploadFailed(UploadFailure::Aborted));
    assert_eq!(running.event(), Event::Aborted("/upload".to_owned()));
    // A client that is too slow.
    post(&mut client, 5, "/upload", &[]);
    client.send(DATA, 0, 5, b"part");
    assert_eq!(client.outcome(5).0, Outcome::Response(408));
    assert_eq!(running.event(), Event::Uploaded(4));
    let events = [running.event(), running.event(), running.event()];
    let aborted = Event::Aborted("/upload".to_owned());
    assert_eq!(
        events,
        [
            Event::UploadFailed(UploadFailure::TimedOut),
            aborted,
            Event::Refused(408)
        ]
    );
    // A body above the limit, with and without a declared length.
    post(&mut client, 7, "/upload", &[("content-length", "100001")]);
    assert_eq!(client.outcome(7).0, Outcome::Response(413));
    let mut client = running.target.open();
    client
        .read_kind(WINDOW_UPDATE)
        .expect("a larger window of the connection");
    client.send(SETTINGS, 1, 0, &[]);
    post(&mut client, 1, "/upload", &[]);
    for _ in 0..7 {
        client.send(DATA, 0, 1, &[0; 15_000]);
    }
    assert_eq!(client.outcome(1).0, Outcome::Response(413));
}

#[test]
fn gives_the_window_of_a_canceled_body_back_at_once() {
    let running = Running::start(Timeouts::default());
    let mut client = running.target.open();
    client
        .read_kind(WINDOW_UPDATE)
        .expect("a larger window of the connection");
    client.send(SETTINGS, 1, 0, &[]);
    // Four bodies of 256 KiB fill the window of the connection.
    for stream in [1, 3, 5, 7] {
        post(&mut client, stream, "/held", &[]);
        for _ in 0..16 {
            client.send(DATA, 0, stream, &[0; 16 * 1024]);
        }
    }
    client.get(9, "/origin");
    assert_eq!(client.outcome(9).0, Outcome::Response(200));
    // Only another connection has an event.
    let mut other = running.target.open();
    other.get(1, "/cancel");
    assert_eq!(other.outcome(1).0, Outcome::Response(200));
    let timeout = Some(Duration::from_secs(5));
    client.0.sock.set_read_timeout(timeout).expect("a timeout");
    let update = client.read_kind(WINDOW_UPDATE).expect("a larger window");
    assert_eq!(update.stream, 0, "the window of the connection");
}

#[test]
fn sends_100_to_clients_that_wait_for_it_before_they_send_the_body() {
    let running = Running::start(Timeouts::default());
    kit_test_http2::sends_100_to_clients_that_wait_for_it_before_they_send_the_body(&running.target);
}

#[test]
fn permits_clients_that_read_nothing_while_they_send_a_body() {
    let write = Duration::from_secs(1);
    let running = Running::start(Timeouts {
        write,
        ..Timeouts::default()
    });
    kit_test_http2::permits_clients_that_read_nothing_while_they_send_a_body(&running.target, write);
}

#[test]
fn sends_100_only_when_a_handler_asks_for_the_body() {
    let running = Running::start(Timeouts::default());
    let expects = [("content-type", "application/json"), ("expect", "100-continue")];
    // The handler reads the body in chunks.
    let mut client = running.target.open();
    let length = [("content-length", "3")];
    post(&mut client, 1, "/upload", &[&expects[..], &length].concat());
    let head = client.read_kind(HEADERS).expect("a head");
    assert_eq!((head.status(), head.flags & END_STREAM), (100, 0));
    client.send(DATA, END_STREAM, 1, b"abc");
    assert_eq!(client.outcome(1), (Outcome::Response(200), b"3".to_vec()));
    // The body is too large for the handler.
    let mut client = running.target.open();
    let length = [("content-length", "100001")];
    post(&mut client, 1, "/upload", &[&expects[..], &length].concat());
    let head = client.read_kind(HEADERS).expect("a head");
    assert_eq!(head.status(), 413);
    // The response begins before the handler asks for the body.
    let mut client = running.target.open();
    post(&mut client, 1, "/answered", &expects);
    let head = client.read_kind(HEADERS).expect("a head");
    assert_eq!(head.status(), 200);
    client.get(3, "/origin");
    let head = client.read_kind(HEADERS).expect("a head");
    assert_eq!((head.stream, head.status()), (3, 200));
    // The handler has not asked for the body.
    let mut client = running.target.open();
    post(&mut client, 1, "/held", &expects);
    client.get(3, "/origin");
    let head = client.read_kind(HEADERS).expect("a head");
    assert_eq!((head.stream, head.status()), (3, 200));
}

/// Starts a server whose clients must read something every 500 ms. Returns the server, and a client whose windows never stop a response.
fn impatient_server_and_large_windows() -> (Running, Client) {
    let running = Running::start(Timeouts {
        write: Duration::from_millis(500),
        ..Timeouts::default()
    });
    let mut client = running.target.open();
    client.send(SETTINGS, 0, 0, &[0, 4, 0x3f, 0xff, 0xff, 0xff]);
    client.send(WINDOW_UPDATE, 0, 0, &[0x3f, 0, 0, 0]);
    (running, client)
}

#[test]
fn ends_a_connection_whose_client_reads_nothing_from_its_socket() {
    let (running, mut client) = impatient_server_and_large_windows();
    // More than the buffers of both sockets.
    for stream in 0..40 {
        client.get(2 * stream + 1, "/big");
    }
    client.get(81, "/stream");
    let start = Instant::now();
    while running.event() != Event::StreamAborted {}
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn ends_a_connection_whose_client_reads_nothing_although_h2_has_all_its_responses() {
    let (_running, mut client) = impatient_server_and_large_windows();
    // All responses together are larger than the buffers of both sockets.
    for stream in 0..100 {
        client.get(2 * stream + 1, "/buffered");
    }
    let start = Instant::now();
    // Writing fails when the server has closed the connection.
    while client.send(PING, 0, 0, &[0; 8]) {
        assert!(start.elapsed() < Duration::from_secs(10), "the connection stays");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn serves_http_1_1_to_clients_that_do_not_choose_http_2() {
    let running = Running::start(Timeouts::default());
    let mut client = Client::connect_with(&running.target.address, &running.target.config, &[b"http/1.1"]);
    client.write(b"GET /origin HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let mut start = [0; 17];
    std::io::Read::read_exact(&mut client.0, &mut start).expect("a response");
    assert_eq!(&start, b"HTTP/1.1 200 OK\r\n");
}

#[test]
fn looks_at_deadlines_of_a_connection_that_always_has_something_to_send() {
    let files = Files::new();
    let mut server = Server::of(Config {
        tls: Some(files.certificates_for(&[b"h2"])),
        timeouts: Timeouts {
            body: Duration::from_millis(500),
            ..Timeouts::default()
        },
        ..Config::default()
    });
    let mut config = (*files.client_config()).clone();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let mut client = TlsClient::connect(&server, Arc::new(config));
    client.complete_handshake(&mut server);
    client.send(PREFACE);
    client.send(frame(SETTINGS, 0, 0, &[0, 4, 0x3f, 0xff, 0xff, 0xff]));
    client.send(frame(WINDOW_UPDATE, 0, 0, &[0x3f, 0, 0, 0]));
    // The body of this request never arrives.
    let post = fields(&request("POST", "/a"));
    client.send(frame(HEADERS, END_HEADERS, 1, &post));
    let get = fields(&request("GET", "/b"));
    client.send(frame(HEADERS, WHOLE, 3, &get));
    let id = client.request(&mut server);
    let head = Response::new(200).expect("a status");
    assert_eq!(server.engine.respond_stream(id, head, None), Ok(true));
    server.turn();
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(server.log.refused, [0; 0]);
    // More than h2 takes of a response in one turn.
    let chunk = vec![b'x'; 4 * 1024 * 1024];
    assert_eq!(server.engine.write(id, chunk.into()), Ok(WriteResult::Wait));
    server.engine.poll().expect("polls");
    server.engine.drive(&mut server.log);
    assert_eq!(server.log.refused, [408]);
}
