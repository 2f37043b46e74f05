//! Tests of invalid requests that must be rejected, and of similar valid ones.

use crate::support::Server;

const H: &str = "Host: a\r\n";

/// Sends bytes, and expects an error response with this status and code, then the end of the
/// connection.
fn refused(server: &Server, status: u16, code: &str, bytes: impl AsRef<[u8]>) {
    let bytes = bytes.as_ref();
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
    let mut client = server.connect();
    client.send(bytes);
    let answer = client.answer();
    assert_eq!(answer.status, status, "{shown:?}: {}", answer.text());
    assert_eq!(answer.header("connection"), Some("close"), "{shown:?}");
    assert_eq!(
        answer.header("content-type"),
        Some("application/json"),
        "{shown:?}"
    );
    assert!(
        answer
            .text()
            .starts_with(&format!(r#"{{"error":{{"code":"{code}","message":""#)),
        "{shown:?}"
    );
    assert!(client.is_at_end(), "{shown:?}");
}

fn accepted(server: &Server, bytes: impl AsRef<[u8]>) {
    let mut client = server.connect();
    client.send(bytes.as_ref());
    let answer = client.answer();
    assert_eq!(
        answer.status,
        200,
        "{:?}: {}",
        String::from_utf8_lossy(bytes.as_ref()),
        answer.text()
    );
}

#[test]
fn refuses_repeated_headers_that_must_be_unique() {
    let server = Server::start();
    for pair in [
        "Authorization: Bearer a\r\nAuthorization: Bearer b",
        "Authorization: Bearer a\r\nX: y\r\nAUTHORIZATION: Bearer a",
        "Content-Type: text/plain\r\ncontent-type: application/json",
    ] {
        refused(
            &server,
            400,
            "BAD_REQUEST",
            format!("GET / HTTP/1.1\r\n{H}{pair}\r\n\r\n"),
        );
    }
    accepted(
        &server,
        format!("GET / HTTP/1.1\r\n{H}Accept: a\r\nAccept: b\r\nAuthorization: c\r\n\r\n"),
    );
}

#[test]
fn refuses_requests_with_an_ambiguous_length_of_the_body() {
    let server = Server::start();
    let bad = |text: String| refused(&server, 400, "BAD_REQUEST", text);
    bad(format!(
        "POST / HTTP/1.1\r\n{H}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ));
    bad(format!(
        "POST / HTTP/1.1\r\n{H}Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n"
    ));
    bad(format!(
        "POST / HTTP/1.1\r\n{H}Content-Length: 1\r\nContent-Length: 1\r\n\r\na"
    ));
    bad(format!(
        "POST / HTTP/1.1\r\n{H}Content-Length: 1\r\nContent-Length: 2\r\n\r\na"
    ));
    bad(format!(
        "POST / HTTP/1.1\r\n{H}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ));
    bad(format!(
        "POST / HTTP/1.0\r\n{H}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ));
    for length in [
        "",
        "-1",
        "+1",
        "1, 1",
        "0x1",
        "1 1",
        "99999999999999999999",
        "9007199254740993",
        "1_0",
    ] {
        bad(format!("POST / HTTP/1.1\r\n{H}Content-Length: {length}\r\n\r\na"));
    }
    for (coding, status, code) in [
        ("gzip", 400, "BAD_REQUEST"),
        ("chunked, chunked", 400, "BAD_REQUEST"),
        ("identity", 400, "BAD_REQUEST"),
        ("xchunked", 400, "BAD_REQUEST"),
        ("", 400, "BAD_REQUEST"),
        ("gzip, chunked", 501, "NOT_IMPLEMENTED"),
    ] {
        let text = format!("POST / HTTP/1.1\r\n{H}Transfer-Encoding: {coding}\r\n\r\n0\r\n\r\n");
        refused(&server, status, code, text);
    }
    accepted(
        &server,
        format!("POST / HTTP/1.1\r\n{H}transfer-encoding: CHUNKED\r\n\r\n0\r\n\r\n"),
    );
    accepted(
        &server,
        format!("POST / HTTP/1.1\r\n{H}Content-Length:0001 \r\n\r\na"),
    );
}

#[test]
fn refuses_malformed_chunks() {
    let server = Server::start();
    for body in [
        "x\r\n",
        "\r\n",
        "-1\r\n",
        "0x1\r\na\r\n",
        "1\na\r\n",
        "1\r\nab\r\n",
        "1\r\na\n",
        " 1\r\na\r\n",
        "1 \r\na\r\n",
        "FFFFFFFFFFFFFFFFF\r\n",
        "1;\u{1}\r\na\r\n",
        "0\r\nbad trailer\r\n\r\n",
        "0\r\n\n",
    ] {
        let text = format!("POST /echo HTTP/1.1\r\n{H}Transfer-Encoding: chunked\r\n\r\n{body}");
        refused(&server, 400, "BAD_REQUEST", text);
    }
    let extension = format!("1;{}\r\na\r\n0\r\n\r\n", "e".repeat(300));
    let text = format!("POST /echo HTTP/1.1\r\n{H}Transfer-Encoding: chunked\r\n\r\n{extension}");
    refused(&server, 400, "BAD_REQUEST", text);
}

#[test]
fn refuses_many_empty_lines_before_a_request() {
    let server = Server::start();
    let get = format!("GET / HTTP/1.1\r\n{H}\r\n");
    accepted(&server, "\r\n".repeat(8) + &get);
    refused(&server, 400, "BAD_REQUEST", "\r\n".repeat(9) + &get);
    // More than a buffer of the server.
    refused(&server, 400, "BAD_REQUEST", "\r\n".repeat(100_000));
    let mut client = server.connect();
    for _ in 0..3 {
        client.send(("\r\n".repeat(8) + &get).as_bytes());
        assert_eq!(
            client.answer().status,
            200,
            "each request may have empty lines before it"
        );
    }
}

#[test]
fn requires_exactly_one_valid_host() {
    let server = Server::start();
    refused(&server, 400, "BAD_REQUEST", "GET / HTTP/1.1\r\n\r\n");
    refused(
        &server,
        400,
        "BAD_REQUEST",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    );
    refused(
        &server,
        400,
        "BAD_REQUEST",
        "GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n",
    );
    for host in ["a b", "a/b", "user@a", "a\\b", "ä", "a,b\u{7f}", "", ":80", "a:b"] {
        refused(
            &server,
            400,
            "BAD_REQUEST",
            format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        );
    }
    for host in ["a", "a:80", "[::1]:80", "xn--4ca.example", "127.0.0.1"] {
        accepted(&server, format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    }
}

#[test]
fn refuses_malformed_request_lines() {
    let server = Server::start();
    for line in [
        "GET /",
        "GET  / HTTP/1.1",
        "GET / HTTP/1.1 ",
        " GET / HTTP/1.1",
        "GET / http/1.1",
        "GET / HTTP/1.1.1",
        "G\u{e4}T / HTTP/1.1",
        "GET( / HTTP/1.1",
        "GET\t/ HTTP/1.1",
        "GET ! HTTP/1.1",
        "GET a/b HTTP/1.1",
        "GET * HTTP/1.1",
        "GET /ä HTTP/1.1",
        "GET /\u{1} HTTP/1.1",
        "GET /a#b HTTP/1.1",
        "GET /<a> HTTP/1.1",
        "GET /\" HTTP/1.1",
        "GET /` HTTP/1.1",
        "GET /?\" HTTP/1.1",
        "GET /a\\b HTTP/1.1",
        "GET /?q=\\ HTTP/1.1",
        "GET /a/../b HTTP/1.1",
        "GET /a/%2e HTTP/1.1",
        "GET http:// HTTP/1.1",
        "GET ftp://a/ HTTP/1.1",
        "GET http://a b/ HTTP/1.1",
        "GET http://a@b/ HTTP/1.1",
        "GET / FTP/1.1",
        "GET / ",
    ] {
        refused(&server, 400, "BAD_REQUEST", format!("{line}\r\n{H}\r\n"));
    }
    for version in ["HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTTP/3.0"] {
        refused(
            &server,
            505,
            "HTTP_VERSION_NOT_SUPPORTED",
            format!("GET / {version}\r\n{H}\r\n"),
        );
    }
    refused(
        &server,
        505,
        "HTTP_VERSION_NOT_SUPPORTED",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    );
    refused(
        &server,
        501,
        "NOT_IMPLEMENTED",
        format!("CONNECT a:80 HTTP/1.1\r\n{H}\r\n"),
    );
    refused(
        &server,
        400,
        "BAD_REQUEST",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    );
    for target in [
        "/",
        "/a[0]|{b}^",
        "/?q={a}|[b]^`",
        "/%zz",
        "/a//b",
        "/~'()*!$&,;=:@",
        "//x",
    ] {
        accepted(&server, format!("GET {target} HTTP/1.1\r\n{H}\r\n"));
    }
    accepted(&server, format!("OPTIONS * HTTP/1.1\r\n{H}\r\n"));
    accepted(&server, format!("M-SEARCH / HTTP/1.1\r\n{H}\r\n"));
}

#[test]
fn refuses_malformed_header_lines() {
    let server = Server::start();
    for line in [
        "no colon",
        ": no name",
        "a b: c",
        "a : c",
        "a\u{e4}: c",
        "a: b\u{1}c",
        "a: b\u{0}",
        "a: \u{7f}",
        "X: 1\r\n folded",
        "X: 1\r\n\tfolded",
        "a(: b",
        "a: b\rc",
    ] {
        refused(
            &server,
            400,
            "BAD_REQUEST",
            format!("GET / HTTP/1.1\r\n{H}{line}\r\n\r\n"),
        );
    }
    for line in [
        "X:",
        "X: ",
        "X: \t a \t",
        "x!#$%&'*+-.^_`|~: y",
        "X: ä\u{a0}",
        "X: a: b",
    ] {
        accepted(&server, format!("GET / HTTP/1.1\r\n{H}{line}\r\n\r\n"));
    }
}

#[test]
fn refuses_line_ends_other_than_crlf() {
    let server = Server::start();
    for text in [
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\n\r\n",
        "GET / HTTP/1.1\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n",
        "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
    ] {
        refused(&server, 400, "BAD_REQUEST", text);
    }
}

#[test]
fn refuses_requests_that_expect_anything_except_for_100_continue() {
    let server = Server::start();
    for value in ["", "200-ok", "100-continue, x", "1"] {
        let text = format!("POST / HTTP/1.1\r\n{H}Expect: {value}\r\nContent-Length: 1\r\n\r\na");
        refused(&server, 417, "EXPECTATION_FAILED", text);
    }
}

#[test]
fn survives_random_bytes() {
    let server = Server::start();
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let base = format!("POST /echo HTTP/1.1\r\n{H}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
        .into_bytes();
    for _ in 0..400 {
        let mut bytes = base.clone();
        for _ in 0..=random() % 3 {
            let at = usize::try_from(random()).expect("64 bits") % bytes.len();
            match random() % 3 {
                0 => bytes[at] = random().to_le_bytes()[0],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"\r\n :0;"[usize::try_from(random() % 6).expect("small")]),
            }
        }
        let mut client = server.connect();
        client.send(&bytes);
        client.stream.shutdown(std::net::Shutdown::Write).expect("open");
        // The client receives a response or the end of the connection before its own timeout.
        while client.try_answer(false).is_some() {}
    }
    accepted(&server, format!("GET / HTTP/1.1\r\n{H}\r\n"));
}
