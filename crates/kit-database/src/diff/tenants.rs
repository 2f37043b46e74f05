//! Plans the policies of tables with a tenant.

use crate::{Change, Table};

use super::{Phase, Planner, classify};

impl Planner<'_> {
    /// Plans policies that are added, removed or changed. PostgreSQL does not change the type of a column that a policy
    /// uses, so such a policy is dropped before, and created again.
    pub(super) fn tenants(&mut self) {
        let before = self.before.clone();
        for table in self.after {
            let was = before.iter().find(|was| was.name == table.name);
            let (former, next) = (was.and_then(of), of(table));
            if former == next {
                continue;
            }
            if former.is_some() {
                let change = Change::DropTenant {
                    table: table.name.clone(),
                    is_replaced: next.is_some(),
                };
                self.push(
                    Phase::DropConstraints,
                    classify::drop_tenant(next.is_some()),
                    change,
                );
            }
            if let Some((column, r#type)) = next {
                let in_use = was.is_some() && former.is_none();
                let change = Change::SetTenant {
                    table: table.name.clone(),
                    column: column.to_owned(),
                    r#type,
                    in_use,
                };
                let classification = classify::set_tenant(in_use);
                self.push(Phase::Policy, classification, change);
            }
        }
    }
}

/// Returns the column with the tenant of a row, and its type.
fn of(table: &Table) -> Option<(&str, crate::ColumnType)> {
    let column = table.tenant_column()?;
    Some((&column.name, column.r#type))
}
