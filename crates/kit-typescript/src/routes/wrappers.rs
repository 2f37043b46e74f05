//! Wrappers: middleware that is created with `defineWrapper<{ adds: …; replies: …; errors: … }>`. Their replies and
//! failures belong to the contract of every route that they wrap.

use kit_diagnostics::{Diagnostic, closest, codes};
use kit_ir::{DeclaredError, DeclaredReply, RouteWrapper};
use rustc_hash::FxHashMap;

use super::contract::Part;
use super::{Contract, failures, replies};
use crate::eval::{ERRORS, Ty, TyId, pascal};
use crate::factory::{DeclaredWrapper, Entry};
use crate::lower::Lowering;
use crate::modules::Location;

/// Property in the type argument of `defineWrapper`: the properties that the wrapper adds to `ctx`.
const ADDS: &str = "adds";
/// Property in the type argument of `defineWrapper`: the replies of the wrapper.
const REPLIES: &str = "replies";
/// All properties that the type argument of `defineWrapper` may have.
const PARTS: [&str; 3] = [ADDS, REPLIES, ERRORS];

/// Evaluates the type arguments of the wrappers in the registered middleware, and gives each entry its replies and
/// failures. A wrapper that is registered several times is evaluated once, so that its types have one declaration.
pub(crate) fn read<'e>(lowering: &mut Lowering<'_>, middleware: impl Iterator<Item = &'e mut Entry>) {
    let mut known: FxHashMap<Location, ReadWrapper> = FxHashMap::default();
    for entry in middleware {
        let Some(wrapper) = &mut entry.wrapper else {
            continue;
        };
        let read = known
            .entry(wrapper.location)
            .or_insert_with(|| evaluate(lowering, &entry.name, wrapper));
        entry.added = read.adds;
        wrapper.replies.clone_from(&read.replies);
        // The text of a `@throws` tag describes the failure with the same code.
        for failure in &read.errors {
            match entry.tags.throws.iter_mut().find(|tag| tag.code == failure.code) {
                Some(tag) => {
                    tag.status = failure.status;
                    tag.details = failure.details;
                }
                None => entry.tags.throws.push(failure.clone()),
            }
        }
    }
}

/// Values in the type argument of `defineWrapper`.
#[derive(Default)]
struct ReadWrapper {
    adds: Option<TyId>,
    replies: Vec<DeclaredReply>,
    errors: Vec<DeclaredError>,
}

fn evaluate(lowering: &mut Lowering<'_>, name: &str, wrapper: &DeclaredWrapper) -> ReadWrapper {
    let mut read = ReadWrapper::default();
    let Some(argument) = wrapper.argument else {
        return read;
    };
    lowering
        .eval
        .start_subject(format!("the wrapper `{name}`"), wrapper.location);
    let shape = lowering.eval.shape(argument);
    let object = match *lowering.eval.store.get(shape) {
        Ty::Object(object) => lowering.eval.store.object_at(object),
        Ty::Invalid(id) => {
            let diagnostic = lowering.eval.store.invalid[id.index()].clone();
            lowering.report(diagnostic);
            return read;
        }
        _ => {
            let text = lowering.eval.text(argument);
            let message =
                format!("the type argument of the wrapper `{name}` must be an object, not `{text}`");
            let help = "write the parts that the wrapper has: `defineWrapper<{ adds: { startedAt: number }; replies: Reply<304> }>`";
            let diagnostic = mistake(lowering, wrapper.location, message, help);
            lowering.report(diagnostic);
            return read;
        }
    };
    lowering.report_all(object.issues.clone());
    let owner = format!("the wrapper `{name}`");
    let base = pascal(name);
    for property in object.visible() {
        let part = Part {
            ty: property.ty,
            location: property.location,
        };
        match &*property.name {
            ADDS => read.adds = Some(part.ty),
            REPLIES if !is_never_or_void(lowering, part.ty) => {
                read.replies = replies::union(lowering, &owner, part, &base);
                if read.replies.iter().any(|reply| reply.format.is_union()) {
                    let message = format!("a reply of {owner} is a union of formats");
                    let help =
                        "write one format: only the answers of handlers are chosen by the header `accept`";
                    super::bodies::invalid(lowering, part.location, message, help);
                    read.replies.clear();
                }
            }
            ERRORS => read.errors = failures::union(lowering, &format!("{owner} has"), part, &base),
            REPLIES => {}
            other => {
                let help = match closest(other, PARTS) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the parts are {}", PARTS.join(", ")),
                };
                let message = format!("{owner} has `{other}`, which is not a part of a wrapper");
                let diagnostic = mistake(lowering, property.location, message, &help);
                lowering.report(diagnostic);
            }
        }
    }
    read
}

fn is_never_or_void(lowering: &mut Lowering<'_>, ty: TyId) -> bool {
    let shape = lowering.eval.shape(ty);
    matches!(lowering.eval.store.get(shape), Ty::Never | Ty::Undefined)
}

/// Returns the wrappers in the middleware of a route whose contract declares the errors `own`. A wrapper that runs twice is
/// once in the list.
pub(super) fn of_route(middleware: &[Entry], own: &[DeclaredError]) -> Vec<RouteWrapper> {
    let mut wrappers: Vec<RouteWrapper> = Vec::new();
    for entry in middleware {
        if let Some(wrapper) = &entry.wrapper
            && !wrappers.iter().any(|earlier| earlier.name == entry.name)
        {
            let declared = entry.tags.throws.iter().map(|error| &error.code);
            let errors = declared.filter(|code| !own.iter().any(|known| known.code == **code));
            wrappers.push(RouteWrapper {
                name: entry.name.clone(),
                replies: wrapper.replies.clone(),
                errors: errors.cloned().collect(),
            });
        }
    }
    wrappers
}

/// Reports replies of wrappers that a client cannot tell from another reply of the route, because the status
/// is the same and the types differ. Reports two wrappers with the same name, because the server finds the
/// replies of a wrapper by its name.
pub(super) fn check(
    lowering: &mut Lowering<'_>,
    contract: &Contract,
    own: &[DeclaredReply],
    plain: DeclaredReply,
    middleware: &[Entry],
) {
    let mut seen: Vec<(DeclaredReply, String)> = own
        .iter()
        .map(|reply| (reply.clone(), "its contract".to_owned()))
        .collect();
    if own.is_empty() {
        seen.push((plain, "its contract".to_owned()));
    }
    let mut names: Vec<(&str, Location)> = Vec::new();
    for entry in middleware {
        let Some(wrapper) = &entry.wrapper else {
            continue;
        };
        if names.contains(&(&entry.name, wrapper.location)) {
            continue;
        }
        if names.iter().any(|(name, _)| *name == entry.name) {
            let message = format!(
                "`{}` has two wrappers with the name `{}`",
                contract.key, entry.name
            );
            let help = "give each wrapper its own name: `{ name: \"…\", middleware, priority: 0 }`";
            let diagnostic = mistake(lowering, entry.location, message, help);
            lowering.report(diagnostic);
            continue;
        }
        names.push((&entry.name, wrapper.location));
        for reply in &wrapper.replies {
            match seen.iter().find(|(earlier, _)| earlier.status == reply.status) {
                Some((earlier, _)) if earlier == reply => {}
                Some((_, owner)) => {
                    let message = format!(
                        "the wrapper `{}` and {owner} declare different replies with the status {} for `{}`",
                        entry.name, reply.status, contract.key
                    );
                    let help = "give one of the two replies another status, or declare the same named types for the body and the headers";
                    let mut label = lowering.graph().label(wrapper.location).message("the wrapper");
                    label.primary = false;
                    let diagnostic = mistake(lowering, contract.location, message, help).label(label);
                    lowering.report(diagnostic);
                }
                None => seen.push((reply.clone(), format!("the wrapper `{}`", entry.name))),
            }
        }
    }
}

fn mistake(lowering: &Lowering<'_>, location: Location, message: String, help: &str) -> Diagnostic {
    lowering
        .eval
        .diagnostic(codes::INVALID_WRAPPER, location, message)
        .help(help)
}
