//! Routes whose response is one page of a list: `Cursor<Note>`.

use kit_analysis::MAX_PAGE_ITEMS;
use kit_diagnostics::{Code, codes};
use kit_ir::{DeclaredError, Method, Route, Slot, TypeKind};

use super::contract::{Contract, members};
use super::declared::{location, properties};
use crate::eval::{CURSOR_TYPE, KitType, TyId};
use crate::lower::Lowering;
use crate::modules::Location;

/// Code of the error for a cursor that does not belong to the list.
const INVALID_CURSOR: &str = "INVALID_CURSOR";

/// Returns true if a response of a contract is a page of a list.
pub(super) fn is_list(lowering: &mut Lowering<'_>, contract: &Contract) -> bool {
    let Some(response) = contract.slot(Slot::Response) else {
        return false;
    };
    members(&mut lowering.eval, response.ty)
        .into_iter()
        .any(|member| is_page(lowering, member))
}

fn is_page(lowering: &mut Lowering<'_>, shape: TyId) -> bool {
    let reply = lowering.eval.kit_type_arguments(shape, KitType::Reply);
    let inner = match reply {
        Some(reply) => reply.get(1).copied(),
        None => lowering
            .eval
            .kit_type_arguments(shape, KitType::Json)
            .map(|json| json[0]),
    };
    match inner {
        Some(inner) => members(&mut lowering.eval, inner)
            .into_iter()
            .any(|member| is_page(lowering, member)),
        None => lowering.eval.is_cursor(shape),
    }
}

/// Reports a list that clients cannot read page by page: without a query that has the cursor and a bounded number of
/// items, or with a method other than GET.
pub(super) fn check(lowering: &mut Lowering<'_>, route: &Route) {
    let at = location(route.span);
    if route.method != Method::Get {
        let message = format!(
            "`{}` answers with `{CURSOR_TYPE}`, but its method is not GET",
            route.key
        );
        let help = "use GET, so that clients can request each page again";
        report(lowering, codes::INVALID_CURSOR_LIST, at, message, help);
        return;
    }
    let program = &lowering.program;
    let property = |name: &str, is_right: fn(&TypeKind) -> bool| {
        properties(program, route.slots.query?)?
            .iter()
            .find(|property| property.name == name)
            .filter(|property| property.optional && is_right(&program.resolve(property.r#type).kind))
    };
    let cursor = property("cursor", |kind| matches!(kind, TypeKind::String));
    let limit = property("limit", |kind| matches!(kind, TypeKind::Number));
    let (Some(_), Some(limit)) = (cursor, limit) else {
        let message = format!(
            "`{}` answers with `{CURSOR_TYPE}`, but its query has no optional `cursor: string` and `limit: number`",
            route.key
        );
        let help = "write `CursorQuery` of `@kit/types` as the query, or an interface that extends this type";
        report(lowering, codes::INVALID_CURSOR_LIST, at, message, help);
        return;
    };
    let rules = &program.resolve(limit.r#type).constraints;
    let is_bounded = rules.integer
        && rules.minimum.is_some_and(|least| least.get() >= 1.0)
        && rules
            .maximum
            .is_some_and(|most| most.get() <= f64::from(MAX_PAGE_ITEMS));
    if !is_bounded {
        let message = format!(
            "`limit` in the query of `{}` must be an integer from 1 to a maximum of at most {MAX_PAGE_ITEMS}",
            route.key
        );
        let help = "write `@integer @minimum 1 @maximum 100` in the comment of `limit`";
        let at = location(limit.span);
        report(lowering, codes::UNBOUNDED_LIMIT, at, message, help);
    }
}

/// Adds the error for a cursor that does not belong to the list.
pub(super) fn add_error(lowering: &mut Lowering<'_>, contract: &Contract, throws: &mut Vec<DeclaredError>) {
    match throws.iter().find(|error| error.code == INVALID_CURSOR) {
        None => throws.push(DeclaredError {
            code: INVALID_CURSOR.to_owned(),
            status: 400,
            description: Some("The cursor does not belong to the list with these filters.".to_owned()),
            details: None,
        }),
        Some(known) if known.status == 400 => {}
        Some(known) => {
            let message = format!(
                "`{}` has the error `{INVALID_CURSOR}` with the status {}, but kit sends it with the status 400 for a cursor that does not belong to the list",
                contract.key, known.status
            );
            let help = "declare the status 400, or give the error another code";
            super::failures::invalid(lowering, contract.location, message, help);
        }
    }
}

fn report(lowering: &mut Lowering<'_>, code: Code, at: Location, message: String, help: &str) {
    let diagnostic = lowering.eval.diagnostic(code, at, message).help(help);
    lowering.report(diagnostic);
}
