//! Options and middleware of an application.

use kit_ir::{Application, Cors, Errors, LiteralOption, MiddlewareKind, MiddlewareSource, SecurityHeaders};

use crate::factory::{self, Entry, Factory};
use crate::lower::Lowering;
use crate::modules::Location;

/// Returns the options of the call of `createApp` or `declareApi`, with all middleware. The environment and the jobs are left out.
pub(super) fn application(lowering: &Lowering<'_>, factory: &Factory, errors: Option<Errors>) -> Application {
    let mut middleware: Vec<MiddlewareSource> = Vec::new();
    let mut add = |entry: &Entry, kind: MiddlewareKind| {
        if let Some(known) = middleware
            .iter_mut()
            .find(|known| known.name == entry.name && known.kind == kind)
        {
            // Routes refer to middleware by name. So a name stands for only those values that every
            // middleware with the name adds.
            known
                .added_context
                .retain(|path| entry.added_context.contains(path));
        } else {
            let span = lowering.span(entry.location);
            middleware.push(MiddlewareSource {
                name: entry.name.clone(),
                priority: entry.priority,
                kind,
                security: entry.tags.security.clone(),
                added_context: entry.added_context.clone(),
                is_wrapper: entry.wrapper.is_some(),
                span,
            });
        }
    };
    factory
        .middleware
        .iter()
        .for_each(|entry| add(entry, MiddlewareKind::Global));
    for group in &factory.groups {
        group
            .all_middleware()
            .for_each(|entry| add(entry, MiddlewareKind::Route));
    }
    middleware.sort_by(|a, b| a.priority.total_cmp(&b.priority));
    for defined in &factory.defined {
        if !middleware.iter().any(|known| known.name == defined.name) {
            let span = lowering.span(defined.location);
            middleware.push(MiddlewareSource {
                name: defined.name.clone(),
                priority: 0.0,
                kind: MiddlewareKind::Registered,
                security: Vec::new(),
                added_context: Vec::new(),
                is_wrapper: defined.is_wrapper,
                span,
            });
        }
    }
    let placed = |(location, value): &(Location, Option<serde_json::Value>)| LiteralOption {
        value: value.clone(),
        span: lowering.span(*location),
    };
    let literal = |option: &factory::LiteralOption| option.as_ref().map(placed);
    Application {
        compression: literal(&factory.compression),
        etag: literal(&factory.etag),
        static_files: literal(&factory.static_files),
        request_log: literal(&factory.request_log),
        csrf: literal(&factory.csrf),
        limits: literal(&factory.limits),
        tls: literal(&factory.tls),
        options: factory
            .options
            .iter()
            .map(|(name, option)| (name.clone(), placed(option)))
            .collect(),
        has_unread_options: factory.has_unread_options,
        span: factory.location.map(|location| lowering.span(location)),
        is_declared: factory.is_declared,
        middleware,
        cors: factory.cors.as_ref().map(|(location, rules)| Cors {
            rules: rules.clone(),
            span: lowering.span(*location),
        }),
        security_headers: factory
            .security_headers
            .as_ref()
            .map(|(location, values)| SecurityHeaders {
                values: values.clone(),
                span: lowering.span(*location),
            }),
        errors,
        environment: None,
        jobs: None,
    }
}
