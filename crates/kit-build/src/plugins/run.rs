//! Runs the taps of a hook, one after the other, and judges what each gives back.

use std::path::PathBuf;

use kit_ir::{Program, Route, RouteId};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::messages::{
    AfterRouteTable, AfterTypeParse, AfterValidators, Answer, BeforeTransform, BuildContext, Compile, Counts,
    Done, Emit,
};
use super::{AddedSources, Additions, Mode, Plugin, TapHost, in_order, program};
use crate::globs::SourceFiles;
use crate::output::OutputFile;
use crate::{BuildError, BuildReport, BuildRequest};

/// The plugins of one build.
pub(crate) struct Taps<'a> {
    pub(crate) request: &'a BuildRequest<'a>,
    pub(crate) host: &'a dyn TapHost,
    pub(crate) mode: Mode,
}

impl<'a> Taps<'a> {
    /// Whether nobody steps in, so that nothing need be prepared.
    pub(crate) fn none(&self, hook: &str) -> bool {
        in_order(&self.request.config.plugins, hook).is_empty()
    }

    /// Runs all taps of a hook. `event` makes what a tap gets, `take` judges what it answers.
    async fn each<S, A: DeserializeOwned>(
        &self,
        hook: &'static str,
        watched: &mut Vec<PathBuf>,
        state: &mut S,
        event: impl Fn(&S) -> Value,
        mut take: impl FnMut(&mut S, &'a Plugin, A) -> Result<(), String>,
    ) -> Result<(), BuildError> {
        let root = self.request.root.to_string_lossy();
        for plugin in in_order(&self.request.config.plugins, hook) {
            let failed = |message: String| BuildError::Plugin {
                plugin: plugin.name.clone(),
                hook,
                message,
            };
            let context = BuildContext {
                root: &root,
                mode: self.mode.name(),
                output_dir: &self.request.config.output_dir,
                dist_dir: &self.request.config.dist_dir,
                plugin: &plugin.name,
            };
            let document = json!({ "build": context, "event": event(state) });
            let answer = self
                .host
                .run_tap(plugin.index, hook, document)
                .await
                .map_err(failed)?;
            let unreadable =
                |error: serde_json::Error| failed(format!("it gave what kit cannot use: {error}"));
            let answer: Answer = serde_json::from_value(answer).map_err(unreadable)?;
            for path in &answer.watch {
                watched.push(self.request.root.join(path));
            }
            let result = serde_json::from_value(answer.result).map_err(unreadable)?;
            take(state, plugin, result).map_err(failed)?;
        }
        Ok(())
    }

    /// Sources of types and contracts that the globs do not find.
    pub(crate) async fn before_transform(
        &self,
        sources: &mut SourceFiles,
        watched: &mut Vec<PathBuf>,
    ) -> Result<AddedSources, BuildError> {
        let root = self.request.root;
        let mut state = (sources, AddedSources::default());
        let names = |paths: &[PathBuf]| -> Vec<String> {
            paths
                .iter()
                .map(|path| crate::globs::relative(root, path))
                .collect()
        };
        self.each(
            "beforeTransform",
            watched,
            &mut state,
            |(sources, _)| json!({ "types": names(&sources.types), "routes": names(&sources.routes) }),
            |(sources, added), _, answer: BeforeTransform| {
                added.add(root, self.request.files.as_ref(), answer, sources)
            },
        )
        .await?;
        Ok(state.1)
    }

    /// The program, which taps may change.
    pub(crate) async fn after_type_parse(
        &self,
        program: &mut Program,
        watched: &mut Vec<PathBuf>,
    ) -> Result<(), BuildError> {
        self.each(
            "afterTypeParse",
            watched,
            program,
            |program| json!({ "program": program::document(program) }),
            |program, _, answer: AfterTypeParse| {
                if let Some(document) = answer.program {
                    *program = program::read(document)?;
                }
                Ok(())
            },
        )
        .await
    }

    /// The generated validators, which taps may replace or add to.
    pub(crate) async fn after_validators(
        &self,
        files: &[OutputFile],
        additions: &mut Additions,
        watched: &mut Vec<PathBuf>,
    ) -> Result<(), BuildError> {
        let validators: Vec<Value> = files
            .iter()
            .filter_map(|file| {
                let name = file
                    .path
                    .strip_prefix("validators/")?
                    .strip_suffix(".validator.ts")?;
                Some(json!({ "type": name, "path": file.path, "text": *file.text }))
            })
            .collect();
        let made = paths(files);
        self.each(
            "afterValidators",
            watched,
            additions,
            |_| json!({ "validators": validators }),
            |additions, plugin, answer: AfterValidators| additions.validators(plugin, &made, answer),
        )
        .await
    }

    /// The routes, of which taps may change what they say, but not which there are.
    pub(crate) async fn after_route_table(
        &self,
        program: &mut Program,
        watched: &mut Vec<PathBuf>,
    ) -> Result<(), BuildError> {
        self.each(
            "afterRouteTable",
            watched,
            program,
            |program| json!({ "routes": program.routes }),
            |program, _, answer: AfterRouteTable| match answer.routes {
                Some(routes) => replace_routes(program, &routes),
                None => Ok(()),
            },
        )
        .await
    }

    /// Files that plugins make.
    pub(crate) async fn emit(
        &self,
        program: &Program,
        files: &[OutputFile],
        additions: &mut Additions,
        watched: &mut Vec<PathBuf>,
    ) -> Result<(), BuildError> {
        let made = paths(files);
        let document = if self.none("emit") {
            Value::Null
        } else {
            program::document(program)
        };
        self.each(
            "emit",
            watched,
            additions,
            |_| json!({ "program": document, "files": made }),
            |additions, plugin, answer: Emit| additions.emitted(plugin, &made, answer),
        )
        .await
    }

    /// The step that makes JavaScript of the project: the name of the plugin that took it over.
    pub(crate) async fn compile(&self, watched: &mut Vec<PathBuf>) -> Result<Option<String>, BuildError> {
        let mut handled = None;
        self.each(
            "compile",
            watched,
            &mut handled,
            |handled: &Option<String>| json!({ "handled": handled.is_some() }),
            |handled, plugin, answer: Compile| {
                if answer.handled && handled.is_none() {
                    *handled = Some(plugin.name.clone());
                }
                Ok(())
            },
        )
        .await?;
        Ok(handled)
    }

    /// The end of a build, whether it wrote something or not.
    pub(crate) async fn done(&self, report: &mut BuildReport) -> Result<(), BuildError> {
        let mut watched = Vec::new();
        let done = Done {
            status: if report.succeeded() { "built" } else { "failed" },
            written: &report.files.written,
            removed: &report.files.removed,
            unchanged: report.files.unchanged,
            counts: Counts {
                sources: report.counts.sources,
                types: report.counts.types,
                entities: report.counts.entities,
                routes: report.counts.routes,
            },
        };
        let event = json!(done);
        self.each(
            "done",
            &mut watched,
            &mut (),
            |()| event.clone(),
            |(), _, _: Value| Ok(()),
        )
        .await?;
        report.dependencies.extend(watched);
        Ok(())
    }
}

fn paths(files: &[OutputFile]) -> Vec<String> {
    files.iter().map(|file| file.path.clone()).collect()
}

/// Takes over what may change of routes; an error names what may not.
fn replace_routes(program: &mut Program, given: &Value) -> Result<(), String> {
    let routes: Vec<Route> = serde_json::from_value(given.clone())
        .map_err(|error| format!("the routes do not fit their form: {error}"))?;
    let printed = serde_json::to_value(&routes).expect("routes always have a JSON form");
    if let Some(place) = program::unread(given, &printed, "routes") {
        return Err(format!("there is `{place}`, which kit does not know"));
    }
    if routes.len() != program.routes.len() {
        return Err(format!(
            "there were {} routes, and it left {}: routes come from contracts and go with them",
            program.routes.len(),
            routes.len()
        ));
    }
    for (index, route) in routes.into_iter().enumerate() {
        let own = &mut program.routes[RouteId::from(index)];
        let allowed = Route {
            summary: route.summary.clone(),
            tags: route.tags.clone(),
            throws: route.throws.clone(),
            documentation: route.documentation.clone(),
            status: route.status,
            ..own.clone()
        };
        if allowed != route {
            return Err(format!(
                "it changed more of `{}` than `summary`, `tags`, `throws`, `documentation` and `status`; change types and contracts in `afterTypeParse`",
                own.reference()
            ));
        }
        *own = route;
    }
    match program.problems().first() {
        None => Ok(()),
        Some(problem) => Err(problem.clone()),
    }
}
