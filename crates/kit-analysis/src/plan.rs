//! Plan for choosing the member of a union that a JSON value is decoded as, with as few checks as possible.

use std::cell::RefCell;

use kit_ir::{ObjectType, Program, TypeId, TypeKind};
use rustc_hash::FxHashMap;

use crate::discriminants::{DiscriminantValue, is_listed, property_values};
use crate::disjoint::pairs_disjoint;
use crate::members::{Kinds, Member, kinds, members};
use crate::specificity::specificity;
use crate::walk::resolve;

/// Maximum number of properties that are compared to find the property that distinguishes a group of members
/// best.
const MAX_PROPERTIES: usize = 16;

/// Plan for choosing the member of a union. A decoder first looks at the kind of the JSON value (scalar,
/// array, object), then follows the plan for this kind.
#[derive(Debug, Clone, PartialEq)]
pub struct UnionPlan {
    /// Members of the flattened union, as [`members`] returns them. All numbers in the other fields are
    /// indexes of this list.
    pub members: Vec<Member>,
    /// Indexes of the members that are scalars, the most specific first. A scalar value is decoded as the
    /// first of them that it fits. `unknown` is last.
    pub scalars: Vec<usize>,
    /// Decision about which member of the union a value is, if the value is an array.
    pub arrays: Decision,
    /// Decision about which member of the union a value is, if the value is an object.
    pub objects: Decision,
}

/// Decision that chooses the member for a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// No member is possible, so the value fits none.
    NoMember,
    /// Only this member is possible.
    Member(usize),
    /// Several members are possible, and no property distinguishes them: the value must be compared with
    /// each.
    Candidates(Candidates),
    /// The value of a property reduces the possible members.
    Switch(Switch),
}

/// Members that no property distinguishes, in the order of declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates {
    /// Indexes of the members in [`UnionPlan::members`].
    pub members: Vec<usize>,
    /// True if no value fits two of the members. If so, a decoder can stop at the first member that the value
    /// fits.
    pub disjoint: bool,
}

/// A decision by the value of one property.
#[derive(Debug, Clone, PartialEq)]
pub struct Switch {
    /// Name of the property.
    pub property: String,
    /// Decisions for the values that distinguish the members.
    pub cases: Vec<Case>,
    /// Decision for any other value of the property.
    pub otherwise: Box<Decision>,
}

/// Decision for some values of the property.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Values of the property. No other case has the same value.
    pub values: Vec<DiscriminantValue>,
    /// Decision for these values.
    pub decision: Decision,
}

/// A property whose string value alone identifies the member of a union of objects, as the `discriminator` of
/// OpenAPI requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discriminator {
    /// Name of the property.
    pub property: String,
    /// Values of the property, each with the index of the member that it identifies.
    pub cases: Vec<(String, usize)>,
}

impl UnionPlan {
    /// Creates the plan for the union of the given types.
    pub fn new(program: &Program, declared: &[TypeId]) -> Self {
        let members = members(program, declared);
        let of = |kind: Kinds| -> Vec<usize> {
            (0..members.len())
                .filter(|index| !kinds(program, members[*index].r#type).is_disjoint(kind))
                .collect()
        };
        let mut scalars = of(Kinds::NULL | Kinds::BOOLEAN | Kinds::NUMBER | Kinds::STRING);
        scalars.sort_by_key(|index| std::cmp::Reverse(specificity(program, members[*index].r#type)));
        let types: Vec<_> = members.iter().map(|member| member.r#type).collect();
        let planner = Planner {
            program,
            types,
            listed: RefCell::default(),
        };
        Self {
            arrays: planner.candidates(of(Kinds::ARRAY)),
            objects: planner.decide(of(Kinds::OBJECT), &mut Vec::new()),
            members,
            scalars,
        }
    }

    /// Returns the properties that distinguish the objects of the union, in the order in which a decoder
    /// checks them.
    pub fn discriminants(&self) -> Vec<&str> {
        let mut found = Vec::new();
        collect(&self.objects, &mut found);
        found
    }

    /// Returns the property whose string value alone identifies each object of the union. Returns `None` if
    /// no property does this.
    pub fn discriminator(&self) -> Option<Discriminator> {
        let Decision::Switch(switch) = &self.objects else {
            return None;
        };
        if *switch.otherwise != Decision::NoMember {
            return None;
        }
        let mut cases = Vec::new();
        for case in &switch.cases {
            let Decision::Member(member) = case.decision else {
                return None;
            };
            for value in &case.values {
                let DiscriminantValue::Literal(kit_ir::LiteralValue::String(text)) = value else {
                    return None;
                };
                cases.push((text.clone(), member));
            }
        }
        Some(Discriminator {
            property: switch.property.clone(),
            cases,
        })
    }
}

fn collect<'a>(decision: &'a Decision, found: &mut Vec<&'a str>) {
    if let Decision::Switch(switch) = decision {
        if !found.contains(&switch.property.as_str()) {
            found.push(&switch.property);
        }
        let cases = switch.cases.iter().map(|case| &case.decision);
        for decision in cases.chain([&*switch.otherwise]) {
            collect(decision, found);
        }
    }
}

struct Planner<'a> {
    program: &'a Program,
    types: Vec<TypeId>,
    /// For each type, true if its values can be listed. Members of a union often share the types of their
    /// properties, so the answer is cached.
    listed: RefCell<FxHashMap<TypeId, bool>>,
}

/// Members of a group, divided by the values of a property. Each case contains the members that are possible
/// for its values.
struct Split<'a> {
    property: &'a str,
    cases: Vec<(Vec<DiscriminantValue>, Vec<usize>)>,
    otherwise: Vec<usize>,
}

impl Split<'_> {
    /// Returns the number of members that remain possible in the worst case of the property.
    fn worst(&self) -> usize {
        let cases = self.cases.iter().map(|(_, members)| members.len());
        cases.max().unwrap_or(0).max(self.otherwise.len())
    }
}

impl<'a> Planner<'a> {
    fn object(&self, member: usize) -> Option<&'a ObjectType> {
        match &self.program.types[resolve(self.program, self.types[member])].kind {
            TypeKind::Object(object) => Some(object),
            _ => None,
        }
    }

    fn candidates(&self, group: Vec<usize>) -> Decision {
        match group.as_slice() {
            [] => Decision::NoMember,
            [only] => Decision::Member(*only),
            _ => {
                let types: Vec<TypeId> = group.iter().map(|member| self.types[*member]).collect();
                let disjoint = pairs_disjoint(self.program, &types);
                Decision::Candidates(Candidates {
                    members: group,
                    disjoint,
                })
            }
        }
    }

    /// Chooses the property that leaves the fewest possible members in the worst case. Then makes the
    /// decisions for the remaining members.
    fn decide(&self, group: Vec<usize>, used: &mut Vec<&'a str>) -> Decision {
        if group.len() < 2 {
            return self.candidates(group);
        }
        let best = self
            .properties(&group, used)
            .into_iter()
            .map(|property| self.split(&group, property))
            .min_by_key(Split::worst)
            .filter(|split| split.worst() < group.len());
        let Some(split) = best else {
            return self.candidates(group);
        };
        used.push(split.property);
        let cases = split.cases.into_iter().map(|(values, members)| Case {
            values,
            decision: self.decide(members, used),
        });
        let cases = cases.collect();
        let otherwise = Box::new(self.decide(split.otherwise, used));
        used.pop();
        Decision::Switch(Switch {
            property: split.property.to_owned(),
            cases,
            otherwise,
        })
    }

    fn is_listed(&self, id: TypeId) -> bool {
        let id = resolve(self.program, id);
        *self
            .listed
            .borrow_mut()
            .entry(id)
            .or_insert_with(|| is_listed(self.program, id))
    }

    /// Returns the properties that have a limited number of values in at least two members. Properties of
    /// more members come first. Otherwise, the properties keep the order of their declaration.
    fn properties(&self, group: &[usize], used: &[&str]) -> Vec<&'a str> {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        let mut places: FxHashMap<&str, usize> = FxHashMap::default();
        for object in group.iter().filter_map(|member| self.object(*member)) {
            for property in &object.properties {
                let name = property.name.as_str();
                if used.contains(&name) || name == "__proto__" || !self.is_listed(property.r#type) {
                    continue;
                }
                let place = *places.entry(name).or_insert_with(|| {
                    counts.push((name, 0));
                    counts.len() - 1
                });
                counts[place].1 += 1;
            }
        }
        counts.retain(|(_, count)| *count > 1);
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts.truncate(MAX_PROPERTIES);
        counts.into_iter().map(|(name, _)| name).collect()
    }

    fn split(&self, group: &[usize], property: &'a str) -> Split<'a> {
        let of = |member: usize| {
            let object = self.object(member)?;
            property_values(self.program, object, property)
        };
        let values: Vec<Option<Vec<DiscriminantValue>>> = group.iter().map(|member| of(*member)).collect();
        // The debug form distinguishes `1` from `"1"` and `true`, and each number has one debug form.
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        let mut holders: Vec<(DiscriminantValue, Vec<usize>)> = Vec::new();
        for value in values.iter().flatten().flatten() {
            places.entry(format!("{value:?}")).or_insert_with(|| {
                holders.push((value.clone(), Vec::new()));
                holders.len() - 1
            });
        }
        for (member, values) in group.iter().zip(&values) {
            match values {
                // The property may be anything.
                None => holders.iter_mut().for_each(|(_, members)| members.push(*member)),
                Some(values) => {
                    for value in values {
                        let members = &mut holders[places[&format!("{value:?}")]].1;
                        if members.last() != Some(member) {
                            members.push(*member);
                        }
                    }
                }
            }
        }
        let mut cases: Vec<(Vec<DiscriminantValue>, Vec<usize>)> = Vec::new();
        let mut by_members: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        for (value, members) in holders {
            let place = *by_members.entry(members.clone()).or_insert_with(|| {
                cases.push((Vec::new(), members));
                cases.len() - 1
            });
            cases[place].0.push(value);
        }
        let any = group.iter().zip(&values).filter(|(_, values)| values.is_none());
        Split {
            property,
            cases,
            otherwise: any.map(|(member, _)| *member).collect(),
        }
    }
}
