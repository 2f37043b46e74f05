//! Reader of the option `errors` of `createApp`, with the call of `defineErrorFormat`.
//!
//! OpenAPI, the client and the contract tests describe error bodies, so the reader warns of a value that is known only
//! when the application runs. In this case, all three describe kit's envelope.

use kit_ir::{DeclaredFormat, ErrorFormat, ErrorPaths, ErrorRules, Errors};

use super::calls::kit_call;
use super::expression::{Resolved, follow, number, properties, string};
use super::{Located, warn_computed};
use crate::eval::TyId;
use crate::lower::Lowering;
use crate::modules::Location;
use crate::routes;

/// The option `errors` before its type is converted to the IR.
pub(crate) struct ReadErrors {
    location: Location,
    /// Value of the option. `None` if a part of the value is known only when the application runs.
    value: Option<Value>,
}

struct Value {
    format: Format,
    validation_status: u16,
}

enum Format {
    Envelope,
    ProblemDetails,
    Declared {
        body: TyId,
        location: Location,
        content_type: String,
        paths: ErrorPaths,
    },
}

impl ReadErrors {
    /// Converts the option `errors` to the form of the IR. Adds the declaration of the type of error bodies.
    pub(crate) fn lower(self, lowering: &mut Lowering<'_>) -> Errors {
        let rules = self.value.map(|value| ErrorRules {
            validation_status: value.validation_status,
            format: match value.format {
                Format::Envelope => ErrorFormat::Envelope,
                Format::ProblemDetails => ErrorFormat::ProblemDetails,
                Format::Declared {
                    body,
                    location,
                    content_type,
                    paths,
                } => {
                    lowering
                        .eval
                        .start_subject("the type of `defineErrorFormat`".to_owned(), location);
                    ErrorFormat::Declared(DeclaredFormat {
                        body: routes::declaration(lowering, body, "ErrorBody", location),
                        content_type,
                        paths,
                    })
                }
            },
        });
        let span = lowering.span(self.location);
        Errors { rules, span }
    }
}

/// Reads the option `errors`. Warns if a part of its value is known only when the application runs.
pub(super) fn read<'a>(lowering: &mut Lowering<'a>, option: Located<'a>) -> ReadErrors {
    ReadErrors {
        location: option.location(),
        value: value(lowering, option),
    }
}

fn value<'a>(lowering: &mut Lowering<'a>, option: Located<'a>) -> Option<Value> {
    const WHAT: &str = "the option `errors`";
    const HELP: &str = "write the option as an object literal, such as `{ format: \"problem-details\" }`; until then, OpenAPI, the client and the contract tests expect kit's own format";
    let Some((members, complete)) = properties(lowering, option, WHAT) else {
        warn_computed(lowering, option.location(), WHAT, HELP);
        return None;
    };
    let mut found = Value {
        format: Format::Envelope,
        validation_status: 400,
    };
    let mut is_known = complete;
    for member in members {
        let location = member.value.location();
        match member.name.as_str() {
            "format" => match format(lowering, member.value) {
                Some(format) => found.format = format,
                None => is_known = false,
            },
            "validationStatus" => match number(lowering, member.value) {
                Some(400.0) => {}
                Some(422.0) => found.validation_status = 422,
                _ => {
                    warn_computed(lowering, location, "this status", "write `400` or `422`");
                    is_known = false;
                }
            },
            // TypeScript and the start of the application report an unknown name.
            _ => is_known = false,
        }
    }
    is_known.then_some(found)
}

fn format<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<Format> {
    match string(lowering, located).as_deref() {
        Some("envelope") => return Some(Format::Envelope),
        Some("problem-details") => return Some(Format::ProblemDetails),
        _ => {}
    }
    let what = "this error format";
    if let Resolved::Expression(found, _) = follow(lowering, located)
        && let Some(call) = kit_call(lowering, found, "defineErrorFormat")
    {
        let location = Location {
            module: found.module,
            span: call.span,
        };
        let Some(body) = call
            .type_arguments
            .as_ref()
            .and_then(|arguments| arguments.params.first())
        else {
            let help = "name the type of the body: `defineErrorFormat<MyError>({ … })`";
            warn_computed(lowering, location, "the type of this error format", help);
            return None;
        };
        let scope = lowering.eval.module_scope(found.module);
        let body = lowering.eval.evaluate(body, scope);
        let argument = call
            .arguments
            .first()
            .and_then(|argument| argument.as_expression());
        let options = argument.map(|argument| found.with(argument));
        let (content_type, paths) = options.and_then(|options| declared_options(lowering, options))?;
        return Some(Format::Declared {
            body,
            location,
            content_type,
            paths,
        });
    }
    warn_computed(
        lowering,
        located.location(),
        what,
        "write `\"envelope\"`, `\"problem-details\"`, or a constant with the result of `defineErrorFormat<MyError>({ … })`",
    );
    None
}

/// Reads the content type and the paths from the options of `defineErrorFormat`.
fn declared_options<'a>(lowering: &mut Lowering<'a>, options: Located<'a>) -> Option<(String, ErrorPaths)> {
    let what = "the options of this error format";
    let help = "write the options as an object literal";
    let Some((members, complete)) = properties(lowering, options, what) else {
        warn_computed(lowering, options.location(), what, help);
        return None;
    };
    let mut content_type = "application/json".to_owned();
    let mut paths = ErrorPaths::default();
    for member in members {
        let value = member.value;
        match member.name.as_str() {
            "contentType" => {
                let Some(text) = string(lowering, value) else {
                    warn_computed(
                        lowering,
                        value.location(),
                        "this content type",
                        "write the content type as a string",
                    );
                    return None;
                };
                content_type = text.into_owned();
            }
            "paths" => paths = read_paths(lowering, value)?,
            _ => {}
        }
    }
    complete.then_some((content_type, paths))
}

fn read_paths<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<ErrorPaths> {
    let what = "the paths of this error format";
    let Some((members, complete)) = properties(lowering, located, what) else {
        let help = "write the paths as an object literal, such as `{ code: \"error.type\" }`";
        warn_computed(lowering, located.location(), what, help);
        return None;
    };
    let mut paths = ErrorPaths::default();
    for member in members {
        let Some(text) = string(lowering, member.value) else {
            warn_computed(
                lowering,
                member.value.location(),
                "this path",
                "write the path as a string, such as `\"error.type\"`",
            );
            return None;
        };
        let names = text.split('.').map(str::to_owned).collect();
        match member.name.as_str() {
            "code" => paths.code = names,
            "message" => paths.message = names,
            "details" => paths.details = names,
            "traceId" => paths.trace_id = names,
            _ => {}
        }
    }
    complete.then_some(paths)
}
