//! Mistakes in source files that the parser accepts and `tsc` reports. Without these checks kit would report
//! them at another location, or not at all.

use kit_diagnostics::{Code, codes};
use oxc_ast::ast::{Declaration, Program, Statement, TSInterfaceBody, TSSignature, TSTypeLiteral};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use rustc_hash::FxHashMap;

/// A mistake in a source file.
pub(super) struct Mistake {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) location: Span,
    /// Second location of the mistake, such as the first of two declarations.
    pub(super) earlier: Option<Span>,
    pub(super) help: String,
}

/// Returns the mistakes in a file, grouped by kind and then in the order of the source.
pub(super) fn find(program: &Program<'_>, text: &str) -> Vec<Mistake> {
    let mut found = duplicates(program);
    let mut members = Members {
        text,
        found: Vec::new(),
    };
    for statement in &program.body {
        if let Some(Declaration::TSInterfaceDeclaration(_) | Declaration::TSTypeAliasDeclaration(_)) =
            declaration(statement)
        {
            members.visit_statement(statement);
        }
    }
    found.append(&mut members.found);
    found
}

fn declaration<'a>(statement: &'a Statement<'a>) -> Option<&'a Declaration<'a>> {
    match statement {
        Statement::ExportDeclaration(export) => Some(&export.declaration),
        other => other.as_declaration(),
    }
}

/// Returns a mistake for each name that is declared as a type twice. Ignores declarations that TypeScript
/// merges: two interfaces, or an interface and a class.
fn duplicates(program: &Program<'_>) -> Vec<Mistake> {
    let mut known: FxHashMap<&str, (Span, bool)> = FxHashMap::default();
    let mut found = Vec::new();
    for statement in &program.body {
        let (name, merges) = match declaration(statement) {
            Some(Declaration::TSTypeAliasDeclaration(alias)) => (&alias.id, false),
            Some(Declaration::TSInterfaceDeclaration(interface)) => (&interface.id, true),
            _ => continue,
        };
        let Some((earlier, earlier_merges)) = known.get(name.name.as_str()) else {
            known.insert(name.name.as_str(), (name.span, merges));
            continue;
        };
        if !(merges && *earlier_merges) {
            found.push(Mistake {
                code: codes::DUPLICATE_NAME,
                message: format!("`{}` is declared twice", name.name),
                location: name.span,
                earlier: Some(*earlier),
                help: "rename one of the two declarations; two declarations with the same name are allowed only if both are interfaces".to_owned(),
            });
        }
    }
    found
}

/// Finds properties on one line without a separator, as in `title string;`, which the parser reads as two
/// properties.
struct Members<'t> {
    text: &'t str,
    found: Vec<Mistake>,
}

impl<'a> Visit<'a> for Members<'_> {
    fn visit_ts_interface_body(&mut self, body: &TSInterfaceBody<'a>) {
        self.check(&body.body);
        walk::walk_ts_interface_body(self, body);
    }

    fn visit_ts_type_literal(&mut self, literal: &TSTypeLiteral<'a>) {
        self.check(&literal.members);
        walk::walk_ts_type_literal(self, literal);
    }
}

impl Members<'_> {
    fn check(&mut self, members: &[TSSignature<'_>]) {
        for pair in members.windows(2) {
            let (first, second) = (pair[0].span(), pair[1].span());
            // A property's location may include the separator after it.
            let end = first.end.min(second.start).saturating_sub(1);
            let between = self.text.get(end as usize..second.start as usize).unwrap_or(";");
            if between.contains([';', ',', '\n', '\r', '\u{2028}', '\u{2029}']) {
                continue;
            }
            let untyped = matches!(&pair[0], TSSignature::TSPropertySignature(property) if property.type_annotation.is_none());
            let text = |span: Span| {
                self.text
                    .get(span.start as usize..span.end as usize)
                    .unwrap_or_default()
                    .trim_end_matches([';', ','])
            };
            let (before, after) = (text(first), text(second));
            let (message, help) = if untyped {
                (
                    format!("there is no `:` between `{before}` and `{after}`"),
                    format!("write `{before}: {after}`"),
                )
            } else {
                (
                    format!("there is no separator between `{before}` and `{after}`"),
                    "end each property with a `;`".to_owned(),
                )
            };
            self.found.push(Mistake {
                code: codes::SYNTAX,
                message,
                location: Span::new(first.start, second.end),
                earlier: None,
                help,
            });
        }
    }
}
