//! Facts about a program that several emitters need, such as which types are recursive and which routes use a type.

use std::sync::{Arc, OnceLock};

use indexmap::{IndexMap, IndexSet};
use kit_analysis::{Decision, UnionPlan, children, has_obvious_members};
use kit_ir::{
    BodyFormat, DeclarationId, DeclarationOrigin, EntityId, Program, Route, RouteId, Slot, SourceId, TypeId,
    TypeKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::component_names::ComponentNames;
use crate::declared_names::DeclaredNames;
use crate::groups::Groups;
use crate::references::References;

/// Maximum number of types of a program that is not large. A large program gets fewer and smaller files.
const LARGE: usize = 500;

/// Returns true if a program has so many types that the number and the size of the generated files matter.
pub fn is_large(program: &Program) -> bool {
    program.declarations.len() > LARGE
}

/// Facts about a program that several emitters need. They are computed once.
pub(crate) struct Analysis<'a> {
    groups: Groups,
    uses: IndexMap<DeclarationId, Vec<(RouteId, Slot)>>,
    /// Declarations of the fields of forms.
    forms: FxHashSet<DeclarationId>,
    /// Declarations of the parts of multipart bodies that are not files.
    multiparts: FxHashSet<DeclarationId>,
    /// Declaration of the environment variables.
    environment: Option<DeclarationId>,
    /// Declarations that the server writes as JSON: bodies of responses, details of errors, and data of jobs.
    written: FxHashSet<DeclarationId>,
    /// Declarations of the headers of replies, in the order of the routes.
    reply_headers: IndexSet<DeclarationId>,
    /// Routes that use a declaration in replies and errors, each with the name of the slot that uses it:
    /// `response`, `responseHeaders` or `details`.
    in_answers: FxHashMap<DeclarationId, Vec<(RouteId, &'static str)>>,
    references: References,
    components: ComponentNames,
    /// Declarations of each file, in the order of the program.
    files: FxHashMap<SourceId, Vec<DeclarationId>>,
    entities: FxHashMap<DeclarationId, EntityId>,
    /// Names of all types. Shared by all modules: a copy per module would take time and memory quadratic in the number of types.
    names: Arc<DeclaredNames>,
    /// True if no two generated modules export the same name.
    exports_distinct: bool,
    /// True if the program has many types.
    large: bool,
    /// Declarations whose values the server reads from requests, jobs or the environment, with their references.
    received: FxHashSet<DeclarationId>,
    /// Declarations whose values the server writes as JSON, with their references.
    sent: FxHashSet<DeclarationId>,
    /// Declarations whose values can contain objects with `toJSON`, in their own type or in types to which they refer.
    with_to_json: FxHashSet<DeclarationId>,
    plans: Plans<'a>,
    /// Names of constants for the unions whose members generated code must try one after the other. The key
    /// is the union, and the declaration whose module contains the constant.
    trial_unions: FxHashMap<(DeclarationId, TypeId), String>,
    /// Recursive declarations that contain a union whose members must be tried. Their generated functions
    /// pass a list of the members that matched to each other, so that no value is checked twice.
    passing_selector: FxHashSet<DeclarationId>,
}

/// Plans of unions: the order of checks by which generated code finds the member to which a value belongs. After an edit, most
/// generated code is reused, so a plan is made when it is needed.
struct Plans<'a> {
    program: &'a Program,
    of: FxHashMap<TypeId, OnceLock<UnionPlan>>,
}

impl<'a> Plans<'a> {
    fn new(program: &'a Program) -> Self {
        let types = program.types.iter_ids();
        let unions = types.filter(|(_, r#type)| matches!(r#type.kind, TypeKind::Union { .. }));
        Self {
            program,
            of: unions.map(|(id, _)| (id, OnceLock::new())).collect(),
        }
    }

    fn get(&self, union: TypeId) -> Option<&UnionPlan> {
        let plan = self.of.get(&union)?;
        Some(plan.get_or_init(|| UnionPlan::new(self.program, members(self.program, union))))
    }

    /// Returns the plan of a type that is a union, unless its members are obvious.
    fn get_unless_obvious(&self, id: TypeId) -> Option<&UnionPlan> {
        let TypeKind::Union { members } = &self.program.types[id].kind else {
            return None;
        };
        if has_obvious_members(self.program, members) {
            None
        } else {
            self.get(id)
        }
    }
}

/// Returns the declared members of a union.
fn members(program: &Program, union: TypeId) -> &[TypeId] {
    match &program.types[union].kind {
        TypeKind::Union { members } => members,
        _ => &[],
    }
}

impl<'a> Analysis<'a> {
    pub(crate) fn new(program: &'a Program) -> Self {
        let references = References::new(program);
        let groups = Groups::new(&references);
        let plans = Plans::new(program);
        let trial_unions = trial_unions(program, &plans);
        let trying: FxHashSet<_> = trial_unions.keys().map(|(declaration, _)| *declaration).collect();
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
        let passing_selector = program.declarations.iter_ids().map(|(id, _)| id);
        let passing_selector = passing_selector
            .filter(|id| {
                let group = groups.members(*id);
                let recursive = group.len() > 1 || references.of(*id).contains(id);
                recursive && group.iter().any(|id| trying.contains(id))
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
            plans,
            trial_unions,
            passing_selector,
        }
    }

    /// Returns true if values of the type can contain values of the same type, so that values can be nested to any depth.
    pub(crate) fn is_recursive(&self, declaration: DeclarationId) -> bool {
        self.groups.members(declaration).len() > 1 || self.references.of(declaration).contains(&declaration)
    }

    /// Returns true if values of the type can contain objects with `toJSON`.
    pub(crate) fn has_to_json(&self, declaration: DeclarationId) -> bool {
        self.with_to_json.contains(&declaration)
    }

    /// Returns the groups of declarations that refer to each other in cycles.
    pub(crate) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Returns the plan of a union: the order of checks by which generated code finds the member to which a
    /// value belongs.
    ///
    /// # Panics
    /// Panics if the type is no union.
    pub(crate) fn plan(&self, union: TypeId) -> &UnionPlan {
        self.plans.get(union).expect("only unions have plans")
    }

    /// Returns the name of the constant for a union whose members generated code must try one after the
    /// other. Returns `None` if a property distinguishes the members.
    pub(crate) fn trial_union(&self, home: DeclarationId, union: TypeId) -> Option<&str> {
        self.trial_unions.get(&(home, union)).map(String::as_str)
    }

    /// Returns true if the generated functions of a declaration tell each other which members of unions
    /// matched, so that no value is checked twice.
    pub(crate) fn passes_selector(&self, declaration: DeclarationId) -> bool {
        self.passing_selector.contains(&declaration)
    }

    /// Returns true if the code for a type must know which members of unions matched. `home` is the
    /// declaration whose module contains the code.
    pub(crate) fn needs_selector(&self, program: &Program, home: DeclarationId, id: TypeId) -> bool {
        match &program.types[id].kind {
            TypeKind::Reference { declaration } => self.passes_selector(*declaration),
            kind => {
                self.trial_unions.contains_key(&(home, id))
                    || children(kind)
                        .into_iter()
                        .chain(self.plans.get_unless_obvious(id).into_iter().flat_map(|plan| {
                            // Code for the members of named unions is also in this module.
                            plan.members.iter().map(|member| member.r#type)
                        }))
                        .any(|child| self.needs_selector(program, home, child))
            }
        }
    }

    /// Returns the routes that use a declaration directly, each with the slot.
    pub(crate) fn uses(&self, declaration: DeclarationId) -> &[(RouteId, Slot)] {
        self.uses.get(&declaration).map_or(&[], Vec::as_slice)
    }

    /// Returns the first route that uses the declaration directly in the slot.
    pub(crate) fn first_use(&self, declaration: DeclarationId, slot: Slot) -> Option<RouteId> {
        self.uses(declaration)
            .iter()
            .find(|(_, used)| *used == slot)
            .map(|(route, _)| *route)
    }

    /// Returns true if all values of the declaration are text on the wire, because routes use it only for
    /// params, query, headers, cookies, forms, or headers of replies. If so, the declaration needs no
    /// serializer.
    pub(crate) fn is_only_text(&self, program: &Program, declaration: DeclarationId) -> bool {
        program.declarations[declaration].origin == DeclarationOrigin::Slot
            && !self.written.contains(&declaration)
            && self.uses(declaration).iter().all(|(route, slot)| {
                slot.is_text() || (*slot == Slot::Body && program.routes[*route].body_format.is_text())
            })
    }

    /// Returns true if requests contain values of the declaration as text, which generated code converts.
    pub(crate) fn is_text(&self, declaration: DeclarationId) -> bool {
        self.uses(declaration).iter().any(|(_, slot)| slot.is_text())
            || self.is_form(declaration)
            || self.is_multipart(declaration)
    }

    /// Returns true if the application reads environment variables of the declaration.
    pub(crate) fn is_environment(&self, declaration: DeclarationId) -> bool {
        self.environment == Some(declaration)
    }

    /// Returns true if the type of the declaration contains the fields of a form.
    pub(crate) fn is_form(&self, declaration: DeclarationId) -> bool {
        self.forms.contains(&declaration)
    }

    /// Returns true if the type of the declaration contains the parts of a multipart body that are not files.
    pub(crate) fn is_multipart(&self, declaration: DeclarationId) -> bool {
        self.multiparts.contains(&declaration)
    }

    /// Returns true if a reply has headers of the declaration.
    pub(crate) fn is_reply_headers(&self, declaration: DeclarationId) -> bool {
        self.reply_headers.contains(&declaration)
    }

    /// Returns the routes that use a declaration in declared replies, details of errors and events, each with the
    /// name of the slot that uses it.
    pub(crate) fn uses_in_answers(&self, declaration: DeclarationId) -> &[(RouteId, &'static str)] {
        self.in_answers.get(&declaration).map_or(&[], Vec::as_slice)
    }

    /// Returns the names of the OpenAPI components.
    pub(crate) fn components(&self) -> &ComponentNames {
        &self.components
    }

    /// Returns the references of each declaration to other declarations, without indirect references.
    pub(crate) fn references(&self) -> &References {
        &self.references
    }

    /// Returns the declarations of a file.
    pub(crate) fn in_file(&self, source: SourceId) -> &[DeclarationId] {
        self.files.get(&source).map_or(&[], Vec::as_slice)
    }

    /// Returns the entity of a declaration, if the declaration is an entity.
    pub(crate) fn entity(&self, declaration: DeclarationId) -> Option<EntityId> {
        self.entities.get(&declaration).copied()
    }

    /// Returns true if the program has a type with this name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.names.0.contains(name)
    }

    /// Returns true if the program has so many types that the number and the size of the generated files matter.
    pub(crate) fn is_large(&self) -> bool {
        self.large
    }

    /// Returns true if the server reads values of the declaration from requests or the environment, directly or
    /// within other values.
    pub(crate) fn is_received(&self, declaration: DeclarationId) -> bool {
        self.received.contains(&declaration)
    }

    /// Returns true if the server writes values of the declaration as JSON, directly or within other values.
    pub(crate) fn is_sent(&self, declaration: DeclarationId) -> bool {
        self.sent.contains(&declaration)
    }

    /// Returns true if a route names the declaration as a type that the server writes as JSON.
    pub(crate) fn is_written(&self, declaration: DeclarationId) -> bool {
        self.written.contains(&declaration)
    }

    /// Returns true if no two generated modules export the same name, so that one module can contain all
    /// generated modules.
    pub(crate) fn exports_are_distinct(&self) -> bool {
        self.exports_distinct
    }

    /// Returns the names of all types, for modules that must not use the names of generated exports.
    pub(crate) fn declared_names(&self) -> Arc<DeclaredNames> {
        Arc::clone(&self.names)
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
fn trial_unions(program: &Program, plans: &Plans<'_>) -> FxHashMap<(DeclarationId, TypeId), String> {
    let mut names = FxHashMap::default();
    for (id, declaration) in program.declarations.iter_ids() {
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
                names.insert((id, next), format!("{}Union{number}", declaration.name));
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
    let is_own = |declaration: DeclarationId| {
        let mut open = vec![program.declarations[declaration].r#type];
        while let Some(id) = open.pop() {
            let r#type = &program.types[id];
            if r#type.calls_to_json {
                return true;
            }
            open.extend(children(&r#type.kind));
        }
        false
    };
    let mut found = FxHashSet::default();
    // Each group comes after the groups to which it refers.
    for group in groups.iter() {
        let has = |id: &DeclarationId| {
            is_own(*id) || references.of(*id).iter().any(|target| found.contains(target))
        };
        if group.iter().any(has) {
            found.extend(group.iter().copied());
        }
    }
    found
}
