//! Doc tags of middleware: `@security` and `@throws`.

use std::rc::Rc;

use kit_diagnostics::{Diagnostic, codes};
use kit_ir::{DeclaredError, Security, SecurityScheme};
use oxc_ast::ast::Expression;
use oxc_span::{GetSpan, Span};

use super::call_option::{self, CallOption};
use super::expression::MAX_CHAIN;
use super::{Located, warn_computed};
use crate::docs::{Doc, Tag, TagName, words};
use crate::lower::Lowering;
use crate::modules::{ModuleId, Symbol, Value};
use crate::routes::{invalid, invalid_throws, is_error_code, throws};

/// Values of the doc tags of a middleware.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct MiddlewareTags {
    /// Authentication that the middleware requires, from `@security`. A request needs to satisfy only one
    /// entry of the list.
    pub(crate) security: Vec<Security>,
    pub(crate) throws: Vec<DeclaredError>,
}

/// Returns the doc tags of the constant or function to which an expression refers. If several constants lead
/// to the middleware, returns the tags of the first constant that has any. For a call such as `jwt({ … })`, the tags of
/// the function describe the middleware that the function returns.
pub(super) fn read<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> MiddlewareTags {
    let mut current = located;
    for _ in 0..MAX_CHAIN {
        let (expression, is_called) = match current.expression.get_inner_expression() {
            Expression::CallExpression(call) => (call.callee.get_inner_expression(), true),
            expression => (expression, false),
        };
        let Expression::Identifier(identifier) = expression else {
            break;
        };
        let graph = &mut lowering.eval.graph;
        let Symbol::Value(module, _, value) = graph.value_symbol(current.module, identifier.name.as_str())
        else {
            break;
        };
        let (span, next) = match value {
            Value::Const(declarator) => (Some(declarator.span), declarator.init.as_ref()),
            Value::Default(expression) => (None, Some(expression)),
            Value::Function(function) => (Some(function.span), None),
            _ => break,
        };
        if let Some(doc) = span.and_then(|span| doc(lowering, module, span)) {
            let mut found = tags(lowering, &doc, is_called.then_some(current));
            if is_called {
                // The text of the comment describes the function, not the middleware.
                for security in &mut found.security {
                    security.description = None;
                }
            }
            if found != MiddlewareTags::default() {
                return found;
            }
        }
        let Some(expression) = next else { break };
        current = Located { module, expression };
    }
    MiddlewareTags::default()
}

/// Returns the doc comment of the statement that contains a declaration; `None` if it has no comment.
fn doc(lowering: &mut Lowering<'_>, module: ModuleId, declared: Span) -> Option<Rc<Doc>> {
    let source = lowering.eval.graph.module(module);
    let statement = source
        .program
        .body
        .iter()
        .map(GetSpan::span)
        .find(|span| span.start <= declared.start && declared.end <= span.end)?;
    let comment = source.doc(statement.start)?;
    let text = source.text;
    let id = lowering.eval.store.doc_at(module, text, comment);
    Some(lowering.eval.store.doc(id))
}

/// Reads the tags that kit uses on middleware. Other tags may belong to other tools. `call` is the call that creates the
/// middleware, if the tags are those of the called function.
fn tags<'a>(lowering: &mut Lowering<'a>, doc: &Doc, call: Option<Located<'a>>) -> MiddlewareTags {
    let mut found = MiddlewareTags::default();
    for slip in &doc.misspelt {
        if slip.meant == TagName::Security {
            let diagnostic =
                Diagnostic::warning(codes::UNKNOWN_TAG, format!("unknown tag `@{}`", slip.written))
                    .label(lowering.graph().label(slip.location))
                    .help("did you mean `@security`?");
            lowering.report(diagnostic);
        }
    }
    let description = doc.text.as_deref().map(|text| first_paragraph(text).to_owned());
    for tag in doc.all(TagName::Security) {
        match scheme(lowering, tag, call) {
            Some(scheme) => found.security.push(Security {
                scheme,
                description: description.clone(),
            }),
            None => {
                lowering.report(
                    invalid(lowering, tag, "@security bearer JWT")
                        .note("the schemes are `bearer [format]`, `basic`, `header <name>`, `cookie <name>` and `query <name>`"),
                );
            }
        }
    }
    for tag in doc.all(TagName::Throws) {
        match throws(tag) {
            Some(throws) => found.throws.push(throws),
            // `@throws {TypeError} …` is a tag of JSDoc, which any function may have.
            None if !names_a_code(tag) => {}
            None => {
                let form = "@throws UNAUTHORIZED 401 The access token is missing.";
                lowering.report(invalid_throws(lowering, tag, form));
            }
        }
    }
    found
}

fn scheme<'a>(lowering: &mut Lowering<'a>, tag: &Tag, call: Option<Located<'a>>) -> Option<SecurityScheme> {
    let words = words(tag);
    let own = |name: &str| name.to_owned();
    let chosen;
    let words = match words.as_slice() {
        [kind, name] => {
            chosen = chosen_name(lowering, kind, name, call)?;
            vec![*kind, &chosen]
        }
        words => words.to_vec(),
    };
    Some(match words.as_slice() {
        ["bearer"] => SecurityScheme::Bearer { format: None },
        ["bearer", format] => SecurityScheme::Bearer {
            format: Some(own(format)),
        },
        ["basic"] => SecurityScheme::Basic,
        // Names of headers and cookies are tokens (RFC 9110, section 5.6.2, and RFC 6265, section 4.1.1).
        ["header", name] if is_token(name) => SecurityScheme::Header { name: own(name) },
        ["cookie", name] if is_token(name) => SecurityScheme::Cookie { name: own(name) },
        ["query", name] => SecurityScheme::Query { name: own(name) },
        _ => return None,
    })
}

/// Returns the name of a header, cookie or parameter in a tag. For `{header=x-api-key}`, this is the value of the option
/// `header` of the call that creates the middleware, and `x-api-key` if the call does not set the option. Returns `None` if
/// the braces do not have this form.
fn chosen_name<'a>(
    lowering: &mut Lowering<'a>,
    kind: &str,
    written: &str,
    call: Option<Located<'a>>,
) -> Option<String> {
    let Some(inner) = written.strip_prefix('{') else {
        return Some(written.to_owned());
    };
    let (option, name) = inner.strip_suffix('}')?.split_once('=')?;
    let found = call.map_or(CallOption::Absent, |call| {
        call_option::read(lowering, call, option)
    });
    Some(match found {
        CallOption::Text(text) if is_token(&text) => text,
        // kit's own middleware refuses this value when the application starts.
        CallOption::Text(_) | CallOption::Absent => name.to_owned(),
        CallOption::Unknown(location) => {
            let help = format!(
                "write the value as a string, or name it in the comment of the middleware's constant: `@security {kind} <name>`"
            );
            warn_computed(lowering, location, &format!("the option `{option}`"), &help);
            name.to_owned()
        }
    })
}

fn is_token(name: &str) -> bool {
    name.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Returns true if a tag is about an error of kit and not a tag of `JSDoc`: its first word looks like a code, or a status follows.
fn names_a_code(tag: &Tag) -> bool {
    let words = words(tag);
    let Some(first) = words.first() else { return true };
    let has_status = words
        .get(1)
        .is_some_and(|status| status.len() == 3 && status.bytes().all(|byte| byte.is_ascii_digit()));
    !first.starts_with('{') && (has_status || looks_like_a_code(first))
}

/// Returns true for `SESSION_EXPIRED`, `session_expired` and `note.not-found`, and false for names of classes and for words.
fn looks_like_a_code(word: &str) -> bool {
    let has_capitals = word.bytes().any(|byte| byte.is_ascii_uppercase());
    let has_small_letters = word.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_of_one_kind = if has_small_letters {
        !has_capitals && word.contains(['-', '.'])
    } else {
        word.len() > 1
    };
    is_error_code(word)
        && word.ends_with(|last: char| last.is_ascii_alphanumeric())
        && (is_of_one_kind || word.contains('_'))
}

fn first_paragraph(text: &str) -> &str {
    text.split("\n\n").next().unwrap_or(text).trim_end()
}
