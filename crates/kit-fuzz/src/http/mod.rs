//! Fuzz targets of the HTTP engine. Several clients send valid and damaged requests in chunks of any size. The handler
//! responds in any order, late, or never.
//!
//! The targets check for any input: The engine does not panic. Each turn of the event loop returns. The handler receives
//! each request once, and each request has at most one response on the wire, in order. A refusal is reported once, and its
//! connection is closed. The handler and the client receive the same for every division of a stream into chunks. The handler
//! receives valid requests as they were written. The engine stores nothing after the clients have disconnected.

mod message;
mod peer;
mod server;

use std::time::Duration;

use arbitrary::{Result, Unstructured};
use kit_http::{Limits, Timeouts};

use self::message::Meaning;
use self::peer::{ReceivedResponse, TestClient};
use self::server::{Answer, Flow, Seen, Server};

const GOOD: Answer = Answer {
    status: 200,
    length: 3,
    closes: false,
    flow: Flow::Whole,
};

/// Runs several clients of one engine at once, each with its own stream. The order in which clients send, receive responses,
/// stop sending or disconnect is random.
pub fn traffic(data: &[u8]) {
    let bytes = &mut Unstructured::new(data);
    // The scenario ends when all random bytes are used.
    let _ = scenario(bytes);
}

/// Sends one stream of requests in chunks of any size, in one chunk, and byte by byte. Checks that the results are equal.
pub fn pieces(data: &[u8]) {
    let bytes = &mut Unstructured::new(data);
    let _ = compare(bytes);
}

/// Runs only the guard, on the random bytes themselves. The first byte selects the size of the chunks.
///
/// # Panics
///
/// Panics if the accepted bytes, or the reason to reject the other bytes, depend on the size of the chunks.
pub fn guard(data: &[u8]) {
    let Some((first, stream)) = data.split_first() else {
        return;
    };
    let limits = kit_guard::Limits {
        head_bytes: 400,
        header_fields: 6,
        target_bytes: 100,
    };
    let whole = kit_guard::screen(limits, [stream]);
    let cut = kit_guard::screen(limits, stream.chunks(usize::from(*first).max(1)));
    assert_eq!(whole, cut, "cut into pieces of {first}");
    assert_eq!(whole, kit_guard::screen(limits, stream.chunks(1)), "byte by byte");
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
    settle(&server, &mut clients);
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
        let which = bytes.int_in_range(0..=clients.len() - 1)?;
        let client = &mut clients[which];
        match (bytes.int_in_range(0..=15_u8)?, &mut client.peer) {
            (0..=7, Some(peer)) if !peer.half_closed => {
                let most = client
                    .unsent
                    .len()
                    .min(if bytes.ratio(1, 2)? { 30 } else { 4000 });
                let sent = peer.send(&client.unsent[..bytes.int_in_range(0..=most)?]);
                client.unsent.drain(..sent);
            }
            (8..=12, _) => {
                let pending = server.collected.borrow().pending.len();
                if pending > 0 {
                    let answer = Answer {
                        status: *bytes.choose(&[200, 200, 201, 204, 205, 304, 404, 500, 599])?,
                        length: *bytes.choose(&[0, 1, 5000, 400_000])?,
                        closes: bytes.ratio(1, 8)?,
                        flow: *bytes.choose(&[Flow::Whole, Flow::Whole, Flow::Counted, Flow::Open])?,
                    };
                    server.answer(bytes.int_in_range(0..=pending - 1)?, answer);
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
            (14, place) if bytes.ratio(1, 4)? => {
                *is_undisturbed = false;
                *place = None;
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

/// Responds to all requests and reads all responses, until nothing more happens.
fn settle(server: &Server, clients: &mut [Client]) {
    let mut quiet = 0;
    for round in 0.. {
        assert!(round < 10_000, "there is no end");
        server.turn();
        let mut moved = false;
        while !server.collected.borrow().pending.is_empty() {
            server.answer(0, GOOD);
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
    let mut answered = vec![false; collected.seen.len()];
    let mut refused = 0;
    for peer in clients.iter().filter_map(|client| client.peer.as_ref()) {
        let (answers, rest) = peer.answers(|number| collected.seen[number].method == "HEAD");
        assert!(
            rest == 0 || peer.ended,
            "half an answer, and the connection is open"
        );
        let mut last = None;
        for (index, answer) in answers.iter().enumerate() {
            if let Some(number) = answer.number {
                assert!(!answered[number], "two answers for one request");
                assert!(last < Some(number), "answers out of order");
                answered[number] = true;
                last = Some(number);
            } else {
                refused += 1;
                assert!(answer.closes, "a refusal that does not close: {answer:?}");
                assert!(!answer.code.is_empty(), "no error's envelope: {answer:?}");
            }
            let is_last = index + 1 == answers.len();
            assert!(
                !answer.closes || (is_last && rest == 0 && peer.ended),
                "something follows the last answer: {answers:?}, {rest} bytes"
            );
        }
        // If the limit of connections is reached, a client is only accepted after another one has disconnected.
        assert!(
            peer.ended || !peer.half_closed || clients.len() > limits.connections,
            "a client that left is waited for: {answers:?}"
        );
    }
    assert!(
        refused <= collected.refusals,
        "{refused} refusals, {} told",
        collected.refusals
    );
    assert!(
        !is_undisturbed || answered.iter().all(|answered| *answered),
        "an answer is lost"
    );
}

/// Requests that the handler received, and responses that the client received, for one stream.
#[derive(Debug, PartialEq, Eq)]
struct Transcript {
    seen: Vec<Seen>,
    answers: Vec<ReceivedResponse>,
    ended: bool,
    refusals: usize,
}

fn compare(bytes: &mut Unstructured<'_>) -> Result<()> {
    let limits = limits(bytes)?;
    let mut stream = Vec::new();
    let mut meanings = Some(Vec::new());
    for _ in 0..bytes.int_in_range(1..=4_u8)? {
        let message = message::message(bytes)?;
        stream.extend(message.bytes);
        match (&mut meanings, message.meaning) {
            (Some(meanings), Some(meaning)) => meanings.push(meaning),
            (meanings, _) => *meanings = None,
        }
    }
    let mut cuts = vec![0];
    while let Ok(step @ 1..) = bytes.int_in_range(0..=200_usize) {
        cuts.push((cuts[cuts.len() - 1] + step).min(stream.len()));
        if bytes.is_empty() {
            break;
        }
    }
    cuts.push(stream.len());
    let whole = exchange(limits, [&stream[..]]);
    let cut = exchange(limits, cuts.windows(2).map(|pair| &stream[pair[0]..pair[1]]));
    assert_eq!(whole, cut, "cut at {cuts:?}: {}", stream.escape_ascii());
    if stream.len() < 1000 {
        let bytewise = exchange(limits, stream.chunks(1));
        assert_eq!(whole, bytewise, "byte by byte: {}", stream.escape_ascii());
    }
    if let Some(meanings) = meanings
        && limits.body_bytes > 100_000
    {
        assert_means(&whole, &meanings, &stream);
    }
    Ok(())
}

fn exchange<'a>(limits: Limits, pieces: impl IntoIterator<Item = &'a [u8]>) -> Transcript {
    let server = Server::start(limits, Timeouts::default());
    let mut peer = TestClient::connect(&server.path);
    let answer_all = |peer: &mut TestClient| {
        server.turn();
        while !server.collected.borrow().pending.is_empty() {
            server.answer(0, GOOD);
            server.turn();
        }
        peer.read();
    };
    for mut piece in pieces {
        while !piece.is_empty() {
            let sent = peer.send(piece);
            piece = &piece[sent..];
            answer_all(&mut peer);
        }
    }
    let (seen, refusals) = {
        let collected = server.collected.borrow();
        (collected.seen.clone(), collected.refusals)
    };
    let (answers, rest) = peer.answers(|number| seen[number].method == "HEAD");
    assert_eq!(rest, 0, "half an answer");
    let transcript = Transcript {
        seen,
        answers,
        ended: peer.ended,
        refusals,
    };
    drop(peer);
    server.end();
    transcript
}

/// Asserts that the handler received the requests as they were written, up to the one that closes the connection.
fn assert_means(transcript: &Transcript, meanings: &[Meaning], stream: &[u8]) {
    let last = meanings.iter().position(|meaning| meaning.closes);
    let expected = &meanings[..last.map_or(meanings.len(), |last| last + 1)];
    let found: Vec<_> = transcript
        .seen
        .iter()
        .map(|seen| (&seen.method, &seen.target, &seen.body))
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|meaning| (&meaning.method, &meaning.target, &meaning.body))
        .collect();
    assert_eq!(found, expected, "{}", stream.escape_ascii());
    assert_eq!(transcript.answers.len(), expected.len());
    assert_eq!(transcript.ended, last.is_some());
}
