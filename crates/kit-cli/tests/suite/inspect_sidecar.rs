//! Tests of `kit inspect` with a simulated sidecar.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread::JoinHandle;

use crate::support::Project;
use serde_json::json;

/// Starts a server that sends one response. Returns its port, and a thread that returns the received
/// request.
fn sidecar(status: &'static str, body: &'static str) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut buffer = [0; 1024];
        while !request.windows(4).any(|window| window == b"\r\n\r\n") {
            let count = stream.read(&mut buffer).unwrap();
            assert!(count > 0, "the request ended early");
            request.extend_from_slice(&buffer[..count]);
        }
        write!(
            stream,
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        String::from_utf8(request).unwrap()
    });
    (port, thread)
}

const ERROR: &str = r#"{"timestamp":"2026-01-01T00:00:00.000Z","traceId":"abc","code":"NOTE_NOT_FOUND","status":404,"message":"No\nnote","route":"GET /notes/:id","phase":"handler","details":{"id":"1"},"other":1}"#;

#[test]
fn requests_errors_from_the_sidecar() {
    let project = Project::new(&[]);
    let wrapped = Box::leak(format!(r#"{{"errors":[{ERROR}]}}"#).into_boxed_str());
    let bare = Box::leak(format!("[{ERROR}]").into_boxed_str());
    for body in [&*wrapped, &*bare] {
        let (port, asked) = sidecar("200 OK", body);
        let outcome = project.kit(&[
            "inspect",
            "errors",
            "--last",
            "3",
            "--json",
            "--debug-port",
            &port,
        ]);
        assert_eq!(
            outcome.json(),
            json!([{
                "timestamp": "2026-01-01T00:00:00.000Z", "traceId": "abc", "code": "NOTE_NOT_FOUND", "status": 404,
                "message": "No\nnote", "route": "GET /notes/:id", "phase": "handler", "details": { "id": "1" }
            }])
        );
        assert!(
            asked
                .join()
                .unwrap()
                .starts_with("GET /_debug/errors?last=3 HTTP/1.1\r\n")
        );
    }
    let (port, asked) = sidecar("200 OK", bare);
    let text = project.kit(&["inspect", "errors", "--debug-port", &port]).out;
    assert!(
        text.ends_with("404     NOTE_NOT_FOUND  GET /notes/:id  handler  abc    No note\n"),
        "{text}"
    );
    assert!(asked.join().unwrap().contains("last=10 "));
}

#[test]
fn requests_streams_and_their_messages_from_the_sidecar() {
    let project = Project::new(&[]);
    let list = r#"{"open":1,"missed":0,"streams":[
        {"requestId":"a-1","route":"WS /rooms/:id","target":"/rooms/1","received":{"messages":2,"bytes":40},"sent":{"messages":3,"bytes":60},"end":null},
        {"requestId":"a-0","route":"GET /jobs","target":"/jobs","received":{"messages":0,"bytes":0},"sent":{"messages":1,"bytes":9},"end":{"time":1,"result":"closed","code":4001,"reason":"As you wish"}}]}"#;
    let (port, asked) = sidecar("200 OK", list);
    let outcome = project.kit(&[
        "inspect",
        "streams",
        "--route",
        "/rooms/:id",
        "--debug-port",
        &port,
    ]);
    let expected = "\
REQUEST  ROUTE          TARGET    RECEIVED  SENT  END
a-1      WS /rooms/:id  /rooms/1  2         3     open
a-0      GET /jobs      /jobs     0         1     closed 4001 As you wish
";
    assert_eq!((outcome.out.as_str(), outcome.err.as_str()), (expected, ""));
    let asked = asked.join().unwrap();
    assert!(
        asked.starts_with("GET /_debug/streams?limit=20&route=%2Frooms%2F%3Aid "),
        "{asked}"
    );
    let (port, _) = sidecar("200 OK", list);
    let json = project
        .kit(&["inspect", "streams", "--json", "--debug-port", &port])
        .json();
    assert_eq!(json[1]["end"]["code"], 4001);
    let one = r#"{"stream":{"requestId":"a b","route":"WS /rooms/:id","target":"/rooms/1","received":{"messages":1,"bytes":5},"sent":{"messages":1,"bytes":9},
        "messages":[{"direction":"in","bytes":5,"event":null,"text":"{\"a\":1}"},{"direction":"out","bytes":9,"event":"tick","text":null}],"end":null}}"#;
    let (port, asked) = sidecar("200 OK", one);
    let outcome = project.kit(&["inspect", "stream", "a b", "--debug-port", &port]);
    let expected = "\
route     WS /rooms/:id
target    /rooms/1
received  1 messages, 5 bytes
sent      1 messages, 9 bytes
end       open
in        {\"a\":1}
out       tick (9 bytes)
";
    assert_eq!((outcome.out.as_str(), outcome.err.as_str()), (expected, ""));
    assert!(asked.join().unwrap().starts_with("GET /_debug/streams/a%20b "));
}

#[test]
fn requests_traces_from_the_sidecar_and_shows_them_as_trees() {
    let project = Project::new(&[]);
    let body = r#"{"traces":[
        {"traceId":"b","name":"GET /a","status":"error","durationMs":3.5,"children":[
            {"traceId":"b","name":"handler","status":"error","durationMs":2,"children":[]},
            {"traceId":"b","name":"query","status":"unset","children":[]}]},
        {"traceId":"a","name":"GET /b","status":"ok","durationMs":1,"children":[]}]}"#;
    let (port, asked) = sidecar("200 OK", body);
    let text = project.kit(&["inspect", "traces", "--debug-port", &port]).out;
    assert_eq!(
        text,
        "b\n  GET /a  3.5 ms  error\n    handler  2 ms  error\n    query  active\na\n  GET /b  1 ms\n"
    );
    assert!(
        asked
            .join()
            .unwrap()
            .starts_with("GET /_debug/traces HTTP/1.1\r\n")
    );
    let (port, _) = sidecar("200 OK", body);
    let found = project.kit(&[
        "inspect",
        "traces",
        "--route",
        "GET /b",
        "--json",
        "--debug-port",
        &port,
    ]);
    assert_eq!(found.json().as_array().unwrap().len(), 1);
    let (port, _) = sidecar("200 OK", r#"{"traces":[]}"#);
    let none = project.kit(&["inspect", "traces", "--debug-port", &port]);
    assert_eq!(none.out, "no traces\n");
}

#[test]
fn requests_latencies_from_the_sidecar() {
    let project = Project::new(&[]);
    let body =
        r#"{"route":"/a b","window":"1h","count":2,"p50":1.5,"p95":2,"p99":3,"min":1,"max":3,"avgMs":1.7}"#;
    let (port, asked) = sidecar("200 OK", body);
    let outcome = project.kit(&[
        "inspect",
        "performance",
        "--route",
        "/a b",
        "--json",
        "--debug-port",
        &port,
    ]);
    assert_eq!(
        outcome.json(),
        json!({ "route": "/a b", "p50": 1.5, "p95": 2, "p99": 3, "count": 2, "avgMs": 1.7 })
    );
    let asked = asked.join().unwrap();
    assert!(
        asked.starts_with("GET /_debug/performance?route=%2Fa%20b HTTP/1.1\r\n")
            || asked.starts_with("GET /_debug/performance?route=/a%20b HTTP/1.1\r\n"),
        "{asked}"
    );
}

#[test]
fn shows_the_message_of_the_sidecar_for_an_unknown_route() {
    let project = Project::new(&[]);
    let body = r#"{"error":{"code":"ROUTE_NOT_FOUND","message":"there is no route `/n;  x`; did you mean `/notes`?"}}"#;
    let (port, asked) = sidecar("404 Not Found", body);
    let outcome = project.kit(&[
        "inspect",
        "performance",
        "--route",
        "/n;  x",
        "--debug-port",
        &port,
    ]);
    assert_eq!(
        outcome.err,
        "error: there is no route `/n;  x`\nhelp: did you mean `/notes`?\n"
    );
    asked.join().unwrap();
}

#[test]
fn requests_the_state_of_the_server_from_the_sidecar() {
    let project = Project::new(&[]);
    let body =
        r#"{"status":"ok","uptime":3,"adapter":"native","platform":"hyper 1","port":3000,"host":"::"}"#;
    let (port, asked) = sidecar("200 OK", body);
    let outcome = project.kit(&["inspect", "server", "--json", "--debug-port", &port]);
    assert_eq!(
        outcome.json(),
        json!({ "adapter": "native", "platform": "hyper 1", "status": "ok", "port": 3000, "host": "::" })
    );
    asked.join().unwrap();
}

#[test]
fn sends_the_debug_key_and_explains_a_refusal_by_the_sidecar() {
    let mut project = Project::new(&[]);
    let body = r#"{"error":{"code":"UNAUTHORIZED","message":"X-Debug-Key is missing"}}"#;
    let (port, asked) = sidecar("401 Unauthorized", body);
    let outcome = project.kit(&["inspect", "server", "--debug-port", &port]);
    assert_eq!(outcome.code, 1);
    assert_eq!(
        outcome.err,
        format!(
            "error: http://127.0.0.1:{port}/_debug/health answered 401: X-Debug-Key is missing\n\
             help: set the environment variable KIT_DEBUG_KEY to the `apiKey` of the application's debug plugin\n"
        )
    );
    assert!(!asked.join().unwrap().to_lowercase().contains("x-debug-key"));
    project.set("KIT_DEBUG_KEY", "s3cret");
    let (port, asked) = sidecar("401 Unauthorized", body);
    let outcome = project.kit(&["inspect", "server", "--debug-port", &port]);
    assert!(
        outcome
            .err
            .ends_with("help: KIT_DEBUG_KEY must be the `apiKey` of the application's debug plugin\n"),
        "{}",
        outcome.err
    );
    assert!(
        asked
            .join()
            .unwrap()
            .to_lowercase()
            .contains("x-debug-key: s3cret\r\n")
    );
}

#[test]
fn reports_a_sidecar_that_is_not_running() {
    let project = Project::new(&[]);
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port().to_string()
    };
    let outcome = project.kit(&["inspect", "errors", "--json", "--debug-port", &port]);
    assert_eq!(outcome.code, 1);
    assert_eq!(
        outcome.json()["failures"][0]["message"],
        format!("no debug sidecar listens on port {port}")
    );
    let outcome = project.kit(&["inspect", "server", "--debug-port", &port]);
    assert!(
        outcome.err.contains("`debugPlugin()`") && outcome.err.contains("`kit dev` adds none"),
        "{}",
        outcome.err
    );
    let (port, asked) = sidecar("200 OK", "<html>");
    let outcome = project.kit(&["inspect", "errors", "--debug-port", &port]);
    assert!(
        outcome.err.starts_with(&format!(
            "error: port {port} is used by another program, not by a debug sidecar: "
        )),
        "{}",
        outcome.err
    );
    asked.join().unwrap();
}

#[test]
fn says_that_a_program_on_the_port_does_not_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let outcome = Project::new(&[]).kit(&["inspect", "errors", "--json", "--debug-port", &port]);
    let failure = &outcome.json()["failures"][0];
    assert_eq!(
        failure["message"],
        format!("the program on port {port} did not answer within 10 s")
    );
    let help = failure["suggestion"].as_str().unwrap();
    assert!(help.contains("stopped in a debugger"), "{help}");
}

#[test]
fn requests_the_jobs_from_the_sidecar() {
    let project = Project::new(&[]);
    let body = r#"{"hasJobs":true,"queues":[{"name":"send-mail","waiting":2,"later":0,"active":1,"completed":9,"failed":1,"oldestSeconds":4}],
        "failures":[{"id":"7","name":"send-mail","attempts":5,"at":"2026-01-01T00:00:00.000Z","message":null}],"workers":[],
        "schedules":[{"name":"send-mail","key":"","cron":"0 3 * * *","timeZone":"UTC"}]}"#;
    let (port, asked) = sidecar("200 OK", body);
    let outcome = project.kit(&["inspect", "jobs", "--debug-port", &port]);
    assert_eq!(
        outcome.out,
        "JOB        WAITING  LATER  ACTIVE  DONE  FAILED  OLDEST s\nsend-mail  2        0      1       9     1       4\n\n\
         SCHEDULE   KEY  CRON       TIME ZONE\nsend-mail       0 3 * * *  UTC\n\nno worker runs\n\n\
         FAILURE    ID  ATTEMPTS  AT                        MESSAGE\nsend-mail  7   5         2026-01-01T00:00:00.000Z  -\n"
    );
    assert!(asked.join().unwrap().starts_with("GET /_debug/jobs "));
    let (port, _asked) = sidecar("200 OK", r#"{"hasJobs":false}"#);
    let outcome = project.kit(&["inspect", "jobs", "--debug-port", &port]);
    assert!(
        outcome.out.starts_with("the application has no jobs"),
        "{}",
        outcome.out
    );
}
