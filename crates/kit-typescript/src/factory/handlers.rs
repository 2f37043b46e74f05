//! Reader of handler maps: `defineHandlers<Group>({ … })`, and of groups without handlers: `declareContracts<Group>()`.

use indexmap::IndexMap;
use kit_diagnostics::{Diagnostic, closest, codes};
use kit_ir::HandlerSource;

use super::calls::kit_call;
use super::expression::{Resolved, follow, properties};
use super::{Located, warn_computed};
use crate::MissingHandler;
use crate::eval::TyId;
use crate::lower::Lowering;
use crate::modules::Location;
use crate::routes::{Contract, parse_key};

/// A handler map: the handlers of a group, by route key.
pub(crate) struct HandlerMap {
    /// Exported name of the map, or else the name of the constant that contains it.
    pub(crate) export: String,
    pub(crate) location: Location,
    /// Location of each handler, by route key such as `GET /notes`.
    pub(crate) handlers: IndexMap<String, Location>,
    /// True if all keys of the map could be read.
    pub(crate) complete: bool,
}

impl HandlerMap {
    /// Returns the location of the handler for a route key, in the form of the IR. Returns `None` if the map
    /// has no handler for this key.
    pub(crate) fn source(&self, lowering: &Lowering<'_>, key: &str) -> Option<HandlerSource> {
        let location = self.handlers.get(key)?;
        Some(HandlerSource {
            export: self.export.clone(),
            span: lowering.span(*location),
        })
    }

    /// Reports route keys that only the handler map has or only the contracts have. Skips contracts with an
    /// invalid key, for which another error is reported: for the misspelt contract `GETT /stats`, the handler
    /// `GET /stats` is correct.
    pub(crate) fn check(&self, lowering: &mut Lowering<'_>, contracts: &[Contract], group: &str) {
        let (right, wrong): (Vec<&Contract>, Vec<&Contract>) = contracts
            .iter()
            .partition(|contract| parse_key(&contract.key).is_ok());
        let known = || right.iter().map(|contract| contract.key.as_str());
        for (key, location) in &self.handlers {
            let misspelt = || wrong.iter().map(|contract| contract.key.as_str());
            if known().any(|contract| contract == key) || closest(key, misspelt()).is_some() {
                continue;
            }
            let near = closest(key, known());
            let help = match near {
                Some(near) => format!("did you mean `\"{near}\"`?"),
                None => format!("add the contract to `{group}`, or remove the handler"),
            };
            let message = format!("`{group}` has no contract `{key}`");
            let diagnostic = lowering
                .eval
                .diagnostic(codes::UNKNOWN_HANDLER_KEY, *location, message)
                .help(help)
                .replacement(near.and_then(|near| lowering.graph().correction(*location, key, near)));
            lowering.report(diagnostic);
        }
        if !self.complete {
            return;
        }
        for contract in right
            .iter()
            .filter(|contract| !self.handlers.contains_key(&contract.key))
        {
            let module = lowering.graph().module(self.location.module);
            let missing = MissingHandler {
                path: module.display.clone(),
                call: self.location.span.start,
                group: group.to_owned(),
                key: contract.key.clone(),
            };
            // A map can be registered several times, with different prefixes. The equal errors of these registrations are one
            // error, too.
            if !lowering.missing_handlers.contains(&missing) {
                lowering.missing_handlers.push(missing);
            }
            let message = format!(
                "`{}` has no handler for `{}` of `{group}`",
                self.export, contract.key
            );
            let mut contract_label = lowering.graph().label(contract.location).message("the contract");
            contract_label.primary = false;
            let diagnostic = Diagnostic::new(codes::UNKNOWN_HANDLER_KEY, message)
                .label(lowering.graph().label(self.location))
                .label(contract_label)
                .help(format!(
                    "add `\"{}\": async ({{ ctx }}) => …`, or run `kit scaffold add handler`",
                    contract.key
                ));
            lowering.report(diagnostic);
        }
    }
}

/// Reads the `contracts` option of an entry in `routes` of `declareApi`, and returns the type of the group.
pub(super) fn declared<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<TyId> {
    const HELP: &str = "write `contracts: declareContracts<NoteRoutes>()`";
    let location = located.location();
    let group = match follow(lowering, located) {
        Resolved::Expression(found, _) => kit_call(lowering, found, "declareContracts").and_then(|call| {
            let group = call.type_arguments.as_ref()?.params.first()?;
            Some((found.module, group))
        }),
        _ => None,
    };
    let Some((module, group)) = group else {
        warn_computed(lowering, location, "these contracts", HELP);
        return None;
    };
    let scope = lowering.eval.module_scope(module);
    Some(lowering.eval.evaluate(group, scope))
}

/// Reads the `handlers` option of an entry in `routes`: the type of the group, and the handler map.
pub(super) fn read<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<(TyId, HandlerMap)> {
    let location = located.location();
    let Resolved::Expression(found, name) = follow(lowering, located) else {
        warn_computed(
            lowering,
            location,
            "these handlers",
            "export them as a constant: `export const noteHandlers = defineHandlers<NoteRoutes>({ … })`",
        );
        return None;
    };
    let Some(call) = kit_call(lowering, found, "defineHandlers") else {
        warn_computed(
            lowering,
            location,
            "these handlers",
            "make them with `defineHandlers<NoteRoutes>({ … })`",
        );
        return None;
    };
    let call_location = Location {
        module: found.module,
        span: call.span,
    };
    let Some(group) = call
        .type_arguments
        .as_ref()
        .and_then(|arguments| arguments.params.first())
    else {
        let help = "name the contract group: `defineHandlers<NoteRoutes>({ … })`";
        warn_computed(
            lowering,
            call_location,
            "the contract group of these handlers",
            help,
        );
        return None;
    };
    let scope = lowering.eval.module_scope(found.module);
    let contracts = lowering.eval.evaluate(group, scope);
    let export = name.map_or_else(
        || "default".to_owned(),
        |name| {
            lowering
                .graph()
                .module(found.module)
                .exported_as(name)
                .unwrap_or(name)
                .to_owned()
        },
    );
    let mut map = HandlerMap {
        export,
        location: call_location,
        handlers: IndexMap::new(),
        complete: false,
    };
    let argument = call
        .arguments
        .first()
        .and_then(|argument| argument.as_expression());
    match argument.and_then(|argument| properties(lowering, found.with(argument), "these handlers")) {
        Some((members, complete)) => {
            map.complete = complete;
            for member in members {
                let location = member.location();
                map.handlers.insert(member.name, location);
            }
        }
        None => warn_computed(
            lowering,
            call_location,
            "the map of these handlers",
            "write the handlers as an object literal",
        ),
    }
    Some((contracts, map))
}
