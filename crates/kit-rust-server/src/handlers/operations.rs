//! Generates handlers of operations on one row: create, read, update and delete.

use kit_ir::Method;

use super::values::{Given, converted};
use super::{Known, Uses};
use crate::database::Stored;
use crate::print::{chain, literal};
use crate::router::{Group, Handled};
use crate::types::{Field, Form};

impl Known<'_, '_> {
    /// Returns the code of a route that is an operation on an entity.
    pub(super) fn work(self, group: &Group<'_>, handled: &Handled<'_>, uses: &mut Uses) -> Option<String> {
        let slots = &handled.route.slots;
        match handled.route.method {
            Method::Post => self.create(group, handled, uses),
            Method::Get if slots.params.is_none() => self.list(handled, uses),
            Method::Get => self.read(handled, uses).or_else(|| self.list(handled, uses)),
            Method::Put | Method::Patch => self.change(group, handled, uses),
            Method::Delete if slots.response.is_none() => self.delete(handled, uses),
            _ => None,
        }
    }

    fn create(self, group: &Group<'_>, handled: &Handled<'_>, uses: &mut Uses) -> Option<String> {
        let slots = &handled.route.slots;
        slots.response?;
        let stored = self.resource(handled)?;
        let fields = |id| self.types.structs.get(self.types.name_in(id, Form::Request));
        let body = fields(slots.body?)?;
        let params: &[Field] = match slots.params {
            Some(id) => fields(id)?,
            None => &[],
        };
        let row_owner = self.row_owner(handled, stored, uses);
        // Every property of the request must have a column. Otherwise the row would silently lack a value of the
        // request.
        let is_stored = |field: &Field| {
            let mut columns = stored.inserted();
            columns.any(|column| column.field.property == field.property)
        };
        if !body.iter().chain(params).all(is_stored) {
            return None;
        }
        if let Some((owner, _)) = stored.owner()
            && !stored.inserted().any(|column| stored.is_owner(column))
        {
            let (entity, property) = (stored.entity(), &owner.field.property);
            uses.deny(format!(
                "the database makes `{property}` of `{entity}`, which is its owner"
            ));
        }
        let mut values = Vec::new();
        for column in stored.inserted() {
            if stored.is_owner(column) {
                let value = row_owner.owned(column.insert_options());
                values.push(format!("{}: {value}", column.field.name));
                continue;
            }
            let given = |from: &str, fields: &[Field]| {
                let field = fields
                    .iter()
                    .find(|field| field.property == column.field.property)?;
                Some(converted(
                    from,
                    field,
                    column.plain_type(),
                    column.insert_options(),
                ))
            };
            let value = match given("input.params", params).or_else(|| given("body", body)) {
                Some(value) => value?,
                None if column.insert_options() > 0 => "None".to_owned(),
                None => return None,
            };
            values.push(format!("{}: {value}", column.field.name));
        }
        let new = &stored.structs.new;
        uses.module(stored);
        uses.row(stored, new);
        let new = literal(8, new, &values);
        let given: Vec<_> = Given::all("input.params", params)
            .chain(Given::all("body", body))
            .collect();
        let other_owner = self.refuses_other_owner(group, stored, &row_owner, &given, uses)?;
        let references = self.checks_references(group, handled, stored, &row_owner, &given, uses);
        let head = format!(
            "{}        let body = input.body;\n{other_owner}{references}        let new = {new};\n",
            row_owner.lets
        );
        let module = &stored.module;
        Some(match self.refused(group, stored, uses) {
            None => format!("{head}        Ok({module}::insert(&self.pool, &new).await?)\n"),
            Some(refused) => {
                let calls = [".await".to_owned(), format!(".map_err({refused})")];
                let insert = chain(8, &format!("{module}::insert(&self.pool, &new)"), &calls, 0);
                format!("{head}        {insert}\n")
            }
        })
    }

    fn read(self, handled: &Handled<'_>, uses: &mut Uses) -> Option<String> {
        if handled.route.slots.query.is_some() {
            return None;
        }
        handled.route.slots.response?;
        let stored = self.resource(handled)?;
        let key = self.key(handled, stored)?;
        let missing = self.missing(handled, stored, uses);
        let row_owner = self.row_owner(handled, stored, uses);
        uses.module(stored);
        let arguments = key.arguments.join(", ");
        let call = format!(
            "{}::get(&self.pool, {})",
            stored.module,
            row_owner.after(&arguments)
        );
        let call = asked("let found = ", &call, None);
        Some(format!(
            "{}{}{call}        found.ok_or_else(|| {missing}({arguments}))\n",
            key.lets, row_owner.lets
        ))
    }

    fn change(self, group: &Group<'_>, handled: &Handled<'_>, uses: &mut Uses) -> Option<String> {
        let slots = &handled.route.slots;
        slots.response?;
        let stored = self.resource(handled).filter(|stored| stored.is_updated())?;
        let key = self.key(handled, stored)?;
        let fields = self
            .types
            .structs
            .get(self.types.name_in(slots.body?, Form::Request))?;
        let is_stored = |field: &Field| {
            let owner = stored.owner().map(|(column, _)| column);
            let mut columns = stored.changed().chain(owner);
            columns.any(|column| column.field.property == field.property)
        };
        if !fields.iter().all(is_stored) {
            return None;
        }
        let mut values = Vec::new();
        for column in stored.changed() {
            let field = fields
                .iter()
                .find(|field| field.property == column.field.property);
            let value = match field {
                Some(field) => converted("body", field, column.plain_type(), column.update_options())?,
                None => "None".to_owned(),
            };
            values.push(format!("{}: {value}", column.field.name));
        }
        let changes = &stored.structs.changes;
        uses.module(stored);
        uses.row(stored, changes);
        let changes = literal(8, changes, &values);
        let missing = self.missing(handled, stored, uses);
        let is_ruled = stored.constraints().iter().any(|constraint| {
            let columns = constraint.columns();
            stored
                .changed()
                .any(|changed| columns.contains(&&changed.column.name))
        });
        let is_refused = is_ruled || self.may_not_fit(handled, stored);
        let refused = is_refused.then(|| self.refused(group, stored, uses)).flatten();
        let arguments = key.arguments.join(", ");
        let row_owner = self.row_owner(handled, stored, uses);
        let given: Vec<_> = Given::all("body", fields).collect();
        let other_owner = self.refuses_other_owner(group, stored, &row_owner, &given, uses)?;
        let references = self.checks_references(group, handled, stored, &row_owner, &given, uses);
        let (module, row) = (&stored.module, row_owner.after(&arguments));
        let call = format!("{module}::update(&self.pool, {row}, &changes)");
        let call = asked("let changed = ", &call, refused.as_deref());
        Some(format!(
            "{}{}        let body = input.body;\n{other_owner}{references}        let changes = {changes};\n{call}        changed.ok_or_else(|| {missing}({arguments}))\n",
            key.lets, row_owner.lets
        ))
    }

    fn delete(self, handled: &Handled<'_>, uses: &mut Uses) -> Option<String> {
        let stored: &Stored<'_> = self.resource(handled)?;
        let key = self.key(handled, stored)?;
        let missing = self.missing(handled, stored, uses);
        let in_use = self.in_use(handled, stored, uses);
        uses.module(stored);
        let arguments = key.arguments.join(", ");
        let row_owner = self.row_owner(handled, stored, uses);
        let call = format!(
            "{}::delete(&self.pool, {})",
            stored.module,
            row_owner.after(&arguments)
        );
        let asked = asked("let deleted = ", &call, in_use.as_deref());
        Some(format!(
            "{}{}{asked}        if deleted {{\n            Ok(())\n        }} else {{\n            Err({missing}({arguments}))\n        }}\n",
            key.lets, row_owner.lets
        ))
    }
}

/// Returns a statement that awaits the database and converts its error with `refused`.
pub(super) fn asked(target: &str, call: &str, refused: Option<&str>) -> String {
    let mut calls = vec![".await".to_owned()];
    match refused {
        Some(refused) => calls.push(format!(".map_err({refused})?")),
        None => calls = vec![".await?".to_owned()],
    }
    let text = chain(8, call, &calls, target.len() + 1);
    format!("        {target}{text};\n")
}
