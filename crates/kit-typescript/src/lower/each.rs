//! Visits the references to declarations, the types and the locations in a program, to change them.

use kit_ir::{
    Application, DeclarationId, ErrorFormat, IndexKey, Program, Route, RouteId, Slot, Span, TemplatePart,
    TypeId, TypeKind,
};

/// Changes each reference to a declaration.
pub(crate) fn each_declaration(program: &mut Program, change: &mut dyn FnMut(&mut DeclarationId)) {
    for index in 0..program.types.len() {
        if let TypeKind::Reference { declaration } = &mut program.types[index.into()].kind {
            change(declaration);
        }
    }
    for index in 0..program.entities.len() {
        change(&mut program.entities[index.into()].declaration);
    }
    for index in 0..program.routes.len() {
        each_declaration_of_route(&mut program.routes[index.into()], change);
    }
    each_declaration_of_application(&mut program.application, change);
}

/// Changes each reference of a route to a declaration.
pub(crate) fn each_declaration_of_route(route: &mut Route, change: &mut dyn FnMut(&mut DeclarationId)) {
    for slot in Slot::ALL {
        route.slots.get_mut(slot).iter_mut().for_each(&mut *change);
    }
    let of_wrappers = route.wrappers.iter_mut().flat_map(|wrapper| &mut wrapper.replies);
    for reply in route.replies.iter_mut().chain(of_wrappers) {
        reply.body.iter_mut().for_each(&mut *change);
        reply.headers.iter_mut().for_each(&mut *change);
        reply.format.inner_types_mut().into_iter().for_each(&mut *change);
    }
    let formats = [&mut route.response_format, &mut route.body_format];
    for format in formats {
        format.inner_types_mut().into_iter().for_each(&mut *change);
    }
    for error in &mut route.throws {
        error.details.iter_mut().for_each(&mut *change);
    }
}

fn each_declaration_of_application(
    application: &mut Application,
    change: &mut dyn FnMut(&mut DeclarationId),
) {
    if let Some(environment) = &mut application.environment {
        change(&mut environment.declaration);
    }
    for job in application.jobs.iter_mut().flat_map(|jobs| &mut jobs.entries) {
        change(&mut job.data);
    }
    let errors = application.errors.as_mut();
    if let Some(rules) = errors.and_then(|errors| errors.rules.as_mut())
        && let ErrorFormat::Declared(declared) = &mut rules.format
    {
        change(&mut declared.body);
    }
}

/// Changes each type inside of a type, in the order of the source.
pub(crate) fn each_inner_type(kind: &mut TypeKind, change: &mut dyn FnMut(&mut TypeId)) {
    let placeholders = |parts: &mut [TemplatePart], change: &mut dyn FnMut(&mut TypeId)| {
        for part in parts {
            if let TemplatePart::Placeholder(id) = part {
                change(id);
            }
        }
    };
    match kind {
        TypeKind::Template { parts } => placeholders(parts, change),
        TypeKind::Array { element } => change(element),
        TypeKind::Tuple { elements } => elements
            .iter_mut()
            .for_each(|element| change(&mut element.r#type)),
        TypeKind::Object(object) => {
            object
                .properties
                .iter_mut()
                .for_each(|property| change(&mut property.r#type));
            for signature in &mut object.index {
                if let IndexKey::Template { parts } = &mut signature.key {
                    placeholders(parts, change);
                }
                change(&mut signature.value);
            }
        }
        TypeKind::Union { members } => members.iter_mut().for_each(change),
        TypeKind::Unknown
        | TypeKind::Never
        | TypeKind::Null
        | TypeKind::Boolean
        | TypeKind::Number
        | TypeKind::String
        | TypeKind::BigInt
        | TypeKind::Date
        | TypeKind::Bytes
        | TypeKind::Literal { .. }
        | TypeKind::Reference { .. } => {}
    }
}

/// Changes each location.
pub(crate) fn each_span(program: &mut Program, change: &mut dyn FnMut(&mut Span)) {
    each_property_span(program, &|_| true, change);
    each_other_span(program, &|_| true, change);
}

/// Changes the locations of the properties of all objects with a location for which `is_wanted` returns true. Returns these
/// objects.
pub(crate) fn each_property_span(
    program: &mut Program,
    is_wanted: &dyn Fn(Span) -> bool,
    change: &mut dyn FnMut(&mut Span),
) -> Vec<TypeId> {
    let mut changed = Vec::new();
    for index in 0..program.types.len() {
        let id = TypeId::from(index);
        // Most types are no objects or have no such location. Access for changes would take longer.
        let is_changed = match &program.types[id].kind {
            TypeKind::Object(object) => object.properties.iter().any(|property| is_wanted(property.span)),
            _ => false,
        };
        if is_changed && let TypeKind::Object(object) = &mut program.types[id].kind {
            let properties = object.properties.iter_mut();
            properties.for_each(|property| change(&mut property.span));
            changed.push(id);
        }
    }
    changed
}

/// Changes the locations for which `is_wanted` returns true and that are not locations of properties. May also change other
/// locations of routes and of the application.
pub(crate) fn each_other_span(
    program: &mut Program,
    is_wanted: &dyn Fn(Span) -> bool,
    change: &mut dyn FnMut(&mut Span),
) {
    // Access for changes copies an item that the program of the last build shares.
    for index in 0..program.declarations.len() {
        let id = DeclarationId::from(index);
        if is_wanted(program.declarations[id].span) {
            change(&mut program.declarations[id].span);
        }
    }
    for index in 0..program.routes.len() {
        let id = RouteId::from(index);
        if !spans_of_route(&program.routes[id]).any(is_wanted) {
            continue;
        }
        let route = &mut program.routes[id];
        change(&mut route.span);
        if let Some(handler) = &mut route.handler {
            change(&mut handler.span);
        }
    }
    each_span_of_application(&mut program.application, change);
}

/// Returns the locations of a route.
fn spans_of_route(route: &Route) -> impl Iterator<Item = Span> {
    let handler = route.handler.as_ref().map(|handler| handler.span);
    std::iter::once(route.span).chain(handler)
}

fn each_span_of_application(application: &mut Application, change: &mut dyn FnMut(&mut Span)) {
    // A new field with a location must be visited.
    let Application {
        span,
        is_declared: _,
        middleware,
        cors,
        security_headers,
        errors,
        environment,
        jobs,
        compression,
        etag,
        static_files,
        request_log,
        csrf,
        limits,
        tls,
        options,
        has_unread_options: _,
    } = application;
    span.iter_mut().for_each(&mut *change);
    let own = [
        cors.as_mut().map(|option| &mut option.span),
        security_headers.as_mut().map(|option| &mut option.span),
        errors.as_mut().map(|option| &mut option.span),
        environment.as_mut().map(|variables| &mut variables.span),
    ];
    own.into_iter().flatten().for_each(&mut *change);
    if let Some(jobs) = jobs {
        change(&mut jobs.span);
        jobs.entries.iter_mut().for_each(|job| change(&mut job.span));
    }
    let literals = [compression, etag, static_files, request_log, csrf, limits, tls];
    let literals = literals.into_iter().flatten().chain(options.values_mut());
    for literal in literals {
        change(&mut literal.span);
    }
    for middleware in middleware {
        change(&mut middleware.span);
    }
}
