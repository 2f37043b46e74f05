//! Test helpers: certificates, and a client with TLS that never blocks.
#![allow(clippy::disallowed_methods)] // the files are under test

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use kit_http::Config;
use kit_tls::{Certificates, MinimumVersion, Options};
use rcgen::{CertificateParams, KeyPair};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};

use crate::same_thread::Server;

/// Files of a certificate, which are removed at the end of a test, and clients that trust the certificates written so far.
pub(crate) struct Files {
    directory: PathBuf,
    roots: RootCertStore,
}

impl Files {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("kit-http-tls-{}-{number}", std::process::id()));
        fs::create_dir(&directory).expect("no other process has this name");
        let mut files = Self {
            directory,
            roots: RootCertStore::empty(),
        };
        files.renew();
        files
    }

    /// Writes a new certificate. Returns the certificate.
    pub(crate) fn renew(&mut self) -> CertificateDer<'static> {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a valid name");
        let certificate = params.self_signed(&key).expect("a certificate");
        fs::write(self.directory.join("a.pem"), certificate.pem()).expect("the directory exists");
        fs::write(self.directory.join("a.key"), key.serialize_pem()).expect("the directory exists");
        self.roots
            .add(certificate.der().clone())
            .expect("a valid certificate");
        certificate.der().clone()
    }

    pub(crate) fn certificates(&self) -> Arc<Certificates> {
        self.certificates_for(&[b"http/1.1"])
    }

    /// Returns the certificates of a server that offers these protocols.
    pub(crate) fn certificates_for(&self, protocols: &[&[u8]]) -> Arc<Certificates> {
        let options = Options {
            certificate: self.directory.join("a.pem"),
            key: self.directory.join("a.key"),
            clients: None,
            minimum_version: MinimumVersion::Tls12,
            protocols: protocols.iter().map(|protocol| protocol.to_vec()).collect(),
        };
        Arc::new(Certificates::load(options).expect("valid files"))
    }

    pub(crate) fn client_config(&self) -> Arc<ClientConfig> {
        let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring supports them")
            .with_root_certificates(self.roots.clone())
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Arc::new(config)
    }

    /// Returns a server with this certificate.
    pub(crate) fn server(&self, config: Config) -> Server {
        Server::of(Config {
            tls: Some(self.certificates()),
            ..config
        })
    }

    pub(crate) fn connect(&self, server: &Server) -> TlsClient {
        TlsClient::connect(server, self.client_config())
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// End of a connection, as a client sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The server has announced the end (`close_notify`).
    Announced,
    /// The connection has ended without an announcement.
    Cut,
    /// TLS has failed.
    Refused,
}

pub(crate) struct TlsClient {
    pub(crate) connection: ClientConnection,
    pub(crate) stream: TcpStream,
    pub(crate) received: Vec<u8>,
    pub(crate) end: Option<End>,
    /// Maximum number of bytes in one packet.
    pub(crate) packet: usize,
    /// True if the client does not read for now.
    pub(crate) is_paused: bool,
}

impl TlsClient {
    pub(crate) fn connect(server: &Server, config: Arc<ClientConfig>) -> Self {
        let stream = TcpStream::connect(server.engine.local_addr().expect("an address")).expect("connects");
        stream.set_nonblocking(true).expect("an option");
        stream.set_nodelay(true).expect("an option");
        let name = ServerName::try_from("localhost").expect("a valid name");
        let mut connection = ClientConnection::new(config, name).expect("a valid configuration");
        connection.set_buffer_limit(None);
        Self {
            connection,
            stream,
            received: Vec::new(),
            end: None,
            packet: usize::MAX,
            is_paused: false,
        }
    }

    /// Encrypts bytes, which [`Self::move_bytes`] sends.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.connection
            .writer()
            .write_all(bytes.as_ref())
            .expect("no limit");
    }

    pub(crate) fn get(&mut self) {
        self.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    /// Sends and receives what is possible without waiting, but sends at most one packet.
    pub(crate) fn move_bytes(&mut self) {
        if self.connection.wants_write() {
            let mut packet = Packet(&mut self.stream, self.packet);
            match self.connection.write_tls(&mut packet) {
                Err(error) if error.kind() != ErrorKind::WouldBlock => self.end = self.end.or(Some(End::Cut)),
                _ => {}
            }
        }
        if self.is_paused || self.end.is_some() {
            return;
        }
        for _ in 0..16 {
            match self.connection.read_tls(&mut self.stream) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.end = Some(End::Cut),
                Ok(_) => {}
            }
            if self.connection.process_new_packets().is_err() {
                self.end = Some(End::Refused);
            }
            let read = self.connection.reader().read_to_end(&mut self.received);
            match read.map_err(|error| error.kind()) {
                Ok(_) => self.end = Some(End::Announced),
                Err(ErrorKind::WouldBlock) => {}
                Err(_) => self.end = self.end.or(Some(End::Cut)),
            }
            if self.end.is_some() {
                return;
            }
        }
    }

    /// Runs turns of the event loop and of the client until a condition is true.
    pub(crate) fn until(&mut self, server: &mut Server, mut is_so: impl FnMut(&mut Self, &Server) -> bool) {
        server.until(|server| {
            self.move_bytes();
            is_so(self, server)
        });
    }

    /// Waits for the next request of the server.
    pub(crate) fn request(&mut self, server: &mut Server) -> kit_http::RequestId {
        let seen = server.log.requests.len();
        self.until(server, |_, server| server.log.requests.len() > seen);
        server.log.requests[seen]
    }

    /// Waits until the received data ends with `end`. Returns the data and removes it from the client.
    pub(crate) fn expect(&mut self, server: &mut Server, end: &str) -> String {
        self.until(server, |client, _| client.received.ends_with(end.as_bytes()));
        String::from_utf8_lossy(&std::mem::take(&mut self.received)).into_owned()
    }

    /// Waits until the connection ends.
    pub(crate) fn end(&mut self, server: &mut Server) -> End {
        self.until(server, |client, _| client.end.is_some());
        self.end.expect("it has ended")
    }

    pub(crate) fn complete_handshake(&mut self, server: &mut Server) {
        self.until(server, |client, _| !client.connection.is_handshaking());
        // The last message of the handshake may not have been sent.
        self.until(server, |client, _| !client.connection.wants_write());
    }
}

/// Writer that sends at most a number of bytes.
struct Packet<'a>(&'a mut TcpStream, usize);

impl Write for Packet<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let end = bytes.len().min(self.1);
        self.0.write(&bytes[..end])
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
