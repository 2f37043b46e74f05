//! Requests that routes match, by their methods and paths.

use kit_ir::{Route, Segment};

/// Method and path of a route.
pub(super) struct Pattern<'a> {
    pub(super) route: &'a Route,
    method: String,
}

impl<'a> Pattern<'a> {
    pub(super) fn of(route: &'a Route) -> Self {
        let reference = route.reference();
        let method = reference.split(' ').next().unwrap_or_default().to_owned();
        Self { route, method }
    }

    /// Returns true if this pattern matches every request that the other pattern matches.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.method == other.method && cover(self.route.path.segments(), other.route.path.segments())
    }

    /// Returns true if both patterns match the same requests.
    pub(super) fn equals(&self, other: &Self) -> bool {
        self.covers(other) && other.covers(self)
    }
}

fn cover(general: &[Segment], special: &[Segment]) -> bool {
    match (general.split_first(), special.split_first()) {
        (None, None) | (Some((Segment::Wildcard(_), _)), Some(_)) => true,
        (
            Some((Segment::Parameter(_), general)),
            Some((Segment::Static(_) | Segment::Parameter(_), special)),
        ) => cover(general, special),
        (Some((Segment::Static(own), general)), Some((Segment::Static(other), special))) => {
            own == other && cover(general, special)
        }
        _ => false,
    }
}

/// Part of an old path that gives a parameter of a new path its value.
pub(super) enum Source<'a> {
    /// The old path has this text.
    Text(&'a str),
    /// The old path has this parameter or wildcard.
    Parameter(&'a str),
    /// The old path has several segments.
    Several,
}

/// Returns the parameters of a path, each with the part of another path that gives it its value. The first path covers
/// the second.
pub(super) fn sources<'a>(general: &'a Route, special: &'a Route) -> Vec<(&'a str, Source<'a>)> {
    let special = special.path.segments();
    let mut found = Vec::new();
    for (position, segment) in general.path.segments().iter().enumerate() {
        let rest = special.get(position..).unwrap_or_default();
        let source = match rest.first() {
            Some(Segment::Static(text)) => Source::Text(text),
            Some(Segment::Parameter(name) | Segment::Wildcard(name)) => Source::Parameter(name),
            None => continue,
        };
        match segment {
            Segment::Static(_) => {}
            Segment::Parameter(name) => found.push((&**name, source)),
            Segment::Wildcard(name) if rest.len() == 1 => found.push((&**name, source)),
            Segment::Wildcard(name) => found.push((&**name, Source::Several)),
        }
    }
    found
}
