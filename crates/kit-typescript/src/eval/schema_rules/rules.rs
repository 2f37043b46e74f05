//! Rules that a schema states, in the form of kit's doc tags.

use crate::docs::TagName;
use crate::eval::Literal;
use crate::modules::Location;

/// Kind of value that a schema accepts, which decides what `min` means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    List,
    /// An object with the properties of the schema.
    Object,
    /// An object whose keys are not known.
    Record,
    /// Only the values in `literals`.
    Literal,
    Boolean,
    BigInt,
    Date,
    /// `null` or `undefined`.
    Nothing,
    /// The result of a function, which the rules of the schema do not describe.
    Changed,
    #[default]
    Other,
}

/// Bound that a method of a library sets, with a number as its argument.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound {
    AtLeast,
    AtMost,
    /// The lower and the upper bound.
    Exactly,
    Above,
    Below,
    MultipleOf,
}

/// A rule, such as `minLength` with the argument `1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) name: TagName,
    pub(super) argument: String,
    pub(super) location: Location,
}

/// Rules of a schema and of its parts.
#[derive(Debug, Clone, Default)]
pub(super) struct SchemaRules {
    pub(super) kind: Kind,
    pub(super) rules: Vec<Rule>,
    pub(super) description: Option<String>,
    /// Rules of the properties of an object. The location is that of the property, for its doc comment.
    pub(super) properties: Vec<(String, Location, SchemaRules)>,
    /// Rules of the elements of an array.
    pub(super) element: Option<Box<SchemaRules>>,
    /// Rules of the elements of a tuple, by position.
    pub(super) elements: Vec<SchemaRules>,
    /// Rules of the keys of a record.
    pub(super) keys: Option<Box<SchemaRules>>,
    /// Rules of the values of a record.
    pub(super) values: Option<Box<SchemaRules>>,
    /// Values of a schema that accepts only literals.
    pub(super) literals: Vec<Literal>,
    /// Rules of the members of a union.
    pub(super) members: Vec<SchemaRules>,
}

impl SchemaRules {
    pub(super) fn of(kind: Kind) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }

    /// Creates the rules of an object.
    pub(super) fn object(properties: Vec<(String, Location, SchemaRules)>) -> Self {
        Self {
            properties,
            ..Self::of(Kind::Object)
        }
    }

    /// Creates the rules of an array.
    pub(super) fn list(element: Option<SchemaRules>) -> Self {
        Self {
            element: element.map(Box::new),
            ..Self::of(Kind::List)
        }
    }

    /// Creates the rules of a tuple.
    pub(super) fn tuple(elements: Vec<SchemaRules>) -> Self {
        Self {
            elements,
            ..Self::of(Kind::List)
        }
    }

    /// Creates the rules of a record.
    pub(super) fn record(keys: Option<SchemaRules>, values: SchemaRules) -> Self {
        Self {
            keys: keys.map(Box::new),
            values: Some(Box::new(values)),
            ..Self::of(Kind::Record)
        }
    }

    /// Returns the rules of the parts of a schema that have no names.
    pub(super) fn unnamed_parts(&self) -> impl Iterator<Item = &SchemaRules> {
        let single = self.element.iter().chain(&self.keys).chain(&self.values);
        let single = single.map(|part| &**part);
        single.chain(&self.elements).chain(&self.members)
    }

    /// Creates the rules of a schema that accepts only literals; `None` if the literals are not known.
    pub(super) fn literals(literals: Option<Vec<Literal>>) -> Self {
        literals.map_or_else(Self::default, |literals| Self {
            literals,
            ..Self::of(Kind::Literal)
        })
    }

    /// Creates the rules of a union.
    pub(super) fn union(members: Vec<SchemaRules>) -> Self {
        Self {
            members,
            ..Self::default()
        }
    }

    pub(super) fn with(mut self, name: TagName, argument: impl Into<String>, location: Location) -> Self {
        self.add(name, argument.into(), location);
        self
    }

    /// Adds a rule. Of two bounds for the same limit, the stricter one stays. Returns false if the schema has another rule
    /// with the same name, which a doc comment cannot have twice, or if a function changes the value.
    pub(super) fn add(&mut self, name: TagName, argument: String, location: Location) -> bool {
        if self.kind == Kind::Changed {
            return false;
        }
        let Some(known) = self.rules.iter_mut().find(|rule| rule.name == name) else {
            self.rules.push(Rule {
                name,
                argument,
                location,
            });
            return true;
        };
        let (Ok(old), Ok(new)) = (known.argument.parse::<f64>(), argument.parse::<f64>()) else {
            return known.argument == argument;
        };
        let stricter = match name {
            TagName::MinLength | TagName::MinItems | TagName::Minimum | TagName::ExclusiveMinimum => {
                new > old
            }
            TagName::MaxLength | TagName::MaxItems | TagName::Maximum | TagName::ExclusiveMaximum => {
                new < old
            }
            _ => return known.argument == argument,
        };
        if stricter {
            known.argument = argument;
            known.location = location;
        }
        true
    }

    /// Adds a lower bound: of the length of a text or a list, or of a number. Returns false if the schema has no such bound.
    pub(super) fn at_least(&mut self, bound: String, location: Location) -> bool {
        match self.kind {
            Kind::Text => self.add(TagName::MinLength, bound, location),
            Kind::Number => self.add(TagName::Minimum, bound, location),
            Kind::List => self.add(TagName::MinItems, bound, location),
            _ => false,
        }
    }

    /// Adds an upper bound, like [`SchemaRules::at_least`].
    pub(super) fn at_most(&mut self, bound: String, location: Location) -> bool {
        match self.kind {
            Kind::Text => self.add(TagName::MaxLength, bound, location),
            Kind::Number => self.add(TagName::Maximum, bound, location),
            Kind::List => self.add(TagName::MaxItems, bound, location),
            _ => false,
        }
    }

    /// Adds a bound. Returns false if the schema has no such bound.
    pub(super) fn bound(&mut self, bound: Bound, limit: String, location: Location) -> bool {
        let is_number = self.kind == Kind::Number;
        match bound {
            Bound::AtLeast => self.at_least(limit, location),
            Bound::AtMost => self.at_most(limit, location),
            Bound::Exactly => self.at_least(limit.clone(), location) && self.at_most(limit, location),
            Bound::Above => is_number && self.add(TagName::ExclusiveMinimum, limit, location),
            Bound::Below => is_number && self.add(TagName::ExclusiveMaximum, limit, location),
            Bound::MultipleOf => is_number && self.add(TagName::MultipleOf, limit, location),
        }
    }

    /// Adds the properties of another object schema. They replace properties with the same names.
    pub(super) fn extend(&mut self, properties: Vec<(String, Location, SchemaRules)>) {
        for property in properties {
            self.properties.retain(|(name, _, _)| *name != property.0);
            self.properties.push(property);
        }
    }
}
