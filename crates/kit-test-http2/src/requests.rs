//! Requests, responses, time limits and the shutdown over HTTP/2.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::client::Outcome::{GoAway, Response};
use crate::client::{
    Client, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, SETTINGS, WHOLE, WINDOW_UPDATE, fields,
    frame, request,
};
use crate::{BIG, Target};

/// Sends requests with cookies and bodies.
pub fn passes_origin_cookies_and_bodies_as_over_http_1_1(target: &Target) {
    let mut client = target.open();
    client.get(1, "/origin");
    assert_eq!(client.outcome(1), (Response(200), b"https://localhost".to_vec()));
    let mut cookies = request("GET", "/cookie");
    cookies.extend([("cookie", "a=1"), ("cookie", "b=2")]);
    let mut client = target.open();
    client.send(HEADERS, WHOLE, 1, &fields(&cookies));
    assert_eq!(client.outcome(1), (Response(200), b"a=1; b=2".to_vec()));
    // A body without a length, in several frames.
    let mut client = target.open();
    let mut post = request("POST", "/echo");
    post.push(("content-type", "application/json"));
    client.send(HEADERS, END_HEADERS, 1, &fields(&post));
    for part in ["\"one ", "two ", "three\""] {
        client.send(DATA, 0, 1, part.as_bytes());
    }
    client.send(DATA, END_STREAM, 1, b"");
    assert_eq!(client.outcome(1), (Response(200), b"one two three".to_vec()));
    // A response to HEAD has no body.
    let mut client = target.open();
    client.send(HEADERS, WHOLE, 1, &fields(&request("HEAD", "/origin")));
    assert_eq!(client.outcome(1), (Response(200), Vec::new()));
    // A body above the limit of 1 MiB.
    let mut client = target.open();
    post.push(("content-length", "1048577"));
    client.send(HEADERS, END_HEADERS, 1, &fields(&post));
    assert_eq!(client.outcome(1).0, Response(413));
}

/// Sends slow requests and a fast one on one connection.
pub fn answers_several_requests_of_a_connection_at_the_same_time(target: &Target) {
    let mut client = target.open();
    let start = Instant::now();
    // In one piece, so that no pause of the client delays the fast request.
    let mut requests = Vec::new();
    for stream in [1, 3, 5, 7, 9, 11, 13, 15, 17, 19] {
        requests.extend(frame(HEADERS, WHOLE, stream, &fields(&request("GET", "/slow"))));
    }
    requests.extend(frame(HEADERS, WHOLE, 21, &fields(&request("GET", "/origin"))));
    client.write(&requests);
    let mut order = Vec::new();
    while order.len() < 11 {
        let frame = client.read().unwrap();
        if frame.kind == DATA && frame.flags & END_STREAM != 0 {
            order.push(frame.stream);
        }
    }
    assert_eq!(order[0], 21, "the slow responses do not delay the fast one");
    assert!(
        start.elapsed() < Duration::from_secs(6),
        "one after another would take 6 s"
    );
}

/// Requests a response with a small window.
pub fn sends_no_more_of_a_response_than_the_client_accepts(target: &Target) {
    let mut client = target.open();
    // INITIAL_WINDOW_SIZE of 1,000.
    client.send(SETTINGS, 0, 0, &[0, 4, 0, 0, 3, 232]);
    client.get(1, "/big");
    let mut received = 0;
    while received < 1000 {
        received += client.read_kind(DATA).unwrap().payload.len();
    }
    assert_eq!(received, 1000);
    // PING is answered, and no DATA comes before the answer.
    client.send(PING, 0, 0, &[7; 8]);
    assert_eq!(client.read().unwrap().kind, PING);
    client.send(WINDOW_UPDATE, 0, 1, &10_000_000_u32.to_be_bytes());
    client.send(WINDOW_UPDATE, 0, 0, &10_000_000_u32.to_be_bytes());
    while received < BIG {
        received += client.read_kind(DATA).unwrap().payload.len();
    }
    assert_eq!(received, BIG);
}

/// Waits for the timeouts of a server: 3 seconds for heads, bodies and reading, and 5 seconds between requests.
pub fn limits_the_times_of_heads_bodies_reading_and_idle_connections(target: &Target) {
    let post = {
        let mut post = request("POST", "/echo");
        post.push(("content-type", "application/json"));
        fields(&post)
    };
    let (calm, timeout) = (GoAway(11), Response(408));
    let start = Instant::now();
    // The connection has no SETTINGS.
    let mut silent = Client::connect(&target.address, &target.config);
    silent.write(b"PRI * HTTP/2.0\r\n\r\n");
    let mut head = target.open();
    head.send(HEADERS, END_STREAM, 1, &fields(&request("GET", "/origin"))[..10]);
    let mut body = target.open();
    body.send(HEADERS, END_HEADERS, 1, &post);
    body.send(DATA, 0, 1, b"\"never");
    let mut blocked = target.open();
    blocked.get(1, "/big");
    let mut idle = target.open();
    idle.get(1, "/origin");
    assert_eq!(idle.outcome(1).0, Response(200));
    let mut slow = target.open();
    slow.send(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    slow.get(1, "/big");
    slow.get(3, "/big");
    for _ in 0..30 {
        slow.send(WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1]);
        sleep(Duration::from_millis(200));
    }
    assert_eq!(slow.outcome(3).0, calm, "a byte of one response is too little");
    assert_eq!(silent.outcome(1).0, calm);
    assert_eq!(head.outcome(1).0, calm);
    let (outcome, text) = body.outcome(1);
    assert_eq!(outcome, timeout);
    assert!(String::from_utf8(text).unwrap().contains("REQUEST_TIMEOUT"));
    assert_eq!(blocked.outcome(1).0, calm);
    let goaway = idle.read_kind(GOAWAY).unwrap();
    assert_eq!(
        (goaway.number(0), goaway.number(4)),
        (1, 0),
        "the client may repeat later requests"
    );
    assert!(idle.read().is_none(), "the connection ends");
    assert!(start.elapsed() >= Duration::from_secs(2));
}

/// Checks a connection without a request. The server has a short time for heads, and more than a minute between two requests.
pub fn ends_a_connection_without_a_request_after_the_time_for_a_head(target: &Target) {
    // The client waits for a minute.
    let mut client = target.open();
    let goaway = client.read_kind(GOAWAY).unwrap();
    assert_eq!((goaway.number(0), goaway.number(4)), (0, 0));
    assert!(client.read().is_none(), "the connection ends");
}

/// Checks the end of connections. `stop` begins to stop the server, and returns after its end.
pub fn completes_requests_in_progress_after_goaway_when_the_server_stops(
    target: &Target,
    stop: impl FnOnce(),
) {
    let mut busy = target.open();
    busy.get(1, "/slow");
    let mut idle = target.open();
    idle.get(1, "/origin");
    assert_eq!(idle.outcome(1).0, Response(200));
    busy.send(PING, 0, 0, &[0; 8]);
    busy.read_kind(PING).unwrap();
    let start = Instant::now();
    // Neither client answers the PING by which the server learns that GOAWAY has arrived.
    stop();
    assert!(
        start.elapsed() < Duration::from_secs(9),
        "the idle connection does not delay the end"
    );
    let goaway = busy.read_kind(GOAWAY).unwrap();
    assert_eq!(goaway.number(4), 0);
    assert_eq!(busy.outcome(1), (Response(200), b"slow".to_vec()));
    idle.read_kind(GOAWAY).unwrap();
}
