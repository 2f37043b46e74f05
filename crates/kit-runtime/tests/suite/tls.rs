//! Tests of a server with TLS, in its own process.
#![cfg(feature = "tls")]
#![allow(clippy::unwrap_used)] // Reason: test helpers may panic like tests.
#![allow(clippy::disallowed_methods)] // Reason: certificates are files.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use kit_runtime::{Application, Error, Reply, Request, Response, Routes, Segment, StatusCode};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::authority::Authority;
use crate::process::Server;

pub(crate) type Stream = StreamOwned<ClientConnection, TcpStream>;

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
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
            "GET /origin",
            &[Segment::Static("origin")],
            |_: App, request: Request| async move {
                let context = request.into_context()?;
                let origin = context.origin().unwrap_or_default();
                Response::reply(&context, StatusCode::OK, Reply::text(&origin))
            },
        )
        .route(
            "GET /client",
            &[Segment::Static("client")],
            |_: App, request: Request| async move {
                let context = request.into_context()?;
                let text = context.client_certificate().map_or_else(String::new, |found| {
                    let (subject, name, issuer) = (found.subject(), found.common_name(), found.issuer());
                    let (names, from, to) = (found.dns_names(), found.valid_from(), found.valid_to());
                    assert!(from < kit_runtime::Timestamp::now() && to > kit_runtime::Timestamp::now());
                    tracing::warn!(certificate = ?found, "request");
                    format!(
                        "{subject}|{name:?}|{issuer}|{names:?}|{}|{}",
                        found.fingerprint256(),
                        found.pem()
                    )
                });
                Response::reply(&context, StatusCode::OK, Reply::text(&text))
            },
        )
        .route(
            "GET /slow",
            &[Segment::Static("slow")],
            |_: App, request: Request| async move {
                tokio::time::sleep(Duration::from_millis(600)).await;
                Ok(Response::empty(request.context(), StatusCode::OK))
            },
        )
        .into_router();
    assert_eq!(
        format!(
            "{:?}",
            kit_runtime::run(async { kit_runtime::serve(router).await })
        ),
        format!("{:?}", std::process::ExitCode::SUCCESS)
    );
}

/// Directory with certificate and key of a server. It is removed at the end of a test.
pub(crate) struct Files(PathBuf);

impl Files {
    pub(crate) fn new(authority: &Authority) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("kit-runtime-tls-{}-{number}", std::process::id()));
        fs::create_dir(&path).unwrap();
        let files = Self(path);
        files.renew(authority);
        files
    }

    /// Writes a new certificate with its key.
    fn renew(&self, authority: &Authority) {
        let (certificate, key) = authority.certify("localhost");
        self.write("server.pem", &certificate);
        self.write("server.key", &key);
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// Returns the environment variables of the server.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("TLS_CERT", self.path("server.pem")),
            ("TLS_KEY", self.path("server.key")),
        ]
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(Path::new(&self.0));
    }
}

/// Returns a client that trusts the authority and has this certificate and key.
pub(crate) fn client(authority: &Authority, identity: Option<&(String, String)>) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(authority.certificate.as_bytes()).unwrap())
        .unwrap();
    let builder =
        ClientConfig::builder_with_provider(Arc::new(tokio_rustls::rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
    Arc::new(match identity {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => builder
            .with_client_auth_cert(
                vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()],
                PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap(),
            )
            .unwrap(),
    })
}

pub(crate) fn open(address: &str, client: &Arc<ClientConfig>) -> Stream {
    let socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    StreamOwned::new(ClientConnection::new(Arc::clone(client), name).unwrap(), socket)
}

/// Sends a GET request that ends the connection. Returns the response, or the error of the connection.
pub(crate) fn get(address: &str, client: &Arc<ClientConfig>, path: &str) -> std::io::Result<String> {
    let mut stream = open(address, client);
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    )?;
    let mut response = String::new();
    // Fails with `UnexpectedEof` if the server ends the connection without `close_notify`.
    stream.read_to_string(&mut response)?;
    Ok(response)
}

#[test]
fn answers_over_tls_with_the_scheme_https_and_ends_with_close_notify() {
    let authority = Authority::new();
    let files = Files::new(&authority);
    let server = Server::start(module_path!(), &files.variables());
    let response = get(&server.address, &client(&authority, None), "/origin").unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert!(response.ends_with("\r\n\r\nhttps://localhost"), "{response}");
    let stranger = get(&server.address, &client(&Authority::new(), None), "/origin");
    assert_eq!(stranger.unwrap_err().kind(), ErrorKind::InvalidData);
    // Plain HTTP gets no response, and the server still serves.
    let mut plain = TcpStream::connect(&server.address).unwrap();
    plain
        .write_all(b"GET /origin HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .unwrap();
    let mut bytes = Vec::new();
    let _ = plain.read_to_end(&mut bytes);
    assert!(!bytes.starts_with(b"HTTP/"), "{bytes:?}");
    get(&server.address, &client(&authority, None), "/healthz").unwrap();
    server.stop();
}

#[test]
fn ends_handshakes_that_take_longer_than_the_head_of_a_request_may() {
    let authority = Authority::new();
    let files = Files::new(&authority);
    let mut variables = files.variables();
    variables.push(("HEADERS_TIMEOUT_MS", "300".to_owned()));
    let server = Server::start(module_path!(), &variables);
    let mut idle = TcpStream::connect(&server.address).unwrap();
    idle.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let start = Instant::now();
    assert_eq!(
        idle.read(&mut [0]).unwrap(),
        0,
        "the server closes the connection"
    );
    assert!(start.elapsed() >= Duration::from_millis(250));
    server.stop();
}

#[test]
fn completes_requests_in_progress_over_tls_when_the_shutdown_begins() {
    let authority = Authority::new();
    let files = Files::new(&authority);
    let server = Server::start(module_path!(), &files.variables());
    let handshake_only = TcpStream::connect(&server.address).unwrap();
    let mut slow = open(&server.address, &client(&authority, None));
    slow.write_all(b"GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .unwrap();
    slow.flush().unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    server.stop();
    let mut response = String::new();
    slow.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "the open handshake does not delay the end"
    );
    drop(handshake_only);
}

#[test]
fn refuses_clients_without_a_certificate_of_the_given_authority() {
    let (servers, clients) = (Authority::new(), Authority::new());
    let files = Files::new(&servers);
    files.write("clients.pem", &clients.certificate);
    let mut variables = files.variables();
    variables.push(("TLS_CLIENT_CA", files.path("clients.pem")));
    let server = Server::start(module_path!(), &variables);
    let known = clients.certify("agent");
    let response = get(&server.address, &client(&servers, Some(&known)), "/origin").unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    get(&server.address, &client(&servers, None), "/origin").unwrap_err();
    let unknown = Authority::new().certify("agent");
    get(&server.address, &client(&servers, Some(&unknown)), "/origin").unwrap_err();
    server.stop();
}

#[test]
fn replaces_the_certificate_a_hundred_times_under_load_without_a_failed_request() {
    let authority = Authority::new();
    let files = Files::new(&authority);
    let mut server = Server::start(module_path!(), &files.variables());
    let config = client(&authority, None);
    let is_done = AtomicBool::new(false);
    let answered = AtomicU32::new(0);
    let id = server.child.id().to_string();
    std::thread::scope(|scope| {
        for is_kept in [true, true, false, false] {
            let (config, is_done, answered, address) = (&config, &is_done, &answered, server.address.clone());
            scope.spawn(move || {
                let mut kept = is_kept.then(|| open(&address, config));
                while !is_done.load(Ordering::Relaxed) {
                    match &mut kept {
                        None => {
                            let response = get(&address, config, "/origin").unwrap();
                            assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
                        }
                        Some(stream) => {
                            stream
                                .write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
                                .unwrap();
                            let mut bytes = [0; 4096];
                            let count = stream.read(&mut bytes).unwrap();
                            assert!(bytes[..count].starts_with(b"HTTP/1.1 200 OK\r\n"));
                        }
                    }
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for _ in 0..100 {
            files.renew(&authority);
            assert!(
                Command::new("kill")
                    .args(["-HUP", &id])
                    .status()
                    .unwrap()
                    .success()
            );
            server.wait_for_line("new connections use the TLS certificate");
        }
        is_done.store(true, Ordering::Relaxed);
    });
    assert!(answered.load(Ordering::Relaxed) > 100);
    // A broken file changes nothing.
    files.write("server.key", "");
    assert!(
        Command::new("kill")
            .args(["-HUP", &id])
            .status()
            .unwrap()
            .success()
    );
    server.wait_for_line("TLS_FILES");
    get(&server.address, &config, "/origin").unwrap();
    server.stop();
}

#[test]
fn stops_at_start_with_the_name_of_a_file_that_cannot_be_used() {
    let authority = Authority::new();
    let files = Files::new(&authority);
    files.write("server.key", "no key");
    let server = Server::start(module_path!(), &files.variables());
    assert_eq!(server.address, "", "the server does not start");
    let output = server.child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("error: the key file") && text.contains("server.key"),
        "{text}"
    );
    assert!(
        text.contains("\n  in TLS_CERT, TLS_KEY or TLS_CLIENT_CA\nhelp: "),
        "{text}"
    );
}

/// Sends bytes and returns what the server sends before it closes the connection.
fn exchange(address: &str, bytes: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(bytes.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

fn header<'a>(response: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = response.lines().take_while(|line| !line.is_empty());
    lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// Returns the address of plain HTTP that a server has printed.
fn redirecting(server: &Server) -> String {
    let (_, rest) = server.before.split_once("Redirecting from http://").unwrap();
    rest.lines().next().unwrap().to_owned()
}

#[test]
fn redirects_plain_http_as_the_conformance_cases_say() {
    let authority = Authority::new();
    let files = Files::new(&authority);
    let mut variables = files.variables();
    variables.push(("TLS_REDIRECT_PORT", "0".to_owned()));
    let server = Server::start(module_path!(), &variables);
    let address = redirecting(&server);
    let (_, port) = server.address.rsplit_once(':').unwrap();
    let origin = format!("https://localhost:{port}");
    let text = include_str!("../../../../conformance/tls-redirect.json");
    let data: serde_json::Value = serde_json::from_str(text).unwrap();
    let cases = data["cases"].as_array().unwrap();
    assert!(cases.len() > 15);
    for case in cases {
        let name = &case["name"];
        let response = exchange(&address, case["request"].as_str().unwrap());
        let status = response.split(' ').nth(1);
        assert_eq!(
            status,
            Some(case["status"].to_string().as_str()),
            "{name}: {response}"
        );
        let expected = case["location"].as_str();
        let expected = expected.map(|location| location.replace("{origin}", &origin));
        assert_eq!(header(&response, "location"), expected.as_deref(), "{name}");
        if expected.is_none() {
            assert!(response.contains(r#"{"error":{"code":""#), "{name}: {response}");
        }
    }
    server.stop();
    TcpStream::connect(&address).unwrap_err();
}

#[test]
fn redirects_plain_http_to_the_given_origin() {
    let authority = Authority::new();
    let files = Files::new(&authority);
    let mut variables = files.variables();
    variables.push(("TLS_REDIRECT_PORT", "0".to_owned()));
    variables.push(("TLS_REDIRECT_TO", "https://example.com".to_owned()));
    let server = Server::start(module_path!(), &variables);
    let request = "GET /a?b HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    let response = exchange(&redirecting(&server), request);
    assert!(response.starts_with("HTTP/1.1 308 "), "{response}");
    assert_eq!(header(&response, "location"), Some("https://example.com/a?b"));
    server.stop();
}

#[test]
fn stops_at_start_if_the_port_of_plain_http_is_in_use() {
    let authority = Authority::new();
    let files = Files::new(&authority);
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut variables = files.variables();
    let port = other.local_addr().unwrap().port();
    variables.push(("TLS_REDIRECT_PORT", port.to_string()));
    let server = Server::start(module_path!(), &variables);
    assert_eq!(server.address, "", "the server does not start");
    let output = server.child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let problem = format!("error: plain HTTP cannot be redirected from port {port}: ");
    assert!(
        text.contains(&problem) && text.contains("\n  in TLS_REDIRECT_PORT\nhelp: "),
        "{text}"
    );
}

#[test]
fn logs_an_error_about_a_certificate_that_is_not_valid_now() {
    let authority = Authority::new();
    let files = Files::new(&authority);
    let (certificate, key) = authority.certify_with("localhost", |parameters| {
        parameters.not_before = rcgen::date_time_ymd(2020, 1, 1);
        parameters.not_after = rcgen::date_time_ymd(2020, 2, 29);
    });
    files.write("server.pem", &certificate);
    files.write("server.key", &key);
    let server = Server::start(module_path!(), &files.variables());
    let entry = server.before.lines().find(|line| line.contains("TLS_EXPIRED"));
    let entry = entry.unwrap_or_else(|| panic!("{}", server.before));
    assert!(
        entry.contains(r#""level":"error""#) && entry.contains("server.pem"),
        "{entry}"
    );
    assert!(
        entry.contains("2020-01-01T00:00:00.000Z") && entry.contains("2020-02-29T00:00:00.000Z"),
        "{entry}"
    );
    // Certificates that are valid cause no such entry.
    files.renew(&authority);
    let server = {
        server.stop();
        Server::start(module_path!(), &files.variables())
    };
    assert!(!server.before.contains("TLS_EXPIRED"), "{}", server.before);
    assert!(!server.stop().contains("TLS_EXPIRED"));
}

#[test]
fn gives_handlers_the_certificate_of_the_client_also_in_a_resumed_session() {
    let (servers, clients) = (Authority::new(), Authority::new());
    let files = Files::new(&servers);
    files.write("clients.pem", &clients.certificate);
    let mut variables = files.variables();
    variables.push(("TLS_CLIENT_CA", files.path("clients.pem")));
    variables.push(("TLS_CLIENT_CERTIFICATES", "optional".to_owned()));
    let server = Server::start(module_path!(), &variables);
    let known = clients.certify("agent");
    let config = client(&servers, Some(&known));
    // The second connection resumes the session of the first one.
    for _ in 0..2 {
        let response = get(&server.address, &config, "/client").unwrap();
        let (_, body) = response.split_once("\r\n\r\n").unwrap();
        let parts: Vec<_> = body.split('|').collect();
        assert_eq!(parts[0], "CN=agent");
        assert_eq!(parts[1], "Some(\"agent\")");
        assert_eq!(parts[2], "CN=rcgen self signed cert");
        assert_eq!(parts[3], "[\"agent\"]");
        assert_eq!(parts[4].len(), 95);
        assert_eq!(parts[5].replace('\n', ""), known.0.replace(['\r', '\n'], ""));
    }
    let response = get(&server.address, &client(&servers, None), "/client").unwrap();
    assert!(response.ends_with("\r\n\r\n"), "{response}");
    let log = server.stop();
    assert!(
        log.contains("CN=agent") && !log.contains("BEGIN CERTIFICATE"),
        "{log}"
    );
}
