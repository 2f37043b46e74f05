//! Passwords, databases and TLS, against servers that are set up that way.
#![allow(clippy::disallowed_methods)] // an authority's certificate is a file

mod support;

use kit_migrate::{MigrateError, server_version};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use support::{database, own_server};

/// An authority's certificate, and a server's with its key, in PEM.
fn certificates(host: &str) -> (String, String, String) {
    let authority_key = KeyPair::generate().expect("a key");
    let mut authority = CertificateParams::new(Vec::new()).expect("parameters");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = authority
        .self_signed(&authority_key)
        .expect("a certificate")
        .pem();
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().expect("a key");
    let server = CertificateParams::new(vec![host.to_owned()])
        .expect("parameters")
        .signed_by(&key, &issuer)
        .expect("a certificate");
    (certificate, server.pem(), key.serialize_pem())
}

fn refused(url: &str) -> (String, String) {
    let error = server_version(url).expect_err("it is refused");
    assert!(matches!(error, MigrateError::Connect { .. }), "{error:?}");
    (error.to_string(), error.help().unwrap_or_default().to_owned())
}

#[test]
fn tls_is_as_strict_as_the_url_says() {
    let (authority, certificate, key) = certificates("localhost");
    let (stranger, _, _) = certificates("localhost");
    let Some(server) = own_server(
        "tls_is_as_strict_as_the_url_says",
        &[
            ("ca.pem", &authority),
            ("stranger.pem", &stranger),
            ("server.pem", &certificate),
            ("server.key", &key),
            ("hba.conf", "hostssl all all 127.0.0.1/32 trust\n"),
        ],
        &[
            "ssl=on",
            "ssl_cert_file={dir}/server.pem",
            "ssl_key_file={dir}/server.key",
            "hba_file={dir}/hba.conf",
        ],
    ) else {
        return;
    };
    let by_number = server.url();
    let by_name = by_number.replace("127.0.0.1", "localhost");
    let roots = |name| format!("sslrootcert={}", server.file(name).display());
    let (ca, stranger) = (roots("ca.pem"), roots("stranger.pem"));
    for url in [
        by_number.clone(),
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
fn a_server_without_tls_is_not_talked_to_where_it_must_be() {
    let Some(database) = database("a_server_without_tls_is_not_talked_to_where_it_must_be") else {
        return;
    };
    let (message, help) = refused(&format!("{}?sslmode=require", database.url));
    assert!(help.contains("sslmode=disable"), "{message} {help}");
}

#[test]
fn passwords_and_names_that_are_wrong_are_said() {
    let Some(server) = own_server(
        "passwords_and_names_that_are_wrong_are_said",
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
