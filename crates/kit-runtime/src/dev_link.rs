//! Link to `kit dev`, which listens on the port of the application and passes each connection to this server. `kit dev` sends the
//! address of the client in the first line of a connection, and the results of builds on standard input.
//!
//! `KIT_DEV_TOKEN` turns the link on, in development only. Each first line contains this secret, so other programs on this machine
//! cannot choose the address of a client.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::is_development;

/// Name of the response header with the result of the last build.
pub(crate) const BUILD_HEADER: &str = "x-kit-build";
/// First word of a first line, and the reply to a line without an address.
const WORD: &str = "KIT-DEV";
/// Maximum number of bytes of a first line.
const LONGEST_LINE: usize = 256;
/// Maximum time until the first line has arrived.
const PATIENCE: Duration = Duration::from_secs(5);

static TOKEN: LazyLock<Option<String>> = LazyLock::new(|| {
    let token = std::env::var("KIT_DEV_TOKEN").ok();
    token.filter(|token| !token.is_empty() && is_development())
});
static IS_BUILD_FAILED: AtomicBool = AtomicBool::new(false);

/// Returns true if `kit dev` passes connections to this server.
pub(crate) fn is_on() -> bool {
    TOKEN.is_some()
}

/// Begins to read the results of builds. Has no effect without `kit dev`.
pub(crate) fn start() -> io::Result<()> {
    if is_on() {
        thread::Builder::new()
            .name("kit-dev".to_owned())
            .spawn(|| read_results(io::stdin().lock()))?;
    }
    Ok(())
}

fn read_results(input: impl io::BufRead) {
    for line in input.lines().map_while(Result::ok) {
        IS_BUILD_FAILED.store(line == "build failed", Ordering::Relaxed);
    }
}

/// Returns true if the server runs an older version of the application, because the last build failed.
pub(crate) fn is_build_failed() -> bool {
    IS_BUILD_FAILED.load(Ordering::Relaxed)
}

/// Returns the first line of a connection from a client to this server. Returns `None` without `kit dev`.
#[cfg_attr(not(feature = "debug"), allow(dead_code))] // Reason: only the debug sidecar sends requests to the application.
pub(crate) fn first_line(client: SocketAddr) -> Option<String> {
    let token = TOKEN.as_ref()?;
    Some(format!("{WORD} {token} {} {}\n", client.ip(), client.port()))
}

/// Reads the first line of a connection, and returns the address of the client. Returns `None` if the connection has no request:
/// `kit dev` asks if the server knows this link, or another program has connected.
pub(crate) async fn client(socket: &mut TcpStream) -> Option<SocketAddr> {
    let token = TOKEN.as_ref()?;
    let line = tokio::time::timeout(PATIENCE, read_line(socket)).await.ok()??;
    match parse(&line, token)? {
        Line::Client(address) => Some(address),
        Line::Question => {
            // `kit dev` may be gone.
            let _ = socket.write_all(format!("{WORD}\n").as_bytes()).await;
            None
        }
    }
}

/// Reads the bytes up to the first line feed, and no further bytes.
async fn read_line(socket: &mut TcpStream) -> Option<String> {
    let mut line = Vec::new();
    while line.len() < LONGEST_LINE {
        match socket.read_u8().await.ok()? {
            b'\n' => return String::from_utf8(line).ok(),
            byte => line.push(byte),
        }
    }
    None
}

#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// Address of the client whose requests follow.
    Client(SocketAddr),
    /// `kit dev` asks if the server knows this link.
    Question,
}

fn parse(line: &str, token: &str) -> Option<Line> {
    let rest = line.strip_prefix(WORD)?.strip_prefix(' ')?.strip_prefix(token)?;
    if rest.is_empty() {
        return Some(Line::Question);
    }
    let (address, port) = rest.strip_prefix(' ')?.split_once(' ')?;
    let address: IpAddr = address.parse().ok()?;
    Some(Line::Client(SocketAddr::new(
        address.to_canonical(),
        port.parse().ok()?,
    )))
}

#[cfg(test)]
mod tests {
    use super::{Line, is_build_failed, parse, read_results};

    #[test]
    fn only_a_line_with_the_token_names_a_client() {
        let client = |text: &str| Some(Line::Client(text.parse().expect("an address")));
        assert_eq!(
            parse("KIT-DEV secret ::ffff:192.0.2.7 80", "secret"),
            client("192.0.2.7:80")
        );
        assert_eq!(parse("KIT-DEV secret ::1 5000", "secret"), client("[::1]:5000"));
        assert_eq!(parse("KIT-DEV secret", "secret"), Some(Line::Question));
        for wrong in [
            "KIT-DEV other 192.0.2.7 80",
            "KIT-DEV secret192.0.2.7 80",
            "KIT-DEV secret 192.0.2.7",
            "KIT-DEV secret localhost 80",
            "KIT-DEV secret 192.0.2.7 80000",
            "GET / HTTP/1.1\r",
            "",
        ] {
            assert_eq!(parse(wrong, "secret"), None, "{wrong}");
        }
    }

    #[test]
    fn the_last_line_of_standard_input_tells_if_the_build_failed() {
        read_results(&b"build failed\n"[..]);
        assert!(is_build_failed());
        read_results(&b"build failed\nbuild succeeded\n"[..]);
        assert!(!is_build_failed());
    }
}
