//! Tests of certificates from files, with a client of rustls in memory.

#![allow(clippy::disallowed_methods)] // Reason: the tests write certificates directly.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use kit_tls::{CertificateFields, Certificates, ClientCertificates, MinimumVersion, Options};
use rcgen::{CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{
    CipherSuite, ClientConfig, ClientConnection, HandshakeKind, ProtocolVersion, RootCertStore,
    ServerConnection,
};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).expect("valid names");
    params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate")
}

/// Temporary directory that is removed at the end of a test.
struct TemporaryDirectory(PathBuf);

impl TemporaryDirectory {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("kit-tls-{}-{number}", std::process::id()));
        fs::create_dir(&path).expect("no other process has this name");
        Self(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryDirectory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns certificate and key in PEM.
fn signed(authority: &Authority, name: &str) -> (String, String) {
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec![name.to_owned()]).expect("a valid name");
    let certificate = params.signed_by(&key, authority).expect("a certificate");
    (certificate.pem(), key.serialize_pem())
}

fn write(directory: &Path, (certificate, key): &(String, String)) {
    fs::write(directory.join("server.pem"), certificate).expect("the directory exists");
    fs::write(directory.join("server.key"), key).expect("the directory exists");
}

fn options(directory: &Path) -> Options {
    Options {
        certificate: directory.join("server.pem"),
        key: directory.join("server.key"),
        clients: None,
        minimum_version: MinimumVersion::Tls12,
        protocols: vec![b"http/1.1".to_vec()],
    }
}

/// Directory with the files of a server that the authority signed.
fn server(authority: &Authority) -> TemporaryDirectory {
    let directory = TemporaryDirectory::new();
    write(directory.path(), &signed(authority, "localhost"));
    directory
}

fn client(authority: &Authority, identity: Option<(String, String)>) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).expect("a certificate");
    let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots);
    let mut config = match identity {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).expect("PEM")];
            let key = PrivatePkcs8KeyDer::from_pem_slice(key.as_bytes()).expect("PEM");
            builder
                .with_client_auth_cert(chain, PrivateKeyDer::Pkcs8(key))
                .expect("a key")
        }
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Arc::new(config)
}

/// Makes a handshake in memory, and reads the server's tickets. Returns both sides, or the error of one.
fn handshake(
    certificates: &Certificates,
    client: &Arc<ClientConfig>,
) -> Result<(ServerConnection, ClientConnection), rustls::Error> {
    let name = ServerName::try_from("localhost").expect("a name");
    let mut client = ClientConnection::new(Arc::clone(client), name)?;
    let mut server = ServerConnection::new(certificates.current())?;
    for _ in 0..8 {
        let mut bytes = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut bytes).expect("memory");
        }
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            server.read_tls(&mut rest).expect("memory");
            server.process_new_packets()?;
        }
        bytes = Vec::new();
        while server.wants_write() {
            server.write_tls(&mut bytes).expect("memory");
        }
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            client.read_tls(&mut rest).expect("memory");
            client.process_new_packets()?;
        }
    }
    Ok((server, client))
}

#[test]
fn offers_protocols_and_resumes_sessions() {
    let authority = authority("one");
    let directory = server(&authority);
    let certificates = Certificates::load(options(directory.path())).expect("files");
    let config = client(&authority, None);
    let (server, client) = handshake(&certificates, &config).expect("a handshake");
    assert_eq!(server.protocol_version(), Some(ProtocolVersion::TLSv1_3));
    assert_eq!(client.alpn_protocol(), Some(&b"http/1.1"[..]));
    assert_eq!(server.handshake_kind(), Some(HandshakeKind::Full));
    // The client prefers AES with 256 bits.
    let suite = server.negotiated_cipher_suite().map(|suite| suite.suite());
    assert_eq!(suite, Some(CipherSuite::TLS13_AES_128_GCM_SHA256));
    let (server, _) = handshake(&certificates, &config).expect("a handshake");
    assert_eq!(server.handshake_kind(), Some(HandshakeKind::Resumed));
}

#[test]
fn refuses_versions_below_the_minimum() {
    let authority = authority("one");
    let directory = server(&authority);
    let mut options = options(directory.path());
    options.minimum_version = MinimumVersion::Tls13;
    let certificates = Certificates::load(options).expect("files");
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).expect("a certificate");
    let old = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS12])
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let error = handshake(&certificates, &Arc::new(old)).expect_err("TLS 1.2 is refused");
    assert!(matches!(error, rustls::Error::PeerIncompatible(_)), "{error}");
}

#[test]
fn replaces_the_certificate_for_new_connections_if_a_file_changes() {
    let (first, second) = (authority("one"), authority("two"));
    let directory = server(&first);
    let certificates = Certificates::load(options(directory.path())).expect("files");
    assert_eq!(certificates.reload_if_changed(), Ok(false));
    let (mut open, mut client_of_open) =
        handshake(&certificates, &client(&first, None)).expect("a handshake");
    write(directory.path(), &signed(&second, "localhost"));
    assert_eq!(certificates.reload_if_changed(), Ok(true));
    handshake(&certificates, &client(&first, None)).expect_err("the authority of the old certificate");
    handshake(&certificates, &client(&second, None)).expect("the new certificate");
    // The open connection still works.
    client_of_open.writer().write_all(b"still here").expect("memory");
    let mut bytes = Vec::new();
    client_of_open.write_tls(&mut bytes).expect("memory");
    open.read_tls(&mut bytes.as_slice()).expect("memory");
    open.process_new_packets().expect("valid records");
    let mut text = [0; 10];
    open.reader().read_exact(&mut text).expect("ten bytes");
    assert_eq!(&text, b"still here");
}

#[test]
fn keeps_the_certificate_in_use_if_a_new_file_is_broken_and_reports_the_error_once() {
    let first = authority("one");
    let directory = server(&first);
    let certificates = Certificates::load(options(directory.path())).expect("files");
    // A renewal that has written one of two files: the key does not belong to the certificate.
    let renewed = signed(&first, "localhost");
    fs::write(directory.path().join("server.pem"), &renewed.0).expect("a file");
    let error = certificates
        .reload_if_changed()
        .expect_err("the files do not fit");
    assert!(error.message().contains("does not belong to"), "{error}");
    assert_eq!(certificates.reload_if_changed(), Ok(false));
    handshake(&certificates, &client(&first, None)).expect("the old certificate");
    fs::write(directory.path().join("server.key"), &renewed.1).expect("a file");
    assert_eq!(certificates.reload_if_changed(), Ok(true));
    handshake(&certificates, &client(&first, None)).expect("the new certificate");
    fs::remove_file(directory.path().join("server.key")).expect("a file");
    certificates.reload_if_changed().expect_err("a file is missing");
    handshake(&certificates, &client(&first, None)).expect("the last good certificate");
}

#[test]
fn verifies_certificates_of_clients() {
    let (servers, clients, others) = (authority("servers"), authority("clients"), authority("others"));
    let directory = server(&servers);
    let authorities = directory.path().join("clients.pem");
    fs::write(&authorities, clients.pem()).expect("a file");
    let with = |is_required| {
        let mut options = options(directory.path());
        options.clients = Some(ClientCertificates {
            authorities: authorities.clone(),
            is_required,
        });
        Certificates::load(options).expect("files")
    };
    let known = Some(signed(&clients, "agent"));
    let unknown = Some(signed(&others, "agent"));
    let (server, _) = handshake(&with(true), &client(&servers, known.clone())).expect("a known client");
    assert_eq!(server.peer_certificates().map(<[_]>::len), Some(1));
    handshake(&with(true), &client(&servers, unknown.clone())).expect_err("an unknown authority");
    handshake(&with(true), &client(&servers, None)).expect_err("no certificate");
    handshake(&with(false), &client(&servers, known)).expect("a known client");
    handshake(&with(false), &client(&servers, unknown)).expect_err("an unknown authority");
    let (server, _) = handshake(&with(false), &client(&servers, None)).expect("no certificate");
    assert!(server.peer_certificates().is_none());
}

#[test]
fn refuses_clients_of_an_authority_that_has_expired() {
    let (servers, clients) = (authority("servers"), authority("clients"));
    let mut params = CertificateParams::new(Vec::new()).expect("valid names");
    params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    params.not_after = rcgen::date_time_ymd(2020, 1, 1);
    let expired = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key"));
    let expired = expired.expect("a certificate");
    let directory = server(&servers);
    let authorities = directory.path().join("clients.pem");
    let with = |text: &str, is_required| {
        fs::write(&authorities, text).expect("a file");
        let mut options = options(directory.path());
        options.clients = Some(ClientCertificates {
            authorities: authorities.clone(),
            is_required,
        });
        Certificates::load(options).expect("files")
    };
    let of_expired = client(&servers, Some(signed(&expired, "agent")));
    let of_valid = client(&servers, Some(signed(&clients, "agent")));
    let alone = with(&expired.pem(), true);
    handshake(&alone, &of_expired).expect_err("the only authority has expired");
    let both = with(&format!("{}{}", expired.pem(), clients.pem()), true);
    for _ in 0..2 {
        handshake(&both, &of_expired).expect_err("the authority has expired");
        handshake(&both, &of_valid).expect("the other authority is valid");
    }
    handshake(&both, &client(&servers, None)).expect_err("no certificate");
    let optional = with(&expired.pem(), false);
    handshake(&optional, &of_expired).expect_err("the authority has expired");
    handshake(&optional, &client(&servers, None)).expect("no certificate");
}

#[cfg(unix)]
#[test]
fn reads_files_again_after_a_change_of_their_permissions() {
    use std::os::unix::fs::PermissionsExt as _;

    let authority = authority("one");
    let directory = server(&authority);
    let certificates = Certificates::load(options(directory.path())).expect("files");
    assert_eq!(certificates.reload_if_changed(), Ok(false));
    let key = directory.path().join("server.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o400)).expect("an own file");
    assert_eq!(certificates.reload_if_changed(), Ok(true));
    // A file with the same size and time.
    let time = fs::metadata(&key)
        .and_then(|found| found.modified())
        .expect("a time");
    let copy = directory.path().join("copy.key");
    fs::copy(&key, &copy).expect("a file");
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o600)).expect("an own file");
    let file = fs::File::options().write(true).open(&copy).expect("a file");
    file.set_modified(time).expect("an own file");
    fs::rename(&copy, &key).expect("an own file");
    assert_eq!(certificates.reload_if_changed(), Ok(true));
    assert_eq!(certificates.reload_if_changed(), Ok(false));
}

#[test]
fn reports_files_that_cannot_be_used_by_name() {
    let authority = authority("one");
    let directory = server(&authority);
    let path = |name: &str| directory.path().join(name);
    fs::write(path("empty.pem"), "").expect("a file");
    let of = |change: &dyn Fn(&mut Options)| {
        let mut options = options(directory.path());
        change(&mut options);
        Certificates::load(options)
            .expect_err("an unusable file")
            .to_string()
    };
    let missing = of(&|options| options.certificate = path("missing.pem"));
    assert!(
        missing.contains("the certificate file") && missing.contains("missing.pem cannot be read"),
        "{missing}"
    );
    let empty = of(&|options| options.certificate = path("empty.pem"));
    assert!(
        empty.contains("empty.pem contains no certificate in PEM\nhelp: "),
        "{empty}"
    );
    let key = of(&|options| options.key = path("server.pem"));
    assert!(
        key.contains("contains no private key without a password"),
        "{key}"
    );
    let authorities = of(&|options| {
        options.clients = Some(ClientCertificates {
            authorities: path("empty.pem"),
            is_required: true,
        });
    });
    assert!(
        authorities.contains("the file of authorities for clients"),
        "{authorities}"
    );
}

#[test]
fn reads_the_fields_of_certificates_as_the_conformance_cases_say() {
    let text = include_str!("../../../conformance/client-certificates.json");
    let data: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let cases = data["cases"].as_array().expect("a list");
    assert!(cases.len() > 3);
    for case in cases {
        let name = &case["name"];
        let pem = case["pem"].as_str().expect("PEM");
        let der = CertificateDer::from_pem_slice(pem.as_bytes()).expect("a certificate");
        let fields = CertificateFields::read(&der).expect("a certificate");
        let text = |key: &str| case[key].as_str().map(str::to_owned);
        assert_eq!(Some(fields.subject), text("subject"), "{name}");
        assert_eq!(fields.common_name, text("commonName"), "{name}");
        assert_eq!(Some(fields.issuer), text("issuer"), "{name}");
        assert_eq!(Some(fields.serial_number), text("serialNumber"), "{name}");
        assert_eq!(serde_json::json!(fields.dns_names), case["dnsNames"], "{name}");
        assert_eq!(serde_json::json!(fields.uris), case["uris"], "{name}");
        assert_eq!(serde_json::json!(fields.emails), case["emails"], "{name}");
        let addresses: Vec<_> = fields.ip_addresses.iter().map(ToString::to_string).collect();
        assert_eq!(serde_json::json!(addresses), case["ipAddresses"], "{name}");
        assert!(fields.valid_from < fields.valid_to, "{name}");
        // No prefix and no changed byte of a certificate makes the function panic.
        for end in 0..der.len() {
            assert!(
                CertificateFields::read(&der[..end]).is_none(),
                "{name}, {end} bytes"
            );
            let mut changed = der.to_vec();
            changed[end] ^= 0xFF;
            let _ = CertificateFields::read(&changed);
        }
    }
}

#[test]
fn covers_only_the_hosts_of_the_certificate() {
    let directory = server(&authority("servers"));
    let certificates = Certificates::load(options(directory.path())).expect("valid files");
    assert!(certificates.covers("localhost") && certificates.covers("LOCALHOST"));
    for other in [
        "",
        "other",
        "a.localhost",
        "localhost:80",
        "127.0.0.1",
        "::1",
        "localhost/",
    ] {
        assert!(!certificates.covers(other), "{other}");
    }
    let (from, to) = certificates.validity().expect("times");
    assert!(from < std::time::SystemTime::now() && to > std::time::SystemTime::now());
}
