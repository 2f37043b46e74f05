//! Tests of a session, through which a host in JavaScript runs a command.

use crate::support::Project;
use kit_cli::{ProcessEnvironment, Reply, Request, Session, SessionError};

fn session(project: &Project, args: &[&str]) -> Session {
    let root = project.root.to_string_lossy().into_owned();
    let all = args.iter().copied().chain(["--root", &root]);
    Session::new(all.map(Into::into).collect(), ProcessEnvironment)
}

#[test]
fn session_continues_after_the_host_has_replied() {
    let project = Project::new(&[("kit.config.ts", "")]);
    let mut session = session(&project, &["build", "--json"]);
    let path = project.root.join("kit.config.ts").to_string_lossy().into_owned();
    assert_eq!(session.step(None), Ok(Request::LoadConfig { path }));
    let reply = serde_json::from_str::<Reply>(r#"{ "value": { "outputDir": 1 } }"#).unwrap();
    assert_eq!(session.step(Some(reply)), Ok(Request::Exit { code: 1 }));
    assert_eq!(session.step(None), Err(SessionError::Ended));
}

#[test]
fn session_refuses_an_unexpected_reply_and_stays_usable() {
    let project = Project::new(&[("kit.config.ts", "")]);
    let mut session = session(&project, &["build", "--json"]);
    let error = || Reply::Error {
        error: "no".to_owned(),
        at: None,
    };
    assert_eq!(session.step(Some(error())), Err(SessionError::UnexpectedReply));
    assert!(matches!(session.step(None), Ok(Request::LoadConfig { .. })));
    assert_eq!(session.step(None), Err(SessionError::UnexpectedReply));
    assert_eq!(session.step(Some(error())), Ok(Request::Exit { code: 1 }));
}

#[test]
fn requests_of_a_session_have_the_json_form_that_the_host_expects() {
    let json = |request| serde_json::to_string(&request).unwrap();
    assert_eq!(json(Request::Exit { code: 2 }), r#"{"kind":"exit","code":2}"#);
    let request = Request::DatabaseUrl {
        root: "/app".to_owned(),
    };
    assert_eq!(json(request), r#"{"kind":"databaseUrl","root":"/app"}"#);
    assert!(serde_json::from_str::<Reply>("{}").is_err());
}
