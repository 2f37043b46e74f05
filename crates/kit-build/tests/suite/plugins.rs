//! Tests of plugins in several builds of a session: each build gives the same result as a build
//! without a session.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::SystemTime;

use crate::support::Project;
use kit_build::{
    BuildError, BuildRequest, BuildTime, Disk, Mode, Plugin, Rerun, ResolvedConfig, Session, Tap, TapEvent,
    TapFuture, TapHost, build, build_with, resolve,
};
use kit_diagnostics::Severity;
use serde_json::json;

/// A plugin that adds a type with a property, and a file. Both contain this number.
struct Host(Cell<u32>);

impl TapHost for Host {
    fn run_tap<'a>(&'a self, plugin: usize, hook: &'static str, event: TapEvent) -> TapFuture<'a> {
        assert_eq!(plugin, 0);
        let number = self.0.get();
        let result = if hook == "beforeTransform" {
            let text = format!("export interface Made {{ p{number}: string }}\n");
            json!({ "types": [{ "value": { "path": "virtual/made.types.ts", "text": text } }], "routes": [] })
        } else {
            let declarations = &event.complete_document()["event"]["program"]["declarations"];
            let text = format!("{number} of {}\n", declarations.as_array().unwrap().len());
            json!({ "files": [{ "value": { "path": "made.txt", "text": text } }], "projectFiles": [] })
        };
        Box::pin(async move { Ok(json!({ "watch": ["made.graphql"], "result": result })) })
    }
}

fn now<T>(work: impl Future<Output = T>) -> T {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("the host answers at once"),
    }
}

fn request<'a>(project: &'a Project, config: &'a ResolvedConfig, time: &'a BuildTime) -> BuildRequest<'a> {
    BuildRequest {
        root: &project.root,
        config,
        files: Arc::new(Disk),
        time,
    }
}

#[test]
fn session_applies_the_new_results_of_plugins_in_each_build() {
    let files = [
        ("package.json", "{}"),
        ("src/a.types.ts", "export interface A { a: string }"),
    ];
    let (kept, fresh) = (Project::new(files), Project::new(files));
    let mut config = resolve(&kept.root, None).unwrap().config;
    let tap = |hook| Tap { hook, stage: 0.0 };
    config.plugins.push(Plugin {
        index: 0,
        name: "made".to_owned(),
        taps: vec![tap("beforeTransform"), tap("emit")],
        owns: Vec::new(),
        location: None,
    });
    let time = BuildTime::new(Some("0"), SystemTime::UNIX_EPOCH).unwrap();
    let request = |project| request(project, &config, &time);
    let (kept, fresh) = (&kept, &fresh);
    let host = Host(Cell::new(0));
    let mut session = Session::default();
    for number in [1, 1, 2] {
        host.0.set(number);
        let report = now(session.build_with(&request(kept), &host, Mode::Watch, &())).unwrap();
        assert!(report.succeeded(), "{:?}", report.diagnostics);
        assert!(report.dependencies.contains(&kept.root.join("made.graphql")));
        assert!(
            !report
                .dependencies
                .iter()
                .any(|path| path.ends_with("virtual/made.types.ts"))
        );
        now(build_with(&request(fresh), &host, &())).unwrap();
        assert_eq!(kept.output(), fresh.output());
        assert_eq!(kept.output()["made.txt"], format!("{number} of 2\n"));
        assert!(kept.output()["types.ts"].contains(&format!("p{number}: string")));
    }
    // A build without a host reports plugins as an error. It does not ignore them.
    let report = build(&request(kept), &()).unwrap();
    let said: Vec<String> = report
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| format!("{} {}", diagnostic.code, diagnostic.message))
        .collect();
    assert_eq!(
        said,
        ["KIT1502 plugin `made` failed in `beforeTransform`: nothing here can run it"]
    );
}

/// A plugin that does not end.
struct Unfinished;

impl TapHost for Unfinished {
    fn run_tap<'a>(&'a self, _plugin: usize, _hook: &'static str, _event: TapEvent) -> TapFuture<'a> {
        Box::pin(async { Err("it was stopped".to_owned()) })
    }

    fn is_interrupted(&self) -> bool {
        true
    }
}

#[test]
fn an_analysis_that_runs_nothing_uses_the_last_results_of_the_plugins() {
    let project = Project::new([
        ("package.json", "{}"),
        ("src/a.types.ts", "export interface A { a: string }"),
        ("src/b.types.ts", "export interface B { b: string }"),
    ]);
    let mut config = resolve(&project.root, None).unwrap().config;
    config.plugins.push(Plugin {
        index: 0,
        name: "made".to_owned(),
        taps: vec![Tap {
            hook: "beforeTransform",
            stage: 0.0,
        }],
        owns: Vec::new(),
        location: None,
    });
    let time = BuildTime::new(Some("0"), SystemTime::UNIX_EPOCH).unwrap();
    let request = request(&project, &config, &time);
    let host = Host(Cell::new(1));
    let mut session = Session::default();
    let mut names = |rerun, host: &dyn TapHost| {
        let analysis = now(session.analyze_with(&request, host, rerun, &()))?;
        let declarations = analysis.program.declarations.iter();
        let names: Vec<String> = declarations.map(|declaration| declaration.name.clone()).collect();
        assert!(analysis.dependencies.contains(&project.root.join("made.graphql")));
        let made = analysis.program.declaration("Made").unwrap().1;
        let properties = analysis.program.properties(made.r#type);
        Ok::<_, BuildError>((analysis.is_provisional, names.len(), properties[0].name.clone()))
    };
    // There is no earlier result, so the plugin runs.
    assert_eq!(names(Rerun::Nothing, &host).unwrap(), (false, 3, "p1".to_owned()));
    host.0.set(2);
    project.remove("src/b.types.ts");
    assert_eq!(names(Rerun::Nothing, &host).unwrap(), (true, 2, "p1".to_owned()));
    let stopped = names(Rerun::Plugins, &Unfinished).unwrap_err();
    assert!(matches!(stopped, BuildError::Interrupted), "{stopped}");
    assert_eq!(names(Rerun::Nothing, &host).unwrap(), (true, 2, "p1".to_owned()));
    assert_eq!(names(Rerun::Plugins, &host).unwrap(), (false, 2, "p2".to_owned()));
    assert_eq!(names(Rerun::Nothing, &host).unwrap(), (true, 2, "p2".to_owned()));
}
