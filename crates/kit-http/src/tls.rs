//! TLS of a connection, without threads and without an asynchronous runtime.
//!
//! rustls encrypts and decrypts in memory. [`Tls`] moves bytes between rustls and the [`Transport`] whenever the engine reads
//! or writes. Two kinds of bytes wait in rustls, and the poller knows neither of them:
//!
//! - Decrypted bytes that the engine has not read. They count as readable ([`Tls::has_decrypted`]).
//! - Encrypted bytes that the operating system has not accepted, at most [`MAX_UNSENT`] and a record. The engine reads no
//!   next request before they are sent, and does not close a connection that completes normally ([`Tls::has_unsent`]).

use std::io::{self, Read};
use std::sync::Arc;

use kit_tls::rustls::{self, ServerConfig, ServerConnection};

use crate::transport::Transport;

/// Maximum number of bytes that are encrypted before the operating system accepts them. One write then sends two records.
const MAX_UNSENT: usize = 32 * 1024;
/// Maximum number of bytes that are read from the operating system at once: about one record.
const READ_BYTES: usize = 17 * 1024;

/// TLS state of a connection.
#[derive(Debug)]
pub(crate) struct Tls {
    connection: ServerConnection,
    /// Number of decrypted bytes that the engine has not read.
    decrypted: usize,
    /// Bytes of the client that rustls does not accept before the engine has read the decrypted ones, at most [`READ_BYTES`].
    undecrypted: Vec<u8>,
    /// First byte of the client. TLS clients begin with the number 22, and HTTP clients with a letter.
    first_byte: Option<u8>,
    /// Error after which rustls decrypts nothing more.
    failure: Option<rustls::Error>,
    is_failure_taken: bool,
    /// True if the client has announced that it sends nothing more (`close_notify`).
    is_read_closed: bool,
}

impl Tls {
    /// Fails if the configuration is not valid for servers.
    pub(crate) fn new(config: Arc<ServerConfig>) -> io::Result<Self> {
        let mut connection = ServerConnection::new(config).map_err(io::Error::other)?;
        connection.set_buffer_limit(Some(MAX_UNSENT));
        Ok(Self {
            connection,
            decrypted: 0,
            undecrypted: Vec::new(),
            first_byte: None,
            failure: None,
            is_failure_taken: false,
            is_read_closed: false,
        })
    }

    /// Returns true if [`Tls::read`] can return bytes without the operating system.
    pub(crate) fn has_decrypted(&self) -> bool {
        self.decrypted > 0 || !self.undecrypted.is_empty()
    }

    /// Returns true if encrypted bytes wait until the operating system accepts them.
    pub(crate) fn has_unsent(&self) -> bool {
        self.connection.wants_write() && !self.has_failed_with_http()
    }

    pub(crate) fn is_handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    /// Returns true if the client has begun a handshake that is not complete.
    pub(crate) fn is_in_handshake(&self) -> bool {
        self.first_byte.is_some() && self.is_handshaking() && self.failure.is_none()
    }

    /// Continues the handshake as far as possible without waiting, and decrypts no data after it. The next [`Tls::read`] reports
    /// errors. The last messages of the server wait for the next write or [`Tls::flush`].
    pub(crate) fn shake_hands(&mut self, transport: &mut Transport, space: &mut [u8]) {
        while self.is_handshaking() {
            match self.fetch(transport, space) {
                // An error of the socket is one of the next read, too.
                Ok(true) if self.is_handshaking() => drop(self.flush(transport)),
                Ok(true) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Ok(false) | Err(_) => return transport.assume_readable(),
            }
        }
    }

    /// Returns true if the handshake has failed because the client has sent HTTP. The client then gets a response without TLS, and no
    /// alert.
    fn has_failed_with_http(&self) -> bool {
        self.failure.is_some() && self.is_handshaking() && self.is_http()
    }

    /// Returns true if client and server have agreed on HTTP/2.
    pub(crate) fn is_http2(&self) -> bool {
        self.connection.alpn_protocol() == Some(kit_http2::ALPN)
    }

    /// Returns the certificate of the client in DER. rustls accepts only certificates that the authorities of the configuration have signed.
    pub(crate) fn client_certificate(&self) -> Option<&[u8]> {
        let first = self.connection.peer_certificates()?.first()?;
        (!self.is_handshaking()).then_some(first.as_ref())
    }

    /// Returns true if the bytes of the client look like HTTP without TLS.
    pub(crate) fn is_http(&self) -> bool {
        self.first_byte.is_some_and(|byte| byte.is_ascii_uppercase())
    }

    /// Returns the reason why the handshake failed. Returns the reason only once.
    pub(crate) fn take_handshake_failure(&mut self) -> Option<&'static str> {
        let failure = self.failure.as_ref()?;
        if !self.is_handshaking() || std::mem::replace(&mut self.is_failure_taken, true) {
            return None;
        }
        Some(reason_of(failure))
    }

    /// Reads decrypted bytes until the buffer is full or the operating system has no more data. Continues the handshake before
    /// that. rustls refuses many records in a row without content, which would keep this loop busy. Returns 0 if the client has
    /// announced the end of its data.
    ///
    /// # Errors
    ///
    /// `WouldBlock` if no data has arrived, `UnexpectedEof` if the connection was closed without an announcement, and
    /// `InvalidData` if the data is not valid TLS.
    pub(crate) fn read(&mut self, transport: &mut Transport, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            if self.decrypted > 0 {
                let count = self.connection.reader().read(&mut buffer[filled..])?;
                self.decrypted = self.decrypted.saturating_sub(count);
                filled += count;
                continue;
            }
            let end = match self.receive(transport, &mut buffer[filled..]) {
                Ok(true) => continue,
                Ok(false) => Ok(0),
                Err(error) => Err(error),
            };
            if filled == 0 {
                return end;
            }
            if !matches!(&end, Err(error) if error.kind() == io::ErrorKind::WouldBlock) {
                // The next read reports the end, for which the poller has no further event.
                transport.assume_readable();
            }
            break;
        }
        Ok(filled)
    }

    /// Reads once from the operating system, into `space`, and decrypts. Sends what TLS itself has to send. Returns false if the client
    /// has announced the end of its data.
    fn receive(&mut self, transport: &mut Transport, space: &mut [u8]) -> io::Result<bool> {
        if !self.fetch(transport, space)? {
            return Ok(false);
        }
        // Messages of the handshake.
        match self.flush(transport) {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
            _ => Ok(true),
        }
    }

    /// As [`Tls::receive`], but sends only alerts.
    fn fetch(&mut self, transport: &mut Transport, space: &mut [u8]) -> io::Result<bool> {
        if let Some(failure) = &self.failure {
            return Err(invalid(failure));
        }
        if self.is_read_closed {
            // Bytes after the announcement of the end have no meaning.
            self.undecrypted = Vec::new();
            return Ok(false);
        }
        if self.undecrypted.is_empty() {
            let end = space.len().min(READ_BYTES);
            let count = transport.read(&mut space[..end])?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.first_byte = self.first_byte.or(space.first().copied());
            self.decrypt(transport, &space[..count])?;
        } else {
            let bytes = std::mem::take(&mut self.undecrypted);
            self.decrypt(transport, &bytes)?;
        }
        Ok(true)
    }

    /// Decrypts bytes until rustls holds [`Tls::decrypted`] bytes that the engine must read first. Stores the other bytes.
    fn decrypt(&mut self, transport: &mut Transport, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.connection.read_tls(&mut rest) {
                // Bytes after the announcement of the end have no meaning.
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(_) if self.decrypted > 0 => {
                    self.undecrypted = rest.to_vec();
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
            match self.connection.process_new_packets() {
                Ok(state) => {
                    self.decrypted = state.plaintext_bytes_to_read();
                    self.is_read_closed = state.peer_has_closed();
                }
                Err(error) => {
                    let invalid = invalid(&error);
                    self.failure = Some(error);
                    // The client gets the reason as an alert of TLS, unless the connection breaks meanwhile.
                    let _ = self.flush(transport);
                    return Err(invalid);
                }
            }
        }
        Ok(())
    }

    /// Encrypts bytes and sends them as far as the operating system accepts them. Returns the number of bytes that were
    /// encrypted; some of them may wait.
    ///
    /// # Errors
    ///
    /// `WouldBlock` if earlier bytes still wait, `NotConnected` before the end of the handshake, and the errors of the operating
    /// system.
    pub(crate) fn write(
        &mut self,
        transport: &mut Transport,
        encrypt: impl FnOnce(&mut rustls::Writer<'_>) -> io::Result<usize>,
    ) -> io::Result<usize> {
        if self.is_handshaking() {
            return Err(io::ErrorKind::NotConnected.into());
        }
        self.flush(transport)?;
        let count = encrypt(&mut self.connection.writer())?;
        match self.flush(transport) {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
            _ => Ok(count),
        }
    }

    /// Encrypts bytes that the next [`Tls::flush`] sends. Sends earlier bytes only if too many wait. Returns the number of bytes that were
    /// encrypted.
    ///
    /// # Errors
    ///
    /// As [`Tls::write`]. `WouldBlock` means that too many bytes wait.
    pub(crate) fn write_later(
        &mut self,
        transport: &mut Transport,
        mut encrypt: impl FnMut(&mut rustls::Writer<'_>) -> io::Result<usize>,
    ) -> io::Result<usize> {
        if self.is_handshaking() {
            return Err(io::ErrorKind::NotConnected.into());
        }
        match encrypt(&mut self.connection.writer())? {
            0 => {
                self.flush(transport)?;
                encrypt(&mut self.connection.writer())
            }
            count => Ok(count),
        }
    }

    /// Sends all encrypted bytes. Fails with `WouldBlock` if the operating system does not accept all of them.
    pub(crate) fn flush(&mut self, transport: &mut Transport) -> io::Result<()> {
        while self.has_unsent() {
            if self.connection.write_tls(transport)? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        Ok(())
    }

    /// Announces that the server sends nothing more, and closes the sending side after all bytes. Fails with `WouldBlock` if
    /// bytes still wait.
    pub(crate) fn finish(&mut self, transport: &mut Transport) -> io::Result<()> {
        if !self.is_handshaking() {
            // Further calls have no effect.
            self.connection.send_close_notify();
        }
        self.flush(transport)?;
        transport.finish()
    }

    /// Announces that the server sends nothing more, if the operating system accepts the announcement at once.
    pub(crate) fn announce_end(&mut self, transport: &mut Transport) {
        if !self.is_handshaking() && !self.has_unsent() {
            self.connection.send_close_notify();
            // An error means that the client has disconnected or does not read.
            let _ = self.flush(transport);
        }
    }
}

/// Returns a constant text for an error, so that a log can count the errors of a kind together.
fn reason_of(failure: &rustls::Error) -> &'static str {
    use rustls::Error;
    match failure {
        Error::AlertReceived(_) => "the client has refused the handshake; it may not trust the certificate",
        Error::PeerIncompatible(_) => "the client and the server have no version or cipher in common",
        Error::NoApplicationProtocol => "the client supports none of the server's application protocols",
        Error::NoCertificatesPresented => "the client has sent no certificate",
        Error::InvalidCertificate(_) => "the certificate of the client is not valid",
        Error::InvalidMessage(_) => "the client has sent data that is not TLS",
        _ => "the client has violated the protocol",
    }
}

fn invalid(error: &rustls::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.clone())
}
