//! An HTTP client with one connection that can also behave badly.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, bail};

pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    received: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// The way in which a connection ended before a response was complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The connection was closed or reset before any byte of the response.
    BeforeResponse,
    /// Only a part of the response arrived.
    InResponse,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.set_write_timeout(Some(Duration::from_secs(30)))?;
        Ok(Self {
            stream,
            received: Vec::new(),
        })
    }

    /// Sends a request and reads its response. Fails if the response is not complete.
    pub(crate) fn exchange(&mut self, request: &[u8]) -> anyhow::Result<Response> {
        self.stream
            .write_all(request)
            .context("the server does not accept the request")?;
        self.read_response()?
            .map_err(|end| anyhow::anyhow!("the connection ended before the response was complete: {end:?}"))
    }

    /// Reads the next response. If the connection ends first, returns the way in which it ended. A timeout is an
    /// error.
    pub(crate) fn read_response(&mut self) -> anyhow::Result<Result<Response, End>> {
        loop {
            if let Some((response, length)) = parse(&self.received)? {
                self.received.drain(..length);
                return Ok(Ok(response));
            }
            let mut chunk = [0; 16 * 1024];
            match self.stream.read(&mut chunk) {
                Ok(count @ 1..) => self.received.extend_from_slice(&chunk[..count]),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    bail!("the server has sent nothing for 30 seconds");
                }
                // The connection was closed or reset.
                Ok(_) | Err(_) if self.received.is_empty() => return Ok(Err(End::BeforeResponse)),
                Ok(_) | Err(_) => return Ok(Err(End::InResponse)),
            }
        }
    }

    /// Closes the connection with a TCP reset.
    pub(crate) fn reset(self) {
        // If the option cannot be set, the connection closes normally.
        let _ = socket2::SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
    }
}

fn parse(bytes: &[u8]) -> anyhow::Result<Option<(Response, usize)>> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = std::str::from_utf8(&bytes[..end])?;
    let status = head
        .get(9..12)
        .context("the response has no status")?
        .parse()
        .context("the response has no status")?;
    let field = |name: &str| {
        head.lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    };
    let start = end + 4;
    if field("transfer-encoding").is_some() {
        // node:http sends these responses as one chunk and the last, empty chunk.
        let Some(last) = bytes[start..].windows(5).position(|five| five == b"0\r\n\r\n") else {
            return Ok(None);
        };
        let body = bytes[start..start + last].to_vec();
        return Ok(Some((Response { status, body }, start + last + 5)));
    }
    let length: usize = field("content-length").map_or(Ok(0), str::parse)?;
    Ok(bytes.get(start..start + length).map(|body| {
        let body = body.to_vec();
        (Response { status, body }, start + length)
    }))
}
