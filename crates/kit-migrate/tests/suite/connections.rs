//! Tests of passwords, databases and TLS, with servers that are configured for each case.
#![allow(clippy::disallowed_methods)] // an authority's certificate is a file

use kit_test_postgres as support;

use kit_migrate::{MigrateError, server_version};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

use support::{database, own_server};

/// A certificate authority.
struct Authority {
    /// Certificate of the authority, in PEM.
    certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut parameters = CertificateParams::new(Vec::new()).expect("parameters");
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = parameters.self_signed(&key).expect("a certificate").pem();
        Self {
            certificate,
            issuer: Issuer::new(parameters, key),
        }
    }

    /// Returns a certificate for a host or a user, and its key, in PEM.
    fn certify(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let mut parameters = CertificateParams::new(vec![name.to_owned()]).expect("parameters");
        parameters.distinguished_name.push(DnType::CommonName, name);
        let certificate = parameters.signed_by(&key, &self.issuer).expect("a certificate");
        (certificate.pem(), key.serialize_pem())
    }
}

/// Settings of a server with a certificate.
const WITH_TLS: [&str; 4] = [
    "ssl=on",
    "ssl_cert_file={dir}/server.pem",
    "ssl_key_file={dir}/server.key",
    "hba_file={dir}/hba.conf",
];

fn refused(url: &str) -> (String, String) {
    let error = server_version(url).expect_err("it is refused");
    assert!(matches!(error, MigrateError::Connect { .. }), "{error:?}");
    (error.to_string(), error.help().unwrap_or_default().to_owned())
}

#[test]
fn checks_certificates_as_strictly_as_the_url_specifies() {
    let authority = Authority::new();
    let (certificate, key) = authority.certify("localhost");
    let Some(server) = own_server(
        "checks_certificates_as_strictly_as_the_url_specifies",
        &[
            ("ca.pem", &authority.certificate),
            ("stranger.pem", &Authority::new().certificate),
            ("server.pem", &certificate),
            ("server.key", &key),
            ("hba.conf", "hostssl all all 127.0.0.1/32 trust\n"),
        ],
        &WITH_TLS,
    ) else {
        return;
    };
    let by_number = server.url();
    let by_name = by_number.replace("127.0.0.1", "localhost");
    let roots = |name| format!("sslrootcert={}", server.file(name).display());
    let (ca, stranger) = (roots("ca.pem"), roots("stranger.pem"));
    for url in [
        by_number.clone(),
        format!("{by_number}?sslmode=prefer"),
        format!("{by_number}?sslmode=allow"),
        format!("{by_number}?sslmode=require"),
        format!("{by_number}?sslmode=verify-ca&{ca}"),
        format!("{by_name}?sslmode=verify-full&{ca}"),
        format!("{by_name}?sslmode=require&{ca}"),
    ] {
        let version = server_version(&url).unwrap_or_else(|error| panic!("{url}: {error}"));
        assert!(version.major >= 16);
    }
    let (message, help) = refused(&format!("{by_number}?sslmode=disable"));
    assert!(message.contains("no encryption"), "{message}");
    assert!(help.contains("sslmode=require"), "{help}");
    for mode in ["verify-ca", "verify-full", "require"] {
        let (message, help) = refused(&format!("{by_name}?sslmode={mode}&{stranger}"));
        assert!(help.contains("sslrootcert"), "{mode}: {message} {help}");
    }
    let (message, help) = refused(&format!("{by_name}?sslmode=verify-full"));
    assert!(help.contains("sslrootcert"), "{message} {help}");
    let (message, help) = refused(&format!("{by_number}?sslmode=verify-full&{ca}"));
    assert!(help.contains("another host"), "{message} {help}");
}

#[test]
fn connects_without_tls_if_the_server_accepts_no_tls() {
    let (certificate, key) = Authority::new().certify("localhost");
    let Some(server) = own_server(
        "connects_without_tls_if_the_server_accepts_no_tls",
        &[
            ("server.pem", &certificate),
            ("server.key", &key),
            ("hba.conf", "hostnossl all all 127.0.0.1/32 trust\n"),
        ],
        &WITH_TLS,
    ) else {
        return;
    };
    let url = server.url();
    for query in ["", "?sslmode=prefer", "?sslmode=allow", "?sslmode=disable"] {
        server_version(&format!("{url}{query}")).unwrap_or_else(|error| panic!("{query}: {error}"));
    }
    let (message, help) = refused(&format!("{url}?sslmode=require"));
    assert!(message.contains("SSL encryption"), "{message}");
    assert!(help.contains("pg_hba.conf"), "{help}");
}

#[test]
fn presents_a_client_certificate_if_the_server_requires_one() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let (certificate, key) = authority.certify("localhost");
    let (own, own_key) = authority.certify("postgres");
    let (other, other_key) = authority.certify("ada");
    let (forged, forged_key) = stranger.certify("postgres");
    let settings = [&WITH_TLS[..], &["ssl_ca_file={dir}/ca.pem"]].concat();
    let Some(server) = own_server(
        "presents_a_client_certificate_if_the_server_requires_one",
        &[
            ("ca.pem", &authority.certificate),
            ("server.pem", &certificate),
            ("server.key", &key),
            ("own.pem", &own),
            ("own.key", &own_key),
            ("other.pem", &other),
            ("other.key", &other_key),
            ("forged.pem", &forged),
            ("forged.key", &forged_key),
            ("hba.conf", "hostssl all all 127.0.0.1/32 cert\n"),
        ],
        &settings,
    ) else {
        return;
    };
    let file = |name: &str| server.file(name).display().to_string();
    let url = server.url().replace("127.0.0.1", "localhost");
    let full = format!("{url}?sslmode=verify-full&sslrootcert={}", file("ca.pem"));
    let with =
        |certificate: &str, key: &str| format!("{full}&sslcert={}&sslkey={}", file(certificate), file(key));
    server_version(&with("own.pem", "own.key")).expect("the user of the certificate");
    let preferred = format!("{url}?sslcert={}&sslkey={}", file("own.pem"), file("own.key"));
    server_version(&preferred).expect("also where nothing is said of how strict to be");

    let (message, help) = refused(&full);
    assert!(message.contains("client certificate"), "{message}");
    assert!(help.contains("sslcert="), "{help}");
    let (message, _) = refused(&with("other.pem", "other.key"));
    assert!(message.contains("certificate authentication failed"), "{message}");
    refused(&with("forged.pem", "forged.key"));

    let wrong = |url: &str| {
        let error = server_version(url).expect_err("it is refused");
        assert!(matches!(error, MigrateError::Tls(_)), "{error:?}");
        error.to_string()
    };
    let message = wrong(&with("own.pem", "other.key"));
    assert!(message.contains("own.pem"), "{message}");
    let message = wrong(&with("own.pem", "own.pem"));
    assert!(
        message.contains("does not contain a usable private key"),
        "{message}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(server.file("own.key"), mode).expect("a mode");
        let message = wrong(&with("own.pem", "own.key"));
        assert!(message.contains("chmod 600"), "{message}");
    }
}

#[test]
fn trusts_the_authorities_of_the_system() {
    /// Environment variable with the server's URL. It is set only in a child process of this test,
    /// for which the authority of the test belongs to those of the operating system.
    const URL: &str = "KIT_TEST_SYSTEM_URL";
    const NAME: &str = "trusts_the_authorities_of_the_system";
    if let Some(url) = std::env::var_os(URL) {
        let url = url.into_string().expect("a URL");
        for query in [
            "sslrootcert=system",
            "sslrootcert=system&sslmode=verify-full",
            "sslmode=verify-full",
        ] {
            server_version(&format!("{url}?{query}")).unwrap_or_else(|error| panic!("{query}: {error}"));
        }
        let by_number = url.replace("localhost", "127.0.0.1");
        let (message, help) = refused(&format!("{by_number}?sslrootcert=system"));
        assert!(help.contains("another host"), "{message} {help}");
        return;
    }
    let authority = Authority::new();
    let (certificate, key) = authority.certify("localhost");
    let Some(server) = own_server(
        NAME,
        &[
            ("ca.pem", &authority.certificate),
            ("server.pem", &certificate),
            ("server.key", &key),
            ("hba.conf", "hostssl all all 127.0.0.1/32 trust\n"),
        ],
        &WITH_TLS,
    ) else {
        return;
    };
    let url = server.url().replace("127.0.0.1", "localhost");
    let (message, help) = refused(&format!("{url}?sslrootcert=system"));
    assert!(help.contains("sslrootcert"), "{message} {help}");
    if cfg!(target_os = "linux") {
        let this = std::env::current_exe().expect("this program");
        let output = std::process::Command::new(this)
            .args(["--exact", &format!("connections::{NAME}")])
            .env(URL, &url)
            .env("SSL_CERT_FILE", server.file("ca.pem"))
            .env_remove("SSL_CERT_DIR")
            .output()
            .expect("it runs");
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "{told}");
    }
}

#[test]
fn refuses_a_server_without_tls_if_the_url_requires_tls() {
    let Some(database) = database("refuses_a_server_without_tls_if_the_url_requires_tls") else {
        return;
    };
    let (message, help) = refused(&format!("{}?sslmode=require", database.url));
    assert!(help.contains("sslmode=disable"), "{message} {help}");
}

#[test]
fn reports_a_wrong_password_or_database() {
    let Some(server) = own_server(
        "reports_a_wrong_password_or_database",
        &[(
            "hba.conf",
            "host all asked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n",
        )],
        &["hba_file={dir}/hba.conf"],
    ) else {
        return;
    };
    let url = server.url();
    support::execute(&url, "CREATE ROLE asked LOGIN PASSWORD 'right'");
    assert!(server_version(&url.replace("postgres@", "asked:right@")).is_ok());
    let (message, help) = refused(&url.replace("postgres@", "asked:secret@"));
    assert!(
        message.contains("password authentication failed") && !message.contains("secret"),
        "{message}"
    );
    assert!(help.contains("the password in the URL"), "{help}");
    let (message, help) = refused(
        &url.replace("/postgres", "/not_there")
            .replace("//not_there", "//postgres"),
    );
    assert!(
        message.contains("database \"not_there\" does not exist"),
        "{message}"
    );
    assert!(help.contains("CREATE DATABASE"), "{help}");
}
