//! Tests connections to PostgreSQL servers with and without TLS.
#![cfg(feature = "sqlx")]
#![allow(clippy::disallowed_methods)] // certificates are files
#![allow(clippy::incompatible_msrv)] // the minimum Rust version applies to the sources, not to the tests

use kit_test_postgres as support;

use crate::authority::Authority;
use kit_runtime::postgres::connect;
use support::own_server;

const WITH_TLS: [&str; 4] = [
    "ssl=on",
    "ssl_cert_file={dir}/server.pem",
    "ssl_key_file={dir}/server.key",
    "hba_file={dir}/hba.conf",
];

/// Connects and runs a statement on three connections at the same time. Returns true if all connections are
/// encrypted, false if none is, or the error message.
fn ask(url: &str) -> Result<bool, String> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let pool = connect(url).await.map_err(|error| error.message().to_owned())?;
        let is_encrypted = || async {
            // The sleep is long enough that the other queries need separate connections.
            let query = "SELECT ssl FROM pg_stat_ssl, pg_sleep(0.05) WHERE pid = pg_backend_pid()";
            sqlx::query_scalar::<_, bool>(query).fetch_one(&pool).await
        };
        let answers = tokio::try_join!(is_encrypted(), is_encrypted(), is_encrypted());
        let (first, second, third) = answers.map_err(|error| error.to_string())?;
        assert_eq!((first, first), (second, third));
        let long = "x".repeat(3_000_000);
        let same: String = sqlx::query_scalar("SELECT $1::text")
            .bind(&long)
            .fetch_one(&pool)
            .await
            .map_err(|error| error.to_string())?;
        assert!(same == long, "large values pass");
        pool.close().await;
        Ok(first)
    })
}

#[test]
fn checks_certificates_as_strictly_as_the_sslmode_of_the_url_requires() {
    let authority = Authority::new();
    let (certificate, key) = authority.certify("localhost");
    let Some(server) = own_server(
        "checks_certificates_as_strictly_as_the_sslmode_of_the_url_requires",
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
        // The certificate is for another host, which `verify-ca` accepts.
        format!("{by_number}?sslmode=verify-ca&{ca}"),
        format!("{by_name}?sslmode=verify-full&{ca}"),
        format!("{by_name}?sslmode=require&{ca}"),
    ] {
        assert_eq!(ask(&url), Ok(true), "{url}");
    }
    let refused = ask(&format!("{by_number}?sslmode=disable")).expect_err("refused");
    assert!(
        refused.contains("no encryption") && refused.contains("write `sslmode=require`"),
        "{refused}"
    );
    for mode in ["verify-ca", "verify-full", "require"] {
        let refused = ask(&format!("{by_name}?sslmode={mode}&{stranger}")).expect_err(mode);
        assert!(
            refused.contains("`sslrootcert=/path/to/ca.pem`"),
            "{mode}: {refused}"
        );
    }
    // These modes use the certificate authorities of the operating system.
    for query in ["sslmode=verify-full", "sslrootcert=system"] {
        let refused = ask(&format!("{by_name}?{query}")).expect_err(query);
        assert!(refused.contains("sslrootcert"), "{query}: {refused}");
    }
    let refused = ask(&format!("{by_number}?sslmode=verify-full&{ca}")).expect_err("another host");
    assert!(refused.contains("is for another host"), "{refused}");
    let refused = ask(&format!(
        "{by_name}?sslmode=verify-full&sslrootcert=/not/there.pem"
    ))
    .expect_err("no file");
    assert!(refused.contains("/not/there.pem cannot be read"), "{refused}");
}

#[test]
fn connects_without_tls_to_a_server_that_accepts_no_tls() {
    let (certificate, key) = Authority::new().certify("localhost");
    let Some(server) = own_server(
        "connects_without_tls_to_a_server_that_accepts_no_tls",
        &[
            ("server.pem", &certificate),
            ("server.key", &key),
            ("hba.conf", "hostnossl all all 127.0.0.1/32 trust\n"),
        ],
        &WITH_TLS,
    ) else {
        return;
    };
    for query in ["", "?sslmode=prefer", "?sslmode=allow", "?sslmode=disable"] {
        assert_eq!(ask(&format!("{}{query}", server.url())), Ok(false), "{query}");
    }
    let refused = ask(&format!("{}?sslmode=require", server.url())).expect_err("refused");
    assert!(refused.contains("pg_hba.conf"), "{refused}");
}

#[test]
fn refuses_a_server_without_tls_if_the_url_requires_tls() {
    let Some(server) = own_server("refuses_a_server_without_tls_if_the_url_requires_tls", &[], &[]) else {
        return;
    };
    for query in ["", "?sslmode=prefer", "?sslmode=allow"] {
        assert_eq!(ask(&format!("{}{query}", server.url())), Ok(false), "{query}");
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        let refused = ask(&format!("{}?sslmode={mode}", server.url())).expect_err(mode);
        assert!(
            refused.contains("the server does not support TLS")
                && refused.contains("write `sslmode=disable`"),
            "{refused}"
        );
    }
}

#[test]
fn sends_a_client_certificate_and_refuses_a_key_that_others_can_read() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let (certificate, key) = authority.certify("localhost");
    let (own, own_key) = authority.certify("postgres");
    let (forged, forged_key) = stranger.certify("postgres");
    let settings = [&WITH_TLS[..], &["ssl_ca_file={dir}/ca.pem"]].concat();
    let Some(server) = own_server(
        "sends_a_client_certificate_and_refuses_a_key_that_others_can_read",
        &[
            ("ca.pem", &authority.certificate),
            ("server.pem", &certificate),
            ("server.key", &key),
            ("own.pem", &own),
            ("own.key", &own_key),
            ("open.key", &own_key),
            ("forged.pem", &forged),
            ("forged.key", &forged_key),
            ("hba.conf", "hostssl all all 127.0.0.1/32 cert\n"),
        ],
        &settings,
    ) else {
        return;
    };
    let url = |certificate: &str, key: &str| {
        let (ca, certificate, key) = (server.file("ca.pem"), server.file(certificate), server.file(key));
        format!(
            "{}?sslmode=verify-full&sslrootcert={}&sslcert={}&sslkey={}",
            server.url().replace("127.0.0.1", "localhost"),
            ca.display(),
            certificate.display(),
            key.display()
        )
    };
    assert_eq!(ask(&url("own.pem", "own.key")), Ok(true));
    assert!(ask(&url("forged.pem", "forged.key")).is_err());
    let refused = ask(&format!("{}?sslmode=require", server.url())).expect_err("no certificate");
    assert!(refused.contains("sslcert=/path/to/client.crt"), "{refused}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(server.file("open.key"), open).expect("the mode is set");
        let refused = ask(&url("own.pem", "open.key")).expect_err("an open key");
        assert!(refused.contains("chmod 600"), "{refused}");
    }
}

#[test]
fn removes_the_directories_of_all_tunnels() {
    let authority = Authority::new();
    let (certificate, key) = authority.certify("localhost");
    let Some(server) = own_server(
        "removes_the_directories_of_all_tunnels",
        &[
            ("server.pem", &certificate),
            ("server.key", &key),
            ("hba.conf", "hostssl all all 127.0.0.1/32 trust\n"),
        ],
        &WITH_TLS,
    ) else {
        return;
    };
    let port = server
        .url()
        .rsplit(':')
        .next()
        .and_then(|rest| rest.split('/').next().map(str::to_owned));
    let socket = format!(".s.PGSQL.{}", port.expect("a port"));
    let left = || {
        let directories = std::fs::read_dir(std::env::temp_dir()).expect("a directory");
        let names = directories.filter_map(Result::ok).map(|entry| entry.path());
        names.filter(|path| path.join(&socket).exists()).count()
    };
    assert_eq!(ask(&format!("{}?sslmode=require", server.url())), Ok(true));
    assert!(ask(&format!("{}?sslmode=verify-full", server.url())).is_err());
    assert_eq!(left(), 0);
}
