//! Tests of analyses of unsaved texts, as editors request them.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::SystemTime;

use crate::support::Project;
use kit_build::{Analysis, BuildRequest, BuildTime, Disk, FileSystem, NoPlugins, Rerun, Session, resolve};

/// Files of the disk, with another text for one of them.
struct Edited(PathBuf, String);

impl FileSystem for Edited {
    fn read(&self, path: &Path) -> io::Result<String> {
        if path == self.0 {
            Ok(self.1.clone())
        } else {
            Disk.read(path)
        }
    }

    fn is_file(&self, path: &Path) -> bool {
        Disk.is_file(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        Disk.is_dir(path)
    }
}

fn analyze(project: &Project, session: &mut Session, text: &str, rerun: Rerun) -> Analysis {
    let config = resolve(&project.root, None)
        .expect("the project can be read")
        .config;
    let time = BuildTime::new(Some("0"), SystemTime::UNIX_EPOCH).expect("the time is valid");
    let files = Edited(project.root.join("src/notes.types.ts"), text.to_owned());
    let request = BuildRequest {
        root: &project.root,
        config: &config,
        files: Arc::new(files),
        time: &time,
    };
    let work = pin!(session.analyze_with(&request, &NoPlugins, rerun, &()));
    match work.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(analysis) => analysis.expect("the environment does not fail"),
        Poll::Pending => unreachable!("an analysis without plugins waits for nothing"),
    }
}

/// Returns the messages about the file whose text is not saved.
fn messages(analysis: &Analysis) -> Vec<&str> {
    let diagnostics = analysis.diagnostics.iter();
    diagnostics
        .filter(|diagnostic| {
            diagnostic
                .primary()
                .is_some_and(|label| label.path == "src/notes.types.ts")
        })
        .map(|diagnostic| diagnostic.message.as_str())
        .collect()
}

#[test]
fn analysis_sees_the_unsaved_text_and_writes_nothing() {
    let saved = "export interface Note { title: string }\n";
    let project = Project::new([("src/notes.types.ts", saved), ("package.json", "{}")]);
    let mut session = Session::default();
    let wrong = "export interface Note { /** @format emial */ title: string }\n";
    for rerun in [Rerun::Everything, Rerun::Plugins, Rerun::Nothing] {
        let found = analyze(&project, &mut session, wrong, rerun);
        assert_eq!(messages(&found), ["unknown format `emial`"]);
        let replacement = found
            .diagnostics
            .iter()
            .find_map(|diagnostic| diagnostic.replacement.as_deref());
        assert_eq!(replacement, Some("@format email"));
        assert!(messages(&analyze(&project, &mut session, saved, rerun)).is_empty());
    }
    assert!(!project.root.join(".kit").exists());
}

#[test]
fn analysis_of_unsaved_text_reports_missing_types_only_after_typescript_was_asked() {
    let text = "export const words = \"a b\".split(\" \");\n\
                /** @table */\nexport interface Note { /** @id */ id: string; words: typeof words }\n";
    let project = Project::new([("src/notes.types.ts", text), ("package.json", "{}")]);
    let mut session = Session::default();
    let kept = analyze(&project, &mut session, text, Rerun::Nothing);
    assert!(messages(&kept).is_empty(), "{:?}", messages(&kept));
    // TypeScript is not installed in this project.
    let asked = analyze(&project, &mut session, text, Rerun::Everything);
    assert_eq!(messages(&asked).len(), 1, "{:?}", messages(&asked));
    let edited = format!("{text}\n");
    let kept = analyze(&project, &mut session, &edited, Rerun::Nothing);
    assert_eq!(messages(&kept), messages(&asked));
}
