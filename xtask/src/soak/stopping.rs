//! Sends SIGTERM to a server under load, again and again.
//!
//! A request is *accepted* when its handler has begun, and each accepted request must get its complete response. If a
//! connection closes before any byte of a response and the handler has not begun, the client may safely send the
//! request to another server.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use anyhow::Context;

use super::client::{Client, End};
use super::subject::Subject;
use crate::interrupt;
use crate::repository::Repository;

const CLIENTS: usize = 12;

/// Results of all requests of one round.
#[derive(Default)]
struct Results {
    answered: HashSet<String>,
    unanswered: HashSet<String>,
    incomplete: usize,
    /// Number of responses whose status is not 200.
    other_status: usize,
}

/// Starts the application and stops it under load, `stops` times. Prints the results of the requests.
pub(crate) fn run(repository: &Repository, stops: usize) -> anyhow::Result<bool> {
    let journal = repository.target().join("soak-journal");
    let mut totals = [0; 6];
    for round in 0..stops {
        if interrupt::interrupted() {
            return Ok(true);
        }
        // Remove the list of accepted requests that the previous round wrote.
        let _ = std::fs::remove_file(&journal);
        let subject = Subject::application(repository, Some(&journal))?;
        let address = subject.address;
        let (results, exit_code_is_0) = thread::scope(|scope| -> anyhow::Result<_> {
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    scope.spawn(move || send_until_stopped(address, &format!("{round}-{client}"), client % 3))
                })
                .collect();
            // Stop at a different time in each round.
            thread::sleep(Duration::from_millis(150 + (round as u64 * 37) % 200));
            subject.terminate();
            let mut all = Results::default();
            for client in clients {
                let results = client
                    .join()
                    .ok()
                    .context("a client panicked")?
                    .context("a client failed")?;
                all.answered.extend(results.answered);
                all.unanswered.extend(results.unanswered);
                all.incomplete += results.incomplete;
                all.other_status += results.other_status;
            }
            Ok((all, subject.wait()?))
        })?;
        let begun = std::fs::read_to_string(&journal)
            .context("cannot read the file in which the application lists accepted requests")?;
        let begun: HashSet<&str> = begun.lines().collect();
        let lost = results
            .unanswered
            .iter()
            .filter(|mark| begun.contains(mark.as_str()))
            .count();
        let round = [
            results.answered.len(),
            results.unanswered.len(),
            lost,
            results.incomplete,
            results.other_status,
            usize::from(!exit_code_is_0),
        ];
        for (total, more) in totals.iter_mut().zip(round) {
            *total += more;
        }
    }
    let _ = std::fs::remove_file(&journal);
    let [
        answered,
        unanswered,
        lost,
        incomplete,
        other_status,
        bad_exit_codes,
    ] = totals;
    println!("stopping: SIGTERM {stops} times while {CLIENTS} clients send requests");
    println!("  {answered} requests got their response");
    println!(
        "  {unanswered} requests got no complete response; a client may send a request again if no handler has begun"
    );
    println!(
        "  {lost} of these were lost: a handler had begun; {incomplete} responses were incomplete; {other_status} responses had a status other than 200; {bad_exit_codes} exit codes were not 0"
    );
    let holds = lost + incomplete + other_status + bad_exit_codes == 0 && answered > stops * CLIENTS;
    if !holds {
        println!(
            "  FAILED: a request was lost, a response was wrong, an exit code was not 0, or too few requests were sent"
        );
    }
    Ok(holds)
}

/// Sends requests until the server stops. `mode` is 0, 1 or 2: one connection for all requests, a
/// new connection for each, or several requests at once.
fn send_until_stopped(address: SocketAddr, name: &str, mode: usize) -> anyhow::Result<Results> {
    let mut results = Results::default();
    let mut number = 0;
    let mut connection: Option<Client> = None;
    loop {
        let client = match connection.take() {
            Some(client) => client,
            None => match Client::connect(address) {
                Ok(client) => client,
                // The server no longer listens.
                Err(_) => return Ok(results),
            },
        };
        let at_once = if mode == 2 { 4 } else { 1 };
        let marks: Vec<String> = (0..at_once)
            .map(|index| format!("{name}-{}", number + index))
            .collect();
        number += at_once;
        connection = exchange(client, &marks, &mut results)?.filter(|_| mode != 1);
    }
}

/// Sends requests at once and reads their responses. Returns the connection if it is still open.
fn exchange(mut client: Client, marks: &[String], results: &mut Results) -> anyhow::Result<Option<Client>> {
    let mut bytes = String::new();
    for mark in marks {
        let body = format!(r#"{{"mark":"{mark}"}}"#);
        let length = body.len();
        // Writing to a string cannot fail.
        let _ = write!(
            bytes,
            "POST /marks HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        );
    }
    // If the write fails, reading the response reports the reason.
    let _ = std::io::Write::write_all(&mut client.stream, bytes.as_bytes());
    let mut marks = marks.iter();
    for mark in marks.by_ref() {
        match client.read_response()? {
            Ok(response) if response.status == 200 => {
                results.answered.insert(mark.clone());
            }
            Ok(_) => results.other_status += 1,
            Err(end) => {
                results.incomplete += usize::from(end == End::InResponse);
                results.unanswered.insert(mark.clone());
                results.unanswered.extend(marks.cloned());
                return Ok(None);
            }
        }
    }
    Ok(Some(client))
}
