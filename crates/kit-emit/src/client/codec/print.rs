//! Codecs as text in TypeScript.

use kit_ir::DeclarationId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::members::MemberId;
use super::{Codec, Codecs};
use crate::text::literal;

impl Codecs<'_> {
    /// Returns the codec for the values of a declaration as text in TypeScript. Returns `None` if the values
    /// need no conversion.
    pub(in crate::client) fn of(&self, id: DeclarationId) -> Option<String> {
        (self.by_declaration.contains_key(&id) && !self.ambiguous.contains(&id)).then(|| self.named(id))
    }

    /// Returns the named codecs, to which other codecs refer, in the order of the declarations. The named members of unions
    /// follow the first declaration that contains them.
    pub(in crate::client) fn types(&self) -> Vec<(String, String)> {
        let reached = self.reached();
        let mut names = FxHashMap::default();
        let mut found = Vec::new();
        for (id, declaration) in self.program.declarations.iter_ids() {
            if !reached.contains(&id) {
                continue;
            }
            let codec = &self.by_declaration[&id];
            found.push((declaration.name.clone(), codec));
            let mut members = Vec::new();
            self.visit(codec, &mut |_| {}, &mut |member| {
                let is_new = self.members.is_named(member) && !names.contains_key(&member);
                if is_new {
                    // A point is in no name of a declaration.
                    let name = format!("{}.{}", declaration.name, members.len() + 1);
                    names.insert(member, name.clone());
                    members.push((name, self.members.get(member)));
                }
                is_new || !self.members.is_named(member)
            });
            found.extend(members);
        }
        let print = |(name, codec)| (name, self.print(codec, &names));
        found.into_iter().map(print).collect()
    }

    /// Returns the declarations to whose codecs routes refer, directly or through others.
    fn reached(&self) -> FxHashSet<DeclarationId> {
        let mut reached = FxHashSet::default();
        let mut members = FxHashSet::default();
        let mut pending: Vec<_> = self
            .program
            .routes
            .iter()
            .flat_map(kit_ir::Route::written)
            .filter(|id| !self.ambiguous.contains(id))
            .collect();
        while let Some(id) = pending.pop() {
            if let Some(codec) = self.by_declaration.get(&id)
                && reached.insert(id)
            {
                self.visit(codec, &mut |id| pending.push(id), &mut |member| {
                    members.insert(member)
                });
            }
        }
        reached
    }

    /// Calls `named` for each reference to a declaration, and `enters` for each member of a union. Visits the parts of a member
    /// if `enters` returns true.
    fn visit(
        &self,
        codec: &Codec,
        named: &mut impl FnMut(DeclarationId),
        enters: &mut impl FnMut(MemberId) -> bool,
    ) {
        let parts: Vec<&Codec> = match codec {
            Codec::Scalar(_) => Vec::new(),
            Codec::Named(id) => {
                named(*id);
                Vec::new()
            }
            Codec::Properties(list) => list.iter().map(|(_, codec)| codec).collect(),
            Codec::Discriminated(_, cases) => cases
                .iter()
                .filter(|(_, id)| enters(*id))
                .map(|(_, id)| self.members.get(*id))
                .collect(),
            Codec::Items(item) => vec![item],
            Codec::Tuple(items, rest) => items.iter().flatten().chain(rest.as_deref()).collect(),
            Codec::Index(list, value) => list
                .iter()
                .map(|(_, codec)| codec)
                .chain([value.as_ref()])
                .collect(),
            Codec::Combined(codecs) => codecs.iter().collect(),
        };
        for part in parts {
            self.visit(part, named, enters);
        }
    }

    fn named(&self, id: DeclarationId) -> String {
        literal::string(&self.program.declarations[id].name)
    }

    fn print(&self, codec: &Codec, names: &FxHashMap<MemberId, String>) -> String {
        let print = |codec: &Codec| self.print(codec, names);
        let properties = |properties: &[(String, Codec)]| {
            literal::object(
                properties
                    .iter()
                    .map(|(name, codec)| (literal::key(name), print(codec))),
            )
        };
        let optional = |codec: Option<&Codec>| codec.map_or("null".to_owned(), print);
        match codec {
            Codec::Scalar(code) => literal::string(code),
            Codec::Named(id) => self.named(*id),
            Codec::Properties(list) => properties(list),
            Codec::Items(item) => format!("[\"each\", {}]", print(item)),
            Codec::Tuple(items, rest) => {
                let items = literal::list("[", items.iter().map(|item| optional(item.as_ref())), "]");
                format!("[\"tuple\", {items}, {}]", optional(rest.as_deref()))
            }
            Codec::Index(list, value) => format!("[\"rest\", {}, {}]", properties(list), print(value)),
            Codec::Discriminated(property, cases) => {
                let cases = literal::object(cases.iter().map(|(value, id)| {
                    let codec = match names.get(id) {
                        Some(name) => literal::string(name),
                        None => print(self.members.get(*id)),
                    };
                    (literal::key(value), codec)
                }));
                format!("[\"by\", {}, {cases}]", literal::string(property))
            }
            Codec::Combined(codecs) => {
                let codecs = codecs.iter().map(print);
                literal::list("[", std::iter::once("\"all\"".to_owned()).chain(codecs), "]")
            }
        }
    }
}
