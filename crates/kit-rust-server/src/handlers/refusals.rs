//! Generates the error responses for missing rows and for rows that the database refuses. Prefers errors that the
//! contracts declare.

use std::fmt::Write as _;

use heck::ToShoutySnakeCase;
use kit_database::ForeignKey;
use kit_ir::{DeclaredError, Method};

use super::{Known, Uses};
use crate::database::{Constraint, Rule, Stored};
use crate::print::{Expression, signature};
use crate::router::{Group, Handled};
use crate::{errors, names};

/// Maximum length of a description that is used as the message of a response, in bytes.
const MESSAGE: usize = 48;

impl<'k> Known<'k, '_> {
    /// Returns the call of the function that creates the error for a missing row.
    pub(super) fn missing(self, handled: &Handled<'_>, stored: &Stored<'_>, uses: &mut Uses) -> String {
        let throws = chosen(&all(handled), &[404], &[stored.entity().to_shouty_snake_case()])
            .or_else(|| only(handled.route.throws.iter().filter(|throws| throws.status == 404)));
        let message = format!("{} not found", words(stored.entity(), true));
        let error = self.error(throws, "not_found", "NOT_FOUND", &message, uses);
        uses.runtime.insert("value");
        let parameters = stored.key_parameters();
        let details: Vec<_> = stored
            .key()
            .zip(&parameters)
            .map(|(column, (name, _))| format!("{}: {name}", names::text(&column.field.property)))
            .collect();
        let details = format!("value!({{ {} }})", details.join(", "));
        let error = error.method("with_details", Some(details)).print(4, 0, 0);
        let given: Vec<_> = parameters
            .iter()
            .map(|(name, r#type)| format!("{name}: {type}"))
            .collect();
        for (_, r#type) in &parameters {
            uses.parameter(r#type);
        }
        let thing = words(stored.entity(), false);
        uses.function(format!("{}_not_found", plain(stored)), |name| {
            let head = signature(0, &format!("fn {name}"), &given, "Error");
            format!("/// What a client hears where there is no such {thing}.\n{head}\n    {error}\n}}\n")
        })
    }

    /// Returns the name of the function that converts a refused write into an error, or `None` if a write cannot
    /// violate a constraint.
    pub(super) fn refused(
        self,
        group: &Group<'_>,
        stored: &'k Stored<'k>,
        uses: &mut Uses,
    ) -> Option<String> {
        let throws = self.thrown_by_writes(group, stored);
        let constraints = stored.constraints();
        let by_name: Vec<Option<&DeclaredError>> = constraints
            .iter()
            .map(|constraint| self.named(constraint, &throws))
            .collect();
        let mut arms = Vec::new();
        for (constraint, named) in constraints.iter().zip(&by_name) {
            let error = match constraint.rule {
                Rule::Unique(columns) => {
                    let is_free = |throws: &&DeclaredError| {
                        throws.status == 409
                            && !by_name.iter().flatten().any(|other| other.code == throws.code)
                    };
                    let throws = named.or_else(|| only(throws.iter().copied().filter(is_free)));
                    let columns: Vec<_> = columns.iter().map(|column| words(column, false)).collect();
                    let thing = words(stored.entity(), false);
                    let message = format!("Another {thing} has this {}", columns.join(" and "));
                    self.error(throws, "conflict", "CONFLICT", &described(throws, message), uses)
                }
                Rule::Reference(key) => self.no_such_row(key, *named, uses)?,
            };
            arms.push((format!("{}::{}", stored.module, constraint.constant), error));
        }
        let updates = group
            .routes
            .iter()
            .any(|handled| handled.route.method != Method::Post && self.writes(handled, stored));
        if updates {
            for (other, constraint) in self.database.referring_to_changeable(stored) {
                let message = format!("It is in use by {}", words(&other.table.name, false));
                let error = self.error(None, "conflict", "CONFLICT", &message, uses);
                uses.module(other);
                arms.push((format!("{}::{}", other.module, constraint.constant), error));
            }
        }
        let comment = format!(
            "What a client hears where the database does not take the {}.",
            words(stored.entity(), false)
        );
        let mut writes = group.routes.iter().filter(|handled| self.writes(handled, stored));
        let has_unfit = writes.any(|handled| self.may_not_fit(handled, stored));
        Self::matching(
            format!("{}_refused", plain(stored)),
            &comment,
            &arms,
            has_unfit,
            uses,
        )
    }

    /// Returns true if a route writes rows of a table.
    fn writes(self, handled: &Handled<'_>, stored: &Stored<'_>) -> bool {
        let is_write = matches!(handled.route.method, Method::Post | Method::Put | Method::Patch);
        let resource = self.resource(handled).filter(|_| is_write);
        resource.is_some_and(|other| other.table.name == stored.table.name)
    }

    /// Returns the errors of the group's routes that write rows of a table.
    fn thrown_by_writes<'g>(self, group: &'g Group<'g>, stored: &Stored<'_>) -> Vec<&'g DeclaredError> {
        let routes = group.routes.iter().filter(|handled| self.writes(handled, stored));
        routes.flat_map(|handled| &handled.route.throws).collect()
    }

    /// Returns the error for a reference to a row that does not exist.
    fn no_such_row(
        self,
        key: &ForeignKey,
        named: Option<&DeclaredError>,
        uses: &mut Uses,
    ) -> Option<Expression> {
        let other = self.database.table(&key.table)?;
        let message = format!("{} not found", words(other.entity(), true));
        Some(self.error(named, "conflict", "CONFLICT", &message, uses))
    }

    /// Returns the same error for a column of a table, as if the database had refused the row.
    pub(super) fn unknown_reference(
        self,
        group: &Group<'_>,
        stored: &Stored<'_>,
        column: &str,
        uses: &mut Uses,
    ) -> Option<Expression> {
        let throws = self.thrown_by_writes(group, stored);
        let constraints = stored.constraints();
        let mut references = constraints.iter().filter_map(|constraint| match constraint.rule {
            Rule::Reference(key) if key.column == column => Some((constraint, key)),
            _ => None,
        });
        let (constraint, key) = references.next()?;
        self.no_such_row(key, self.named(constraint, &throws), uses)
    }

    /// Returns the name of the function that creates the error for a row that other rows refer to and that therefore
    /// cannot be deleted. Returns `None` if no foreign key restricts deletion.
    pub(super) fn in_use(
        self,
        handled: &Handled<'_>,
        stored: &Stored<'_>,
        uses: &mut Uses,
    ) -> Option<String> {
        let mut arms = Vec::new();
        for (other, constraint) in self.database.restricting(&stored.table.name) {
            let throws = handled.route.throws.iter();
            let conflict = throws.clone().filter(|throws| throws.status == 409);
            let throws = chosen(&all(handled), &[409], &[other.entity().to_shouty_snake_case()])
                .or_else(|| only(conflict));
            let message = format!("It is in use by {}", words(&other.table.name, false));
            let error = self.error(throws, "conflict", "CONFLICT", &described(throws, message), uses);
            uses.module(other);
            arms.push((format!("{}::{}", other.module, constraint.constant), error));
        }
        let comment = format!(
            "What a client hears where others refer to the {}.",
            words(stored.entity(), false)
        );
        Self::matching(format!("{}_in_use", plain(stored)), &comment, &arms, false, uses)
    }

    /// Adds a function that converts a violated constraint to an error. With `has_unfit`, the function also handles
    /// values that a column cannot store.
    fn matching(
        wanted: String,
        comment: &str,
        arms: &[(String, Expression)],
        has_unfit: bool,
        uses: &mut Uses,
    ) -> Option<String> {
        if arms.is_empty() && !has_unfit {
            return None;
        }
        let mut code = String::new();
        if has_unfit {
            uses.runtime.insert("sql::is_value_error");
            let message = "A value of the request does not fit its column";
            let arguments = ["VALIDATION_ERROR", message].map(|text| Expression::plain(names::text(text)));
            let error = Expression::call("Error::bad_request", arguments.into());
            let error = error.print(8, "return ;".len(), 0);
            let _ = write!(
                code,
                "    if is_value_error(&error) {{\n        return {error};\n    }}\n"
            );
        }
        if arms.is_empty() {
            code.push_str("    error.into()\n");
        } else {
            uses.runtime.insert("sql::violated_constraint");
            code.push_str("    match violated_constraint(&error) {\n");
            for (constant, error) in arms {
                let head = format!("Some({constant}) => ");
                let flat = error.print(8, head.len(), 1);
                if flat.contains('\n') || 8 + head.len() + flat.len() + 1 > 100 {
                    let error = error.print(12, 0, 0);
                    let _ = write!(code, "        {head}{{\n            {error}\n        }}\n");
                } else {
                    let _ = writeln!(code, "        {head}{flat},");
                }
            }
            code.push_str("        _ => error.into(),\n    }\n");
        }
        Some(uses.function(wanted, |name| {
            format!("/// {comment}\nfn {name}(error: sqlx::Error) -> Error {{\n{code}}}\n")
        }))
    }

    /// Returns the error that the contracts declare for a constraint, by the names of its columns and tables.
    fn named<'t>(
        self,
        constraint: &Constraint<'_>,
        throws: &[&'t DeclaredError],
    ) -> Option<&'t DeclaredError> {
        let (statuses, words): (&[u16], Vec<String>) = match constraint.rule {
            Rule::Unique(columns) => (
                &[409],
                columns.iter().map(|column| column.to_uppercase()).collect(),
            ),
            Rule::Reference(key) => {
                let stem = key.column.strip_suffix("_id").unwrap_or(&key.column);
                let entity = self.database.table(&key.table).map(Stored::entity);
                let words = [stem, entity.unwrap_or_default()].map(str::to_shouty_snake_case);
                (&[404, 409, 400, 422], words.into())
            }
        };
        chosen(throws, statuses, &words)
    }

    /// Returns an error that the contracts declare, or the default error of its kind.
    pub(super) fn error(
        self,
        throws: Option<&DeclaredError>,
        function: &str,
        code: &str,
        message: &str,
        uses: &mut Uses,
    ) -> Expression {
        let message = names::text(message);
        if let Some(variant) = throws.and_then(|throws| errors::variant(self.types.program, throws)) {
            uses.errors = true;
            Expression::plain(format!("AppError::{variant}")).method("with", Some(message))
        } else {
            let arguments = [names::text(code), message].map(Expression::plain);
            Expression::call(format!("Error::{function}"), arguments.into())
        }
    }
}

/// Returns the first error whose code contains one of the words. Earlier words come first; for the same word, earlier
/// statuses come first.
pub(super) fn chosen<'t>(
    throws: &[&'t DeclaredError],
    statuses: &[u16],
    words: &[String],
) -> Option<&'t DeclaredError> {
    let has = |throws: &DeclaredError, word: &str| {
        let code = format!("_{}_", throws.code);
        !word.is_empty() && code.contains(&format!("_{word}_"))
    };
    words.iter().find_map(|word| {
        statuses.iter().find_map(|status| {
            let mut throws = throws.iter().copied();
            throws.find(|throws| throws.status == *status && has(throws, word))
        })
    })
}

fn all<'h>(handled: &Handled<'h>) -> Vec<&'h DeclaredError> {
    handled.route.throws.iter().collect()
}

/// Returns the first error if all errors have the same code.
fn only<'t>(mut throws: impl Iterator<Item = &'t DeclaredError>) -> Option<&'t DeclaredError> {
    let first = throws.next()?;
    throws.all(|other| other.code == first.code).then_some(first)
}

/// Returns the description of an error as a message, if it is short enough.
pub(super) fn described(throws: Option<&DeclaredError>, otherwise: String) -> String {
    let description = throws.and_then(|throws| throws.description.as_deref());
    description
        .map(|text| text.trim().trim_end_matches('.'))
        .filter(|text| !text.is_empty() && text.len() <= MESSAGE && !text.contains('\n'))
        .map_or(otherwise, str::to_owned)
}

/// Splits a name into words: `TeamMember` becomes `team member`.
pub(super) fn words(name: &str, capital: bool) -> String {
    let plain = names::plain_field(name).replace('_', " ");
    match plain.chars().next().filter(|_| capital) {
        Some(first) => first.to_ascii_uppercase().to_string() + &plain[first.len_utf8()..],
        None => plain,
    }
}

fn plain<'s>(stored: &'s Stored<'_>) -> &'s str {
    stored.module.trim_start_matches("r#")
}
