//! Facts about a program that stay the same for many edits.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use indexmap::{IndexMap, IndexSet};
use kit_analysis::{Decision, children, sensitive_names};
use kit_ir::{
    BodyFormat, DeclarationId, EntityId, Program, Route, RouteId, Slot, SourceId, TypeId, TypeKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::common_properties::{common_properties, starts};
use super::{DocumentFacts, Plans, is_large};
use crate::component_names::ComponentNames;
use crate::declared_names::DeclaredNames;
use crate::direction::differs_inline;
use crate::fingerprint::Fingerprint;
use crate::groups::Groups;
use crate::references::References;

/// Facts about a program that several emitters need. They own their data, so that the next build can use them again.
pub(crate) struct Facts {
    pub(super) groups: Groups,
    pub(super) uses: IndexMap<DeclarationId, Vec<(RouteId, Slot)>>,
    /// Declarations of the fields of forms.
    pub(super) forms: FxHashSet<DeclarationId>,
    /// Declarations of the parts of multipart bodies that are not files.
    pub(super) multiparts: FxHashSet<DeclarationId>,
    /// Declaration of the environment variables.
    pub(super) environment: Option<DeclarationId>,
    /// Declarations that the server writes as JSON: bodies of responses, details of errors, and data of jobs.
    pub(super) written: FxHashSet<DeclarationId>,
    /// Declarations of the headers of replies, in the order of the routes.
    pub(super) reply_headers: IndexSet<DeclarationId>,
    /// Routes that use a declaration in replies and errors, each with the name of the slot that uses it:
    /// `response`, `responseHeaders` or `details`.
    pub(super) in_answers: FxHashMap<DeclarationId, Vec<(RouteId, &'static str)>>,
    pub(super) references: References,
    pub(super) components: ComponentNames,
    /// Declarations of each file, in the order of the program.
    pub(super) files: FxHashMap<SourceId, Vec<DeclarationId>>,
    pub(super) entities: FxHashMap<DeclarationId, EntityId>,
    /// Names of all types. Shared by all modules: a copy per module would take time and memory quadratic in the number of types.
    pub(super) names: Arc<DeclaredNames>,
    /// True if no two generated modules export the same name.
    pub(super) exports_distinct: bool,
    /// True if the program has many types.
    pub(super) large: bool,
    /// Declarations whose values the server reads from requests, jobs or the environment, with their references.
    pub(super) received: FxHashSet<DeclarationId>,
    /// Declarations whose values the server writes as JSON, with their references.
    pub(super) sent: FxHashSet<DeclarationId>,
    /// Declarations whose values can contain objects with `toJSON`, in their own type or in types to which they refer.
    pub(super) with_to_json: FxHashSet<DeclarationId>,
    /// Names of constants for the unions whose members generated code must try one after the other, by the
    /// declaration whose module contains the constant, and by the union.
    pub(super) trial_unions: FxHashMap<DeclarationId, FxHashMap<TypeId, String>>,
    /// Recursive declarations that contain a union whose members must be tried. Their generated functions
    /// pass a list of the members that matched to each other, so that no value is checked twice.
    pub(super) passing_selector: FxHashSet<DeclarationId>,
    pub(super) documents: OnceLock<DocumentFacts>,
    pub(super) routes_key: OnceLock<Fingerprint>,
    /// For each declaration, the number of its first properties that other types have too. Empty if the program is not large.
    pub(super) common: Vec<usize>,
    /// Names of properties and columns with sensitive values.
    pub(super) sensitive: BTreeSet<String>,
}

impl Facts {
    pub(crate) fn new(program: &Program, references: References) -> Self {
        let groups = Groups::new(&references);
        let plans = Plans::new(program);
        let ids = || program.declarations.iter_ids().map(|(id, _)| id);
        let trial_unions: FxHashMap<_, _> = ids()
            .map(|id| (id, trial_unions(program, &plans, id)))
            .filter(|(_, unions)| !unions.is_empty())
            .collect();
        let mut uses: IndexMap<_, Vec<_>> = IndexMap::new();
        let (mut forms, mut multiparts) = (FxHashSet::default(), FxHashSet::default());
        for (route, contract) in program.routes.iter_ids() {
            for choice in contract.body_format.choices(contract.slots.body) {
                match choice.format {
                    BodyFormat::Form => forms.extend(choice.body),
                    BodyFormat::Multipart { .. } => multiparts.extend(choice.body),
                    _ => {}
                }
            }
            for declaration in contract.body_format.inner_types() {
                uses.entry(declaration).or_default().push((route, Slot::Body));
            }
            for slot in Slot::ALL {
                if let Some(declaration) = contract.slots.get(slot) {
                    uses.entry(declaration).or_default().push((route, slot));
                }
            }
        }
        let error_body = program
            .application
            .declared_format()
            .map(|declared| declared.body);
        let environment = program.application.environment.as_ref();
        let environment = environment.map(|variables| variables.declaration);
        let of_jobs = program.application.jobs.iter().flat_map(|jobs| &jobs.entries);
        let of_jobs = of_jobs.map(|job| job.data);
        let routes = program.routes.iter();
        let written: FxHashSet<_> = routes
            .clone()
            .flat_map(Route::written)
            .chain(error_body)
            .chain(of_jobs.clone())
            .collect();
        let received = routes
            .clone()
            .flat_map(Route::read)
            .chain(environment)
            .chain(of_jobs);
        let replies = routes.clone().flat_map(Route::declared_replies);
        let mut files: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for (id, declaration) in program.declarations.iter_ids() {
            files.entry(declaration.span.source).or_default().push(id);
        }
        let entities = program.entities.iter_ids();
        let names = program.declarations.iter();
        let names = DeclaredNames(names.map(|declaration| declaration.name.clone()).collect());
        // All declarations of a group pass the results on to each other, even those without such a union.
        let passing_selector = ids()
            .filter(|id| {
                let group = groups.members(*id);
                let recursive = group.len() > 1 || references.of(*id).contains(id);
                recursive && group.iter().any(|id| trial_unions.contains_key(id))
            })
            .collect();
        let with_to_json = with_to_json(program, &groups, &references);
        Self {
            groups,
            uses,
            forms,
            multiparts,
            environment,
            large: is_large(program),
            received: references.reached(received),
            sent: references.reached(written.iter().copied()),
            with_to_json,
            written,
            reply_headers: replies.filter_map(|reply| reply.headers).collect(),
            in_answers: in_answers(program),
            components: ComponentNames::new(program, &references),
            references,
            files,
            entities: entities.map(|(id, entity)| (entity.declaration, id)).collect(),
            exports_distinct: names.are_distinct(),
            names: Arc::new(names),
            trial_unions,
            passing_selector,
            documents: OnceLock::new(),
            routes_key: OnceLock::new(),
            common: if is_large(program) {
                common_properties(program)
            } else {
                Vec::new()
            },
            sensitive: sensitive_names(program).into_iter().map(str::to_owned).collect(),
        }
    }

    /// Returns true if the facts about the program `before` are also true for another program, which differs only in the types of
    /// the declarations `changed`, and not in their references.
    pub(crate) fn are_true_for(
        &self,
        program: &Program,
        before: &Program,
        changed: &[DeclarationId],
    ) -> bool {
        let plans = Plans::new(program);
        changed.iter().all(|id| {
            let inline = |of: &Program| differs_inline(of, of.declarations[*id].r#type);
            let trial_unions = trial_unions(program, &plans, *id);
            inline(before) == inline(program)
                && calls_to_json(before, *id) == calls_to_json(program, *id)
                && (self.common.is_empty() || starts(before, *id) == starts(program, *id))
                && sensitive_properties(before, *id) == sensitive_properties(program, *id)
                && match self.trial_unions.get(id) {
                    Some(known) => *known == trial_unions,
                    None => trial_unions.is_empty(),
                }
        })
    }

    pub(crate) fn groups(&self) -> &Groups {
        &self.groups
    }

    pub(crate) fn references(&self) -> &References {
        &self.references
    }
}

fn in_answers(program: &Program) -> FxHashMap<DeclarationId, Vec<(RouteId, &'static str)>> {
    let mut found: FxHashMap<_, Vec<_>> = FxHashMap::default();
    for (id, route) in program.routes.iter_ids() {
        let replies = route.declared_replies();
        let parts = replies.flat_map(|reply| [(reply.body, "response"), (reply.headers, "responseHeaders")]);
        let details = route.throws.iter().map(|error| (error.details, "details"));
        let events = route.events().unwrap_or_default().iter();
        let events = events.map(|event| (event.data, "event"));
        let unions = route.declared_replies().map(|reply| &reply.format);
        let unions = std::iter::once(&route.response_format).chain(unions);
        let choices = unions
            .filter(|format| format.is_union())
            .flat_map(|format| format.choices(None));
        let choices = choices.map(|choice| (choice.body, "response"));
        for (declaration, part) in parts.chain(details).chain(choices).chain(events) {
            let Some(declaration) = declaration else { continue };
            let uses: &mut Vec<_> = found.entry(declaration).or_default();
            if !uses.contains(&(id, part)) {
                uses.push((id, part));
            }
        }
    }
    found
}

/// Returns names of constants for the unions whose members must be tried one after the other. In the type `Entangled`, the
/// names are `EntangledUnion`, `EntangledUnion2` and so on.
fn trial_unions(program: &Program, plans: &Plans<'_>, id: DeclarationId) -> FxHashMap<TypeId, String> {
    let declaration = &program.declarations[id];
    let mut names = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let mut pending = vec![declaration.r#type];
    let mut count = 0;
    while let Some(next) = pending.pop() {
        if !seen.insert(next) {
            continue;
        }
        let plan = plans.get_unless_obvious(next);
        if plan.is_some_and(|plan| is_tried(&plan.arrays) || is_tried(&plan.objects)) {
            count += 1;
            let number = if count == 1 {
                String::new()
            } else {
                count.to_string()
            };
            names.insert(next, format!("{}Union{number}", declaration.name));
        }
        // Constants are numbered in the order of the type. Members of named unions are included, because their code is also
        // in this module.
        let mut parts = children(&program.types[next].kind);
        parts.extend(
            plan.into_iter()
                .flat_map(|plan| plan.members.iter().map(|member| member.r#type)),
        );
        pending.extend(parts.into_iter().rev());
    }
    names
}

fn is_tried(decision: &Decision) -> bool {
    match decision {
        Decision::NoMember | Decision::Member(_) => false,
        Decision::Candidates(_) => true,
        Decision::Switch(switch) => {
            switch.cases.iter().any(|case| is_tried(&case.decision)) || is_tried(&switch.otherwise)
        }
    }
}

/// Returns the declarations whose values can contain objects with `toJSON`.
fn with_to_json(program: &Program, groups: &Groups, references: &References) -> FxHashSet<DeclarationId> {
    if !program.types.iter().any(|r#type| r#type.calls_to_json) {
        return FxHashSet::default();
    }
    let mut found = FxHashSet::default();
    // Each group comes after the groups to which it refers.
    for group in groups.iter() {
        let has = |id: &DeclarationId| {
            calls_to_json(program, *id) || references.of(*id).iter().any(|target| found.contains(target))
        };
        if group.iter().any(has) {
            found.extend(group.iter().copied());
        }
    }
    found
}

/// Returns true if values of the declaration can contain objects with `toJSON`, without types to which it refers.
fn calls_to_json(program: &Program, declaration: DeclarationId) -> bool {
    let mut open = vec![program.declarations[declaration].r#type];
    while let Some(id) = open.pop() {
        let r#type = &program.types[id];
        if r#type.calls_to_json {
            return true;
        }
        open.extend(children(&r#type.kind));
    }
    false
}

/// Returns the sensitive properties of a declaration, without those of types to which it refers: names and columns.
fn sensitive_properties(program: &Program, declaration: DeclarationId) -> BTreeSet<(&str, Option<&str>)> {
    let mut found = BTreeSet::new();
    let mut open = vec![program.declarations[declaration].r#type];
    while let Some(id) = open.pop() {
        let kind = &program.types[id].kind;
        if let TypeKind::Object(object) = kind {
            let properties = object.properties.iter();
            let sensitive = properties.filter(|property| property.tags.sensitive);
            found.extend(sensitive.map(|of| (of.name.as_str(), of.tags.column.as_deref())));
        }
        open.extend(children(kind));
    }
    found
}
