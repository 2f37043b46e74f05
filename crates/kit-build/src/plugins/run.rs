//! Runs the plugins' functions for a hook one after the other, and checks their results.

use std::path::PathBuf;
use std::sync::Arc;

use kit_diagnostics::codes;
use kit_ir::{Program, Route, RouteId};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::event::Validator;
use super::messages::{
    AfterRouteTable, AfterTypeParse, AfterValidators, BeforeTransform, BuildContext, Compile, Config, Counts,
    Done, Emit, TapResult,
};
use super::mistake::Mistake;
use super::{AddedSources, Additions, Attachment, Mode, PluginReports, TapEvent, TapHost, in_order, program};
use crate::config::Plugin;
use crate::globs::SourceFiles;
use crate::output::OutputFile;
use crate::{BuildError, BuildReport, BuildRequest};

/// Runs the hook functions of the plugins in one build.
pub(crate) struct Taps<'a> {
    pub(crate) request: &'a BuildRequest<'a>,
    pub(crate) host: &'a dyn TapHost,
    pub(crate) mode: Mode,
}

impl<'a> Taps<'a> {
    /// Returns true if no plugin has a function for the hook, so that its event need not be created.
    pub(crate) fn is_untapped(&self, hook: &str) -> bool {
        in_order(&self.request.config.plugins, hook).is_empty()
    }

    /// Returns true if plugins may change the sources or the types.
    pub(crate) fn change_types(&self) -> bool {
        !self.is_untapped("beforeTransform") || !self.is_untapped("afterTypeParse")
    }

    /// Runs all functions for a hook. `event` creates the event for a function, and `apply` applies its
    /// result. After a failure, the remaining functions do not run and the result is false. Only for the hook
    /// `done`, all functions run, so that each plugin can clean up.
    async fn run_all<S, A: DeserializeOwned>(
        &self,
        hook: &'static str,
        reports: &mut PluginReports,
        state: &mut S,
        event: impl Fn(&S) -> (Value, Option<Attachment>),
        mut apply: impl FnMut(&mut S, &'a Plugin, A) -> Result<(), Mistake>,
    ) -> bool {
        let mut succeeded = true;
        for plugin in in_order(&self.request.config.plugins, hook) {
            let answer = self.run_one(plugin, hook, reports, event(state)).await;
            if let Err(mistake) = answer.and_then(|answer| apply(state, plugin, answer)) {
                reports.add_mistake(self.request.root, plugin, hook, mistake);
                succeeded = false;
                if hook != "done" {
                    break;
                }
            }
        }
        succeeded
    }

    /// Runs one hook function, and stores its diagnostics and watched files.
    async fn run_one<A: DeserializeOwned>(
        &self,
        plugin: &Plugin,
        hook: &'static str,
        reports: &mut PluginReports,
        (event, attachment): (Value, Option<Attachment>),
    ) -> Result<A, Mistake> {
        let root = self.request.root;
        let context = BuildContext {
            root: &root.to_string_lossy(),
            mode: self.mode.name(),
            plugin: &plugin.name,
            config: Config::new(self.request.config),
        };
        let event = TapEvent {
            document: json!({ "build": context, "event": event }),
            attachment,
        };
        let answer = self.host.run_tap(plugin.index, hook, event).await;
        let answer = answer.map_err(|message| Mistake::new(codes::PLUGIN_FAILED, message))?;
        let unreadable = |error: serde_json::Error| {
            Mistake::new(
                codes::INVALID_PLUGIN_RESULT,
                format!("the result of its hook function is invalid: {error}"),
            )
        };
        let answer: TapResult = serde_json::from_value(answer).map_err(unreadable)?;
        for path in &answer.watch {
            reports.watched.push(root.join(path));
        }
        for call in answer.reports {
            reports.report(root, plugin, call)?;
        }
        match answer.failure {
            Some(failure) => Err(failure.into()),
            None => serde_json::from_value(answer.result).map_err(unreadable),
        }
    }

    /// Runs the hook `beforeTransform`, in which plugins add source files that the globs do not match. Returns `None` if a
    /// function failed.
    pub(crate) async fn before_transform(
        &self,
        sources: &mut SourceFiles,
        reports: &mut PluginReports,
    ) -> Option<AddedSources> {
        let root = self.request.root;
        let mut state = (sources, AddedSources::default());
        let names = |paths: &[PathBuf]| -> Vec<String> {
            paths
                .iter()
                .map(|path| crate::globs::relative(root, path))
                .collect()
        };
        let succeeded = self.run_all(
            "beforeTransform",
            reports,
            &mut state,
            |(sources, _)| {
                let event = json!({ "types": names(&sources.types), "routes": names(&sources.routes) });
                (event, None)
            },
            |(sources, added), _, answer: BeforeTransform| {
                added.add(root, self.request.files.as_ref(), answer, sources)
            },
        );
        succeeded.await.then_some(state.1)
    }

    /// Runs the hook `afterTypeParse`, in which plugins may change the program.
    pub(crate) async fn after_type_parse(&self, program: &mut Program, reports: &mut PluginReports) {
        self.run_all(
            "afterTypeParse",
            reports,
            program,
            |program| (json!({}), Some(Attachment::program(program))),
            |program, _, answer: AfterTypeParse| {
                if let Some(document) = answer.program {
                    *program = program::read(document)?;
                }
                Ok(())
            },
        )
        .await;
    }

    /// Runs the hook `afterValidators`, in which plugins may replace generated validators or add files.
    pub(crate) async fn after_validators(
        &self,
        files: &[OutputFile],
        additions: &mut Additions,
        reports: &mut PluginReports,
    ) {
        let validators = files
            .iter()
            .filter_map(|file| {
                let name = file
                    .path
                    .strip_prefix("validators/")?
                    .strip_suffix(".validator.ts")?;
                Some(Validator {
                    r#type: name.to_owned(),
                    path: file.path.clone(),
                    text: Arc::clone(&file.text),
                })
            })
            .collect();
        let validators = Attachment::validators(validators);
        let made = paths(files);
        self.run_all(
            "afterValidators",
            reports,
            additions,
            |_| (json!({}), Some(validators.clone())),
            |additions, plugin, answer: AfterValidators| additions.validators(plugin, &made, answer),
        )
        .await;
    }

    /// Runs the hook `afterRouteTable`, in which plugins may change properties of routes, but not add or remove routes. Returns
    /// true if a route changed.
    pub(crate) async fn after_route_table(&self, program: &mut Program, reports: &mut PluginReports) -> bool {
        let mut state = (program, false);
        self.run_all(
            "afterRouteTable",
            reports,
            &mut state,
            |(program, _)| (json!({}), Some(Attachment::routes(program))),
            |(program, changed), _, answer: AfterRouteTable| match answer.routes {
                Some(routes) => {
                    *changed = true;
                    replace_routes(program, &routes)
                }
                None => Ok(()),
            },
        )
        .await;
        state.1
    }

    /// Runs the hook `emit`, in which plugins add files.
    pub(crate) async fn emit(
        &self,
        program: &Program,
        files: &[OutputFile],
        additions: &mut Additions,
        reports: &mut PluginReports,
    ) -> Result<(), BuildError> {
        let made = paths(files);
        let document = Attachment::program(program);
        self.run_all(
            "emit",
            reports,
            additions,
            |_| (json!({ "files": made }), Some(document.clone())),
            |additions, plugin, answer: Emit| additions.emitted(plugin, &made, answer),
        )
        .await;
        additions.refuse_foreign(self.request.root, &self.request.config.plugins, reports)
    }

    /// Runs the hook `compile`. Returns the name of the plugin that replaced the project's compiler; `None` if no
    /// plugin replaced the compiler.
    pub(crate) async fn compile(&self, reports: &mut PluginReports) -> Option<String> {
        let mut handled = None;
        self.run_all(
            "compile",
            reports,
            &mut handled,
            |handled: &Option<String>| (json!({ "handled": handled.is_some() }), None),
            |handled, plugin, answer: Compile| {
                if answer.handled && handled.is_none() {
                    *handled = Some(plugin.name.clone());
                }
                Ok(())
            },
        )
        .await;
        handled
    }

    /// Runs the hook `done` at the end of a build, even if the build wrote nothing.
    pub(crate) async fn done(&self, report: &BuildReport, reports: &mut PluginReports) {
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
        self.run_all(
            "done",
            reports,
            &mut (),
            |()| (event.clone(), None),
            |(), _, _: Value| Ok(()),
        )
        .await;
    }
}

fn paths(files: &[OutputFile]) -> Vec<String> {
    files.iter().map(|file| file.path.clone()).collect()
}

/// Replaces the routes by the routes that a plugin returned. Plugins may change only certain properties of a
/// route. Fails with the first change that is not allowed.
fn replace_routes(program: &mut Program, given: &Value) -> Result<(), Mistake> {
    let refused = |message: String| Mistake::new(codes::PLUGIN_PROGRAM, message);
    let routes: Vec<Route> = serde_json::from_value(given.clone()).map_err(|error| {
        refused(format!(
            "the routes that the plugin returned have an invalid structure: {error}"
        ))
    })?;
    let printed = serde_json::to_value(&routes).expect("routes always have a JSON form");
    if let Some(place) = program::ignored_member(given, &printed, "routes") {
        return Err(refused(format!(
            "the routes that the plugin returned have an unknown property `{place}`"
        )));
    }
    if routes.len() != program.routes.len() {
        let (before, after) = (program.routes.len(), routes.len());
        return Err(
            refused(format!("a plugin must not add or remove routes: there were {before} routes, but the plugin returned {after}"))
                .help("kit makes a route for each contract: to add routes, add contracts in `beforeTransform`"),
        );
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
            let message = format!(
                "a plugin may change only `summary`, `tags`, `throws`, `documentation` and `status` of the route `{}`",
                own.reference()
            );
            return Err(refused(message).help("to change types and contracts, tap the hook `afterTypeParse`"));
        }
        *own = route;
    }
    match program.problems().into_iter().next() {
        None => Ok(()),
        Some(problem) => Err(refused(problem)),
    }
}
