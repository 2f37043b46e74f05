//! Names with dots: `A.B.C` in a type, in an expression, or after `import("…")`.

use oxc_ast::ast::{Expression, TSImportTypeQualifier, TSTypeName};
use oxc_span::Span;

/// A name between the dots, with its location.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
}

/// Returns the names in a type's name: `["A", "B"]` for `A.B`. Returns `None` if it starts with `this`.
pub(crate) fn type_path<'a>(name: &'a TSTypeName<'a>) -> Option<Vec<Name<'a>>> {
    let mut names = Vec::new();
    let mut current = name;
    loop {
        match current {
            TSTypeName::IdentifierReference(identifier) => {
                names.push(Name {
                    text: identifier.name.as_str(),
                    span: identifier.span,
                });
                names.reverse();
                return Some(names);
            }
            TSTypeName::QualifiedName(qualified) => {
                names.push(Name {
                    text: qualified.right.name.as_str(),
                    span: qualified.right.span,
                });
                current = &qualified.left;
            }
            TSTypeName::ThisExpression(_) => return None,
        }
    }
}

/// Returns the names after `import("…")` in a type: `["A", "B"]` for `import("…").A.B`.
pub(crate) fn import_path<'a>(qualifier: Option<&'a TSImportTypeQualifier<'a>>) -> Vec<Name<'a>> {
    let mut names = Vec::new();
    let mut current = qualifier;
    while let Some(qualifier) = current {
        let (identifier, rest) = match qualifier {
            TSImportTypeQualifier::Identifier(identifier) => (&**identifier, None),
            TSImportTypeQualifier::QualifiedName(qualified) => (&qualified.right, Some(&qualified.left)),
        };
        names.push(Name {
            text: identifier.name.as_str(),
            span: identifier.span,
        });
        current = rest;
    }
    names.reverse();
    names
}

/// Returns the names in an expression that consists of names with dots: `["A", "B"]` for `A.B`. Returns
/// `None` for any other expression.
pub(crate) fn expression_path<'a>(expression: &'a Expression<'a>) -> Option<Vec<Name<'a>>> {
    let mut names = Vec::new();
    let mut current = expression;
    loop {
        match current {
            Expression::Identifier(identifier) => {
                names.push(Name {
                    text: identifier.name.as_str(),
                    span: identifier.span,
                });
                names.reverse();
                return Some(names);
            }
            Expression::StaticMemberExpression(member) if !member.optional => {
                names.push(Name {
                    text: member.property.name.as_str(),
                    span: member.property.span,
                });
                current = &member.object;
            }
            _ => return None,
        }
    }
}
