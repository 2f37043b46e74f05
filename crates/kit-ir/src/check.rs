//! Check of the invariants that emitters rely on. Programs from the compiler satisfy them. A program from a
//! file that someone has edited may break them.

use std::collections::HashSet;

use crate::{
    BodyFormat, DeclarationId, DeclaredReply, IndexKey, Method, Program, Route, Span, TemplatePart, TypeId,
    TypeKind,
};

impl Program {
    /// Returns a sentence for each broken invariant. The list is empty if the program is valid, as every
    /// program from the compiler is.
    ///
    /// ```
    /// use kit_ir::{Program, TypeId, TypeKind};
    ///
    /// let mut program = Program::default();
    /// program.add_type(TypeKind::Array { element: TypeId(7) });
    /// assert_eq!(program.problems(), ["types[0] refers to types[7], which does not exist"]);
    /// ```
    pub fn problems(&self) -> Vec<String> {
        let mut checker = Checker {
            program: self,
            found: Vec::new(),
        };
        checker.types();
        // The next checks follow references, so they need references that exist.
        if checker.found.is_empty() {
            checker.declarations();
            checker.routes();
        }
        checker.found
    }
}

struct Checker<'a> {
    program: &'a Program,
    found: Vec<String>,
}

impl Checker<'_> {
    fn report(&mut self, message: String) {
        self.found.push(message);
    }

    fn types(&mut self) {
        for (id, r#type) in self.program.types.iter_ids() {
            let place = format!("types[{}]", id.0);
            for child in children(&r#type.kind) {
                self.reference(&place, child);
            }
            match &r#type.kind {
                TypeKind::Reference { declaration } => self.declared(&place, *declaration),
                TypeKind::Union { members } if members.len() < 2 => {
                    self.report(format!("{place} is a union of fewer than two members"));
                }
                TypeKind::Tuple { elements }
                    if elements.iter().filter(|element| element.rest).count() > 1 =>
                {
                    self.report(format!("{place} is a tuple with more than one rest element"));
                }
                TypeKind::Object(object) => {
                    let mut names = HashSet::new();
                    for property in &object.properties {
                        let name = &property.name;
                        if !names.insert(name.as_str()) {
                            self.report(format!("{place} has the property `{name}` twice"));
                        }
                        self.span(&format!("the property `{name}` of {place}"), property.span);
                    }
                    let mut keys: Vec<&IndexKey> = Vec::new();
                    for signature in &object.index {
                        if keys.contains(&&signature.key) {
                            self.report(format!(
                                "{place} has two index signatures with the same type of key"
                            ));
                        }
                        if signature.key == IndexKey::Number && !signature.rules.is_empty() {
                            self.report(format!("{place} has rules for keys of the type `number`"));
                        }
                        keys.push(&signature.key);
                    }
                }
                _ => {}
            }
        }
        if self.found.is_empty() {
            self.circles();
        }
        let count = self.program.types.len();
        for declaration in &self.program.declarations {
            if usize::from(declaration.r#type) >= count {
                let place = format!("the declaration `{}`", declaration.name);
                self.reference(&place, declaration.r#type);
            }
        }
    }

    /// Reports each type that contains itself without a reference to a named type in between.
    fn circles(&mut self) {
        let count = self.program.types.len();
        // 0: not visited, 1: on the current path, 2: done.
        let mut state = vec![0_u8; count];
        for start in 0..count {
            let mut stack = vec![(TypeId::from(start), false)];
            while let Some((id, leaving)) = stack.pop() {
                let index = usize::from(id);
                if leaving {
                    state[index] = 2;
                    continue;
                }
                match state[index] {
                    1 => {
                        self.report(format!(
                            "types[{index}] contains itself; a recursive type needs a type of the kind `reference`"
                        ));
                        return;
                    }
                    2 => continue,
                    _ => {}
                }
                state[index] = 1;
                stack.push((id, true));
                stack.extend(
                    children(&self.program.types[id].kind)
                        .into_iter()
                        .map(|child| (child, false)),
                );
            }
        }
    }

    fn declarations(&mut self) {
        let mut names = HashSet::new();
        for declaration in &self.program.declarations {
            let name = &declaration.name;
            let place = format!("the declaration `{name}`");
            if !is_name(name) {
                self.report(format!(
                    "`{name}` is not a valid name of a declaration: write an identifier in PascalCase"
                ));
            }
            // Each declaration becomes a file, and some file systems ignore case.
            if !names.insert(name.to_lowercase()) {
                self.report(format!(
                    "two declarations have the name `{name}` (case is ignored)"
                ));
            }
            if matches!(
                self.program.types[declaration.r#type].kind,
                TypeKind::Reference { .. }
            ) {
                self.report(format!("{place} is only a reference to another declaration"));
            }
            self.span(&place, declaration.span);
        }
        for entity in &self.program.entities {
            let place = format!("the entity of the table `{}`", entity.table);
            if usize::from(entity.declaration) >= self.program.declarations.len() {
                self.declared(&place, entity.declaration);
            } else if !self.is_object(entity.declaration) {
                self.report(format!("{place} is not an object"));
            }
        }
    }

    fn routes(&mut self) {
        for route in &self.program.routes {
            let place = format!("the route `{}`", route.reference());
            self.span(&place, route.span);
            if let Some(handler) = &route.handler {
                self.span(&place, handler.span);
            }
            let is_upgrade = route.is_socket() && route.status == 101;
            if !(200..400).contains(&route.status) && !is_upgrade {
                self.report(format!(
                    "{place} has the success status {}, which is not between 200 and 399",
                    route.status
                ));
            }
            for slot in crate::Slot::ALL {
                let Some(declaration) = route.slots.get(slot) else {
                    continue;
                };
                if usize::from(declaration) >= self.program.declarations.len() {
                    self.declared(&place, declaration);
                } else if slot.is_text() && !self.is_object(declaration) {
                    self.report(format!("the {} of {place} are not an object", slot.name()));
                }
            }
            self.body(&place, route);
            self.replies(&place, route);
        }
        if let Some(environment) = &self.program.application.environment {
            self.span("the call of `env`", environment.span);
            if usize::from(environment.declaration) >= self.program.declarations.len() {
                self.declared("the call of `env`", environment.declaration);
            } else if !self.is_object(environment.declaration) {
                self.report("the environment variables are not an object".to_owned());
            }
        }
        for job in self
            .program
            .application
            .jobs
            .iter()
            .flat_map(|jobs| &jobs.entries)
        {
            let place = format!("the job `{}`", job.name);
            self.span(&place, job.span);
            if usize::from(job.data) >= self.program.declarations.len() {
                self.declared(&place, job.data);
            } else if !self.is_object(job.data) {
                self.report(format!("the data of {place} is not an object"));
            }
        }
        if let Some(span) = self.program.application.span {
            self.span("the application", span);
        }
        for middleware in &self.program.application.middleware {
            self.span(&format!("the middleware `{}`", middleware.name), middleware.span);
        }
    }

    fn body(&mut self, place: &str, route: &Route) {
        for choice in route.body_format.choices(route.slots.body) {
            self.request_format(place, &choice.format, choice.body);
        }
        if route.body_format.is_union() && route.slots.body.is_some() {
            self.report(format!("{place} has a union of formats and a body type"));
        }
        if route.is_socket() != route.response_format.is_socket() {
            self.report(format!("{place} accepts a WebSocket in one direction only"));
        }
        let sides = [
            (&route.body_format, route.slots.body),
            (&route.response_format, route.slots.response),
        ];
        for (format, body) in sides {
            if matches!(format, BodyFormat::Socket { text: true, .. }) && body.is_some() {
                self.report(format!(
                    "{place} has text messages in JSON and in plain text in one direction"
                ));
            }
        }
        let replies = route.declared_replies().map(|reply| &reply.format);
        let formats: Vec<&BodyFormat> = std::iter::once(&route.response_format).chain(replies).collect();
        for format in formats {
            for choice in format.choices(None) {
                if choice.format.is_text()
                    || matches!(choice.format, BodyFormat::Raw { .. } | BodyFormat::Chunks { .. })
                {
                    let name = choice.format.name();
                    self.report(format!(
                        "a response of {place} has the format {name}, which only requests have"
                    ));
                }
            }
            self.union_of_formats(place, format);
            for id in format.inner_types() {
                if usize::from(id) >= self.program.declarations.len() {
                    self.declared(place, id);
                }
            }
        }
        self.downloads(place, route);
        self.union_of_formats(place, &route.body_format);
        for id in route.body_format.inner_types() {
            if usize::from(id) >= self.program.declarations.len() {
                self.declared(place, id);
            }
        }
    }

    /// Checks that downloads are whole responses of GET routes with the status 200.
    fn downloads(&mut self, place: &str, route: &Route) {
        let response = &route.response_format;
        if response.is_download() && (route.method, route.status) != (Method::Get, 200) {
            self.report(format!("{place} has a download, but not GET and the status 200"));
        }
        let replies = route.declared_replies().map(|reply| &reply.format);
        let others = replies.chain([&route.body_format, response]);
        let is_part = |format: &BodyFormat| format.choices(None).iter().any(|one| one.format.is_download());
        if others
            .filter(|format| *format != response || format.is_union())
            .any(is_part)
        {
            self.report(format!("{place} has a download that is not the whole response"));
        }
    }

    /// Checks the invariants of [`BodyFormat::OneOf`].
    fn union_of_formats(&mut self, place: &str, format: &BodyFormat) {
        let BodyFormat::OneOf { choices } = format else {
            return;
        };
        if choices.len() < 2 {
            self.report(format!("{place} has a union of fewer than two formats"));
        }
        let mut types = HashSet::new();
        for choice in choices {
            if matches!(
                choice.format,
                BodyFormat::OneOf { .. } | BodyFormat::Socket { .. }
            ) {
                self.report(format!(
                    "{place} has the format {} in a union of formats",
                    choice.format.name()
                ));
            }
            for name in choice.format.media_types() {
                if !types.insert(name) {
                    self.report(format!("{place} has two formats with the media type {name}"));
                }
            }
        }
    }

    fn request_format(&mut self, place: &str, format: &BodyFormat, body: Option<DeclarationId>) {
        let name = format.name();
        match body {
            None if !format.is_json() && !format.exists_without_type() => {
                self.report(format!("the body of {place} has the format {name} and no type"));
            }
            Some(declaration)
                if format.is_text()
                    && usize::from(declaration) < self.program.declarations.len()
                    && !self.is_object(declaration) =>
            {
                self.report(format!(
                    "the body of {place} has the format {name} and is not an object"
                ));
            }
            _ => {}
        }
        if matches!(format, BodyFormat::Events { .. }) {
            self.report(format!(
                "the body of {place} has the format {name}, which only responses have"
            ));
        }
    }

    fn replies(&mut self, place: &str, route: &Route) {
        if !route.replies.is_empty() && route.slots.response.is_some() {
            self.report(format!("{place} has replies and a response type"));
        }
        if let Some(first) = route.replies.first()
            && first.status != route.status
        {
            self.report(format!(
                "{place} has the success status {}, but its first reply has the status {}",
                route.status, first.status
            ));
        }
        self.replies_of(place, &route.replies);
        for wrapper in &route.wrappers {
            if !route.middleware.contains(&wrapper.name) {
                let name = &wrapper.name;
                self.report(format!(
                    "{place} has the wrapper `{name}`, which is not in its middleware"
                ));
            }
            self.replies_of(place, &wrapper.replies);
        }
        for details in route.throws.iter().filter_map(|error| error.details) {
            if usize::from(details) >= self.program.declarations.len() {
                self.declared(place, details);
            }
        }
    }

    fn replies_of(&mut self, place: &str, replies: &[DeclaredReply]) {
        let mut statuses = HashSet::new();
        for reply in replies {
            let status = reply.status;
            if !(200..400).contains(&status) {
                self.report(format!(
                    "{place} has a reply with the status {status}, which is not between 200 and 399"
                ));
            }
            if !statuses.insert(status) {
                self.report(format!("{place} has two replies with the status {status}"));
            }
            for declaration in [reply.body, reply.headers].into_iter().flatten() {
                if usize::from(declaration) >= self.program.declarations.len() {
                    self.declared(place, declaration);
                } else if reply.headers == Some(declaration) && !self.is_object(declaration) {
                    self.report(format!(
                        "the headers of the reply {status} of {place} are not an object"
                    ));
                }
            }
        }
    }

    fn is_object(&self, declaration: DeclarationId) -> bool {
        let r#type = self.program.declarations[declaration].r#type;
        matches!(self.program.types[r#type].kind, TypeKind::Object(_))
    }

    fn reference(&mut self, place: &str, id: TypeId) {
        if usize::from(id) >= self.program.types.len() {
            self.report(format!("{place} refers to types[{}], which does not exist", id.0));
        }
    }

    fn declared(&mut self, place: &str, id: DeclarationId) {
        if usize::from(id) >= self.program.declarations.len() {
            self.report(format!(
                "{place} refers to declarations[{}], which does not exist",
                id.0
            ));
        }
    }

    fn span(&mut self, place: &str, span: Span) {
        if usize::from(span.source) >= self.program.sources.len() {
            self.report(format!(
                "{place} comes from sources[{}], which does not exist",
                span.source.0
            ));
        }
    }
}

/// Returns the types that appear inside of a type: the element of an array, the members of a union. A
/// reference has none.
fn children(kind: &TypeKind) -> Vec<TypeId> {
    let placeholders = |parts: &[TemplatePart]| -> Vec<TypeId> {
        parts
            .iter()
            .filter_map(|part| match part {
                TemplatePart::Placeholder(id) => Some(*id),
                TemplatePart::Text(_) => None,
            })
            .collect()
    };
    match kind {
        TypeKind::Template { parts } => placeholders(parts),
        TypeKind::Array { element } => vec![*element],
        TypeKind::Tuple { elements } => elements.iter().map(|element| element.r#type).collect(),
        TypeKind::Object(object) => {
            let mut found: Vec<TypeId> = object.properties.iter().map(|property| property.r#type).collect();
            for signature in &object.index {
                found.push(signature.value);
                if let IndexKey::Template { parts } = &signature.key {
                    found.extend(placeholders(parts));
                }
            }
            found
        }
        TypeKind::Union { members } => members.clone(),
        TypeKind::Unknown
        | TypeKind::Never
        | TypeKind::Null
        | TypeKind::Boolean
        | TypeKind::Number
        | TypeKind::String
        | TypeKind::BigInt
        | TypeKind::Date
        | TypeKind::Bytes
        | TypeKind::Literal { .. }
        | TypeKind::Reference { .. } => Vec::new(),
    }
}

/// Returns true if a string can name a declaration: ASCII letters, digits and underscores, with an upper-case
/// letter first.
fn is_name(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_uppercase())
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use crate::{Program, TypeId, TypeKind};

    #[test]
    fn reports_a_type_that_contains_itself_through_other_types() {
        let mut program = Program::default();
        program.add_type(TypeKind::Array { element: TypeId(1) });
        program.add_type(TypeKind::Array { element: TypeId(0) });
        assert!(program.problems()[0].contains("contains itself"));

        let mut shared = Program::default();
        let text = shared.add_type(TypeKind::String);
        shared.add_type(TypeKind::Union {
            members: vec![text, text],
        });
        assert!(
            shared.problems().is_empty(),
            "one type in two places is not a cycle"
        );
    }
}
