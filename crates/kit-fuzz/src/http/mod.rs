//! Fuzz targets of the HTTP engine. Several clients send valid and damaged requests, split into parts of any size. The handler
//! responds in any order, late, or never.
//!
//! The targets check for any input: The engine does not panic. Each turn of the event loop returns. The handler receives
//! each request once, and each request has at most one response on the wire, in order. A refusal is reported once, and its
//! connection is closed. The handler and the client receive the same for every division of a stream into parts. The handler
//! receives valid requests as they were written. The engine stores nothing after the clients have disconnected.

mod message;
mod peer;
mod server;

use std::time::Duration;

use arbitrary::{Result, Unstructured};
use kit_http::{Limits, Timeouts};

use self::message::ExpectedRequest;
use self::peer::{ReceivedResponse, TestClient};
use self::server::{ReceivedRequest, ResponseBody, Server, TestResponse};

const OK: TestResponse = TestResponse {
    status: 200,
    length: 3,
    closes: false,
    body: ResponseBody::Whole,
};

/// Runs several clients of one engine at the same time, each with its own stream. The order in which clients
/// send, receive responses, stop sending or disconnect is random.
pub fn traffic(data: &[u8]) {
    let bytes = &mut Unstructured::new(data);
    // The scenario ends when all random bytes are used.
    let _ = scenario(bytes);
}

/// Sends one stream of requests in parts of any size, then in one part, then byte by byte. Checks that the
/// three results are equal.
pub fn splits(data: &[u8]) {
    let bytes = &mut Unstructured::new(data);
    let _ = compare(bytes);
}

/// Runs only the guard, on the random bytes themselves. The first byte selects the size of the parts.
///
/// # Panics
///
/// Panics if the accepted bytes, or the reason to reject the other bytes, depend on the size of the parts.
pub fn guard(data: &[u8]) {
    let Some((first, stream)) = data.split_first() else {
        return;
    };
    let limits = kit_guard::Limits {
        head_bytes: 400,
        header_fields: 6,
        target_bytes: 100,
    };
    let whole = kit_guard::guard_stream(limits, [stream]);
    let split = kit_guard::guard_stream(limits, stream.chunks(usize::from(*first).max(1)));
    assert_eq!(whole, split, "split into parts of {first}");
    assert_eq!(
        whole,
        kit_guard::guard_stream(limits, stream.chunks(1)),
        "byte by byte"
    );
}

fn limits(bytes: &mut Unstructured<'_>) -> Result<Limits> {
    let standard = Limits::default();
    Ok(match bytes.int_in_range(0..=3_u8)? {
        0 => Limits {
            body_bytes: 40,
            head_bytes: 400,
            header_fields: 4,
            target_bytes: 100,
            discarded_bytes: 1000,
            discarding: 1,
            ..standard
        },
        1 => Limits {
            connections: 2,
            body_bytes: 0,
            ..standard
        },
        _ => standard,
    })
}

fn timeouts(bytes: &mut Unstructured<'_>) -> Result<Timeouts> {
    let standard = Timeouts::default();
    Ok(if bytes.ratio(1, 16)? {
        Timeouts {
            head: Duration::ZERO,
            body: Duration::ZERO,
            write: Duration::ZERO,
            discard: Duration::ZERO,
            ..standard
        }
    } else {
        standard
    })
}

/// A client, and the bytes that it has not sent yet.
struct Client {
    peer: Option<TestClient>,
    unsent: Vec<u8>,
    /// True if the client reads nothing until the end of the scenario.
    is_slow: bool,
}

fn scenario(bytes: &mut Unstructured<'_>) -> Result<()> {
    let timeouts = timeouts(bytes)?;
    // True if every request must get its response: no timeout, reset or disconnect interrupts a connection.
    let mut is_undisturbed = timeouts.head > Duration::ZERO;
    let limits = limits(bytes)?;
    let server = Server::start(limits, timeouts);
    let mut clients = Vec::new();
    for _ in 0..bytes.int_in_range(1..=4_u8)? {
        let mut unsent = Vec::new();
        for _ in 0..bytes.int_in_range(1..=5_u8)? {
            unsent.extend(message::message(bytes)?.bytes);
        }
        clients.push(Client {
            peer: Some(TestClient::connect(&server.path)),
            unsent,
            is_slow: bytes.ratio(1, 4)?,
        });
    }
    // If all random bytes are used before the steps end, the checks below still run.
    let _ = steps(bytes, &server, &mut clients, &mut is_undisturbed);
    finish_requests(&server, &mut clients);
    check(&server, &clients, limits, is_undisturbed);
    drop(clients);
    server.end();
    Ok(())
}

fn steps(
    bytes: &mut Unstructured<'_>,
    server: &Server,
    clients: &mut [Client],
    is_undisturbed: &mut bool,
) -> Result<()> {
    while !bytes.is_empty() {
        let index = bytes.int_in_range(0..=clients.len() - 1)?;
        let client = &mut clients[index];
        match (bytes.int_in_range(0..=15_u8)?, &mut client.peer) {
            (0..=7, Some(peer)) if !peer.half_closed => {
                let max_bytes = client
                    .unsent
                    .len()
                    .min(if bytes.ratio(1, 2)? { 30 } else { 4000 });
                let sent = peer.send(&client.unsent[..bytes.int_in_range(0..=max_bytes)?]);
                client.unsent.drain(..sent);
            }
            (8..=12, _) => {
                let pending = server.collected.borrow().pending.len();
                if pending > 0 {
                    let response = TestResponse {
                        status: *bytes.choose(&[200, 200, 201, 204, 205, 304, 404, 500, 599])?,
                        length: *bytes.choose(&[0, 1, 5000, 400_000])?,
                        closes: bytes.ratio(1, 8)?,
                        body: *bytes.choose(&[
                            ResponseBody::Whole,
                            ResponseBody::Whole,
                            ResponseBody::Counted,
                            ResponseBody::Open,
                        ])?,
                    };
                    server.respond(bytes.int_in_range(0..=pending - 1)?, response);
                }
                let streams = server.collected.borrow().streams.len();
                if streams > 0 {
                    let stream = bytes.int_in_range(0..=streams - 1)?;
                    if bytes.ratio(1, 16)? {
                        *is_undisturbed = false;
                        server.destroy(stream);
                    } else {
                        server.write(stream, *bytes.choose(&[0, 1, 4000, 5000, 100_000])?);
                    }
                }
            }
            (13, Some(peer)) => {
                // If a client closes its sending side during a streamed response, the engine treats it as disconnected.
                *is_undisturbed = false;
                peer.half_close();
            }
            (14, peer) if bytes.ratio(1, 4)? => {
                *is_undisturbed = false;
                *peer = None;
            }
            _ => {}
        }
        if bytes.ratio(3, 4)? {
            server.turn();
        }
        for client in clients.iter_mut().filter(|client| !client.is_slow) {
            client.peer.as_mut().map(TestClient::read);
        }
    }
    Ok(())
}

/// Responds to all requests and reads all responses until the server sends no more.
fn finish_requests(server: &Server, clients: &mut [Client]) {
    let mut quiet = 0;
    for round in 0.. {
        assert!(round < 10_000, "there is no end");
        server.turn();
        let mut moved = false;
        while !server.collected.borrow().pending.is_empty() {
            server.respond(0, OK);
            moved = true;
        }
        if !server.collected.borrow().streams.is_empty() {
            server.write(0, 50_000);
            moved = true;
        }
        for client in &mut *clients {
            moved |= client.peer.as_mut().is_some_and(TestClient::read);
        }
        quiet = if moved { 0 } else { quiet + 1 };
        if quiet == 3 {
            return;
        }
    }
}

fn check(server: &Server, clients: &[Client], limits: Limits, is_undisturbed: bool) {
    let collected = server.collected.borrow();
    let mut answered = vec![false; collected.requests.len()];
    let mut refused = 0;
    for peer in clients.iter().filter_map(|client| client.peer.as_ref()) {
        let (responses, rest) = peer.responses(|number| collected.requests[number].method == "HEAD");
        assert!(
            rest == 0 || peer.ended,
            "the server sent only a part of a response, and left the connection open"
        );
        let mut last = None;
        for (index, response) in responses.iter().enumerate() {
            if let Some(number) = response.number {
                assert!(!answered[number], "two responses for one request");
                assert!(last < Some(number), "responses out of order");
                answered[number] = true;
                last = Some(number);
            } else {
                refused += 1;
                assert!(response.closes, "a refusal that does not close: {response:?}");
                assert!(
                    !response.code.is_empty(),
                    "the body contains no error code: {response:?}"
                );
            }
            let is_last = index + 1 == responses.len();
            assert!(
                !response.closes || (is_last && rest == 0 && peer.ended),
                "something follows the last response: {responses:?}, {rest} bytes"
            );
        }
        // If the limit of connections is reached, a client is only accepted after another one has disconnected.
        assert!(
            peer.ended || !peer.half_closed || clients.len() > limits.connections,
            "a client that left is waited for: {responses:?}"
        );
    }
    assert!(
        refused <= collected.refusals,
        "{refused} refusals, {} reported to the handler",
        collected.refusals
    );
    assert!(
        !is_undisturbed || answered.iter().all(|answered| *answered),
        "a response is lost"
    );
}

/// Requests that the handler received, and responses that the client received, for one stream.
#[derive(Debug, PartialEq, Eq)]
struct Transcript {
    requests: Vec<ReceivedRequest>,
    responses: Vec<ReceivedResponse>,
    ended: bool,
    refusals: usize,
}

fn compare(bytes: &mut Unstructured<'_>) -> Result<()> {
    let limits = limits(bytes)?;
    let mut stream = Vec::new();
    let mut expected = Some(Vec::new());
    for _ in 0..bytes.int_in_range(1..=4_u8)? {
        let message = message::message(bytes)?;
        stream.extend(message.bytes);
        match (&mut expected, message.expected) {
            (Some(expected), Some(request)) => expected.push(request),
            (expected, _) => *expected = None,
        }
    }
    let mut offsets = vec![0];
    while let Ok(step @ 1..) = bytes.int_in_range(0..=200_usize) {
        offsets.push((offsets[offsets.len() - 1] + step).min(stream.len()));
        if bytes.is_empty() {
            break;
        }
    }
    offsets.push(stream.len());
    let whole = exchange(limits, [&stream[..]]);
    let split = exchange(limits, offsets.windows(2).map(|pair| &stream[pair[0]..pair[1]]));
    assert_eq!(whole, split, "split at {offsets:?}: {}", stream.escape_ascii());
    if stream.len() < 1000 {
        let bytewise = exchange(limits, stream.chunks(1));
        assert_eq!(whole, bytewise, "byte by byte: {}", stream.escape_ascii());
    }
    if let Some(expected) = expected
        && limits.body_bytes > 100_000
    {
        assert_requests(&whole, &expected, &stream);
    }
    Ok(())
}

fn exchange<'a>(limits: Limits, parts: impl IntoIterator<Item = &'a [u8]>) -> Transcript {
    let server = Server::start(limits, Timeouts::default());
    let mut peer = TestClient::connect(&server.path);
    let respond_to_all = |peer: &mut TestClient| {
        server.turn();
        while !server.collected.borrow().pending.is_empty() {
            server.respond(0, OK);
            server.turn();
        }
        peer.read();
    };
    for mut part in parts {
        while !part.is_empty() {
            let sent = peer.send(part);
            part = &part[sent..];
            respond_to_all(&mut peer);
        }
    }
    let (requests, refusals) = {
        let collected = server.collected.borrow();
        (collected.requests.clone(), collected.refusals)
    };
    let (responses, rest) = peer.responses(|number| requests[number].method == "HEAD");
    assert_eq!(rest, 0, "half a response");
    let transcript = Transcript {
        requests,
        responses,
        ended: peer.ended,
        refusals,
    };
    drop(peer);
    server.end();
    transcript
}

/// Asserts that the handler received the requests as they were written, up to the request that closes the
/// connection.
fn assert_requests(transcript: &Transcript, expected: &[ExpectedRequest], stream: &[u8]) {
    let last = expected.iter().position(|request| request.closes);
    let expected = &expected[..last.map_or(expected.len(), |last| last + 1)];
    let found: Vec<_> = transcript
        .requests
        .iter()
        .map(|request| (&request.method, &request.target, &request.body))
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|request| (&request.method, &request.target, &request.body))
        .collect();
    assert_eq!(found, expected, "{}", stream.escape_ascii());
    assert_eq!(transcript.responses.len(), expected.len());
    assert_eq!(transcript.ended, last.is_some());
}
