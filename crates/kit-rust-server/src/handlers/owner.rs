//! Handles `@owner` in handlers: the value of the request that rows are compared with, owners that a request specifies,
//! and references to rows that have an owner.

use heck::ToShoutySnakeCase as _;
use kit_ir::{DeclaredError, Program};

use super::refusals::{chosen, described, words};
use super::values::Given;
use super::{Denial, DeniedRoute, Known, Uses};
use crate::database::{Rows, Stored, StoredColumn};
use crate::print::{Expression, chain, signature};
use crate::router::{Group, Handled};
use crate::{HandlerText, Warning, names};

/// Owner of rows, in a handler.
pub(super) struct RowOwner {
    /// Statement that reads the value from the request; empty for a table without an owner.
    pub(super) lets: String,
    /// Argument of the database functions, followed by a comma; empty for a table without an owner.
    pub(super) argument: String,
    /// Name of the variable.
    name: &'static str,
    /// Value of the variable: `&input.require_auth.user_id`.
    value: String,
    is_copied: bool,
}

impl RowOwner {
    /// Appends the owner to the arguments of a database function.
    pub(super) fn after(&self, arguments: &str) -> String {
        match self.argument.strip_suffix(", ") {
            Some(owner) => format!("{arguments}, {owner}"),
            None => arguments.to_owned(),
        }
    }

    /// Returns the value for a new row, in the number of `Option`s that the insert requires.
    pub(super) fn owned(&self, options: usize) -> String {
        let name = self.name;
        let value = if self.is_copied {
            name.to_owned()
        } else {
            format!("{name}.clone()")
        };
        (0..options).fold(value, |inner, _| format!("Some({inner})"))
    }
}

impl<'k> Known<'k, '_> {
    /// Returns the owner in the handler of a route. If the handler must not access the rows, the reason is stored in
    /// `uses.denied`, and the caller discards the generated handler.
    pub(super) fn row_owner(self, handled: &Handled<'_>, stored: &Stored<'_>, uses: &mut Uses) -> RowOwner {
        let entity = stored.entity();
        let mut row_owner = RowOwner {
            lets: String::new(),
            argument: String::new(),
            name: "owner",
            value: String::new(),
            is_copied: false,
        };
        let value = match stored.rows {
            Rows::All => return row_owner,
            Rows::Undeclared if handled.middleware.is_empty() => return row_owner,
            Rows::Undeclared => {
                uses.denied.get_or_insert(Denial {
                    reason: format!("put `@owner property = ctx.name` or `@owner none` on `{entity}`"),
                    undeclared: Some(stored.table.entity.clone()),
                });
                return row_owner;
            }
            Rows::Unsupported => Err(format!("kit cannot compare the `@owner` of `{entity}` in SQL")),
            Rows::Owned { context, .. } => self.value(handled, stored, context),
        };
        let value = match value {
            Ok(value) => value,
            Err(reason) => {
                uses.deny(reason);
                return row_owner;
            }
        };
        if let Some((name, r#type)) = stored.owner_parameter() {
            row_owner.is_copied = !r#type.starts_with('&');
            let borrowed = if row_owner.is_copied { "" } else { "&" };
            row_owner.value = format!("{borrowed}{value}");
            row_owner.lets = format!("        let {name} = {};\n", row_owner.value);
            row_owner.argument = format!("{name}, ");
            row_owner.name = name;
        }
        row_owner
    }

    /// Returns the expression of `ctx.` `context` in a handler, or the reason why there is none.
    fn value(self, handled: &Handled<'_>, stored: &Stored<'_>, context: &str) -> Result<String, String> {
        let entity = stored.entity();
        let Some(value) = handled.added(context) else {
            return Err(format!(
                "rows of `{entity}` belong to `ctx.{context}`, which no middleware of the route adds"
            ));
        };
        let own = stored.owner().map(|(column, _)| column.plain_type());
        if own != self.database.type_of_context(context) {
            return Err(format!(
                "two entities have `ctx.{context}` as owner, in two types"
            ));
        }
        Ok(value)
    }

    /// Returns statements that refuse a request which specifies another owner for the row.
    pub(super) fn refuses_other_owner(
        self,
        group: &Group<'_>,
        stored: &Stored<'_>,
        row_owner: &RowOwner,
        given: &[Given<'_>],
        uses: &mut Uses,
    ) -> Option<String> {
        let Some((column, _)) = stored.owner() else {
            return Some(String::new());
        };
        let mut code = String::new();
        for given in given.iter().filter(|given| given.is_of(column)) {
            let differs = given.differs(column, row_owner.name, row_owner.is_copied)?;
            let error = self.other_owner(group, stored, uses);
            let head = condition(&differs);
            code.push_str(&format!("{head}            return Err({error}());\n        }}\n"));
        }
        Some(code)
    }

    /// Returns the name of the function that creates the error for a row of another owner.
    fn other_owner(self, group: &Group<'_>, stored: &Stored<'_>, uses: &mut Uses) -> String {
        let throws: Vec<&DeclaredError> = group
            .routes
            .iter()
            .flat_map(|handled| &handled.route.throws)
            .collect();
        let throws = chosen(&throws, &[403], &[stored.entity().to_shouty_snake_case()]);
        let thing = words(stored.entity(), false);
        let message = format!("The {thing} would belong to somebody else");
        let error = self
            .error(
                throws,
                "forbidden",
                "FORBIDDEN",
                &described(throws, message),
                uses,
            )
            .print(4, 0, 0);
        uses.function(format!("other_owner_of_{}", names::plain_field(stored.entity())), |name| {
            format!("/// Error for a request whose {thing} would belong to somebody else.\nfn {name}() -> Error {{\n    {error}\n}}\n")
        })
    }

    /// Returns statements that refuse references to rows of another owner, with the same response as for rows that do
    /// not exist.
    pub(super) fn checks_references(
        self,
        group: &Group<'_>,
        handled: &Handled<'_>,
        stored: &Stored<'_>,
        own: &RowOwner,
        given: &[Given<'_>],
        uses: &mut Uses,
    ) -> String {
        let mut code = String::new();
        for key in &stored.table.foreign_keys {
            let column = stored
                .columns
                .iter()
                .find(|column| column.column.name == key.column);
            let (Some(column), Some(target)) = (column, self.database.table(&key.table)) else {
                continue;
            };
            // The owner itself comes from the context, not from the client.
            let given = given.iter().filter(|given| given.is_of(column));
            let given: Vec<_> = given.filter(|_| !stored.is_owner(column)).collect();
            if given.is_empty() || !matches!(target.rows, Rows::Owned { .. } | Rows::Unsupported) {
                continue;
            }
            let row_owner = self.row_owner(handled, target, uses);
            let by_key = target.key().map(|column| column.column.name.as_str());
            let is_key = by_key.eq([key.target.as_str()])
                && target.key().all(|of| of.key_type() == column.parameter_type());
            let values: Option<Vec<_>> = given.iter().map(|given| given.referred(column)).collect();
            let (Some(values), true) = (values, is_key) else {
                uses.deny(format!(
                    "kit cannot check who owns the row of `{}` that a request names as `{}`",
                    target.entity(),
                    column.field.property
                ));
                continue;
            };
            let Some(check) = self.reference_check(group, stored, target, column, uses) else {
                continue;
            };
            let is_own = own.value == row_owner.value && !own.argument.is_empty();
            let owner = if is_own { own.name } else { &row_owner.value };
            for referred in values {
                code.push_str(&awaited(&check, &["self", &referred, owner]));
            }
        }
        code
    }

    /// Returns the name of the function that looks up a referenced row among the rows of its owner.
    fn reference_check(
        self,
        group: &Group<'_>,
        stored: &'k Stored<'k>,
        target: &Stored<'_>,
        column: &StoredColumn<'_>,
        uses: &mut Uses,
    ) -> Option<String> {
        let (owner, owner_type) = target.owner_parameter()?;
        let id_type = column.parameter_type()?;
        let error = self.unknown_reference(group, stored, &column.column.name, uses)?;
        uses.module(target);
        uses.parameter(id_type);
        uses.parameter(owner_type);
        let thing = words(target.entity(), false);
        let module = &target.module;
        let error = error.print(8, "return Err();".len(), 0);
        let get = format!("{module}::get(&app.pool, id, {owner})");
        let found = chain(4, &get, &[".await?".to_owned()], "let found = ;".len());
        let property = names::plain_field(&column.field.property);
        let wanted = format!("check_{}", property.trim_start_matches('_'));
        Some(uses.function(wanted, |name| {
            let given = [
                "app: &App".to_owned(),
                format!("id: Option<{id_type}>"),
                format!("{owner}: {owner_type}"),
            ];
            let head = signature(0, &format!("async fn {name}"), &given, "Result<(), Error>");
            format!(
                "/// Refuses a {thing} that is not there or belongs to somebody else, with one and the same error.\n{head}\n    let Some(id) = id else {{\n        return Ok(());\n    }};\n    let found = {found};\n    if found.is_none() {{\n        return Err({error});\n    }}\n    Ok(())\n}}\n"
            )
        }))
    }
}

/// Formats the head of an `if` like rustfmt, which breaks a chain of calls that is wider than 60 columns.
fn condition(text: &str) -> String {
    let calls = text.split_once(".is_some_and(");
    match calls {
        Some((value, closure)) if text.len() > 60 => {
            let value = value.replace('.', "\n            .");
            format!("        if {value}\n            .is_some_and({closure}\n        {{\n")
        }
        _ => format!("        if {text} {{\n"),
    }
}

/// Formats a statement that awaits a function and returns its error, like rustfmt.
fn awaited(function: &str, arguments: &[&str]) -> String {
    let flat = arguments.join(", ");
    let line = format!("        {function}({flat}).await?;\n");
    // rustfmt's maximum widths of call arguments, of a chain and of a line.
    if flat.len() <= 60 && line.trim().len() <= 61 + 8 && line.len() <= 101 {
        return line;
    }
    let arguments: String = arguments
        .iter()
        .map(|argument| format!("            {argument},\n"))
        .collect();
    format!("        {function}(\n{arguments}        )\n        .await?;\n")
}

/// Returns the body of a handler that responds with 501 and the reason.
pub(super) fn denied(what: &str, reason: &str) -> String {
    let arguments = [what, reason].map(|text| Expression::plain(names::text(text)));
    let error = Expression::call("Error::not_specified", arguments.into());
    format!(
        "        {}\n",
        Expression::call("Err", vec![error]).print(8, 0, 0)
    )
}

/// Returns warnings about routes whose handlers were not generated: one per entity without `@owner`, and one for each
/// other route.
pub(super) fn warnings(program: &Program, denials: &[DeniedRoute<'_>]) -> Vec<Warning> {
    let mut found = Vec::new();
    let mut entities: Vec<&str> = Vec::new();
    for denied in denials {
        let Some(entity) = denied.denial.undeclared.as_deref() else {
            let reference = denied.route.reference();
            found.push(Warning {
                message: format!(
                    "the generated handler of `{reference}` answers 501: {}",
                    denied.denial.reason
                ),
                span: denied.route.span,
                help: format!("write the handler in {}", denied.path),
                handler: Some(HandlerText {
                    path: denied.path.clone(),
                    code: format!("Error::not_specified({},", names::text(&reference)),
                }),
            });
            continue;
        };
        if entities.contains(&entity) {
            continue;
        }
        entities.push(entity);
        let Some((_, declaration)) = program.declaration(entity) else {
            continue;
        };
        let routes = denials
            .iter()
            .filter(|other| other.denial.undeclared.as_deref() == Some(entity));
        let routes: Vec<_> = routes
            .map(|other| format!("`{}`", other.route.reference()))
            .collect();
        found.push(Warning {
            message: format!(
                "`{entity}` does not say who owns its rows, so generated handlers answer 501 behind middleware: {}",
                routes.join(", ")
            ),
            span: declaration.span,
            help: "write `@owner userId = ctx.userId` if rows belong to a user, `@owner none` if every user may read and change all of them".to_owned(),
            handler: None,
        });
    }
    found
}
