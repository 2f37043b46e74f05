//! Last step of lowering: sorts the declarations and gives them unique names. The order and the names depend
//! only on the source.

use kit_diagnostics::Diagnostics;
use kit_ir::{
    Arena, Declaration, DeclarationId, DeclarationOrigin, ErrorFormat, Program, Slot, SourceFile, SourceId,
    Span, TypeKind,
};
use rustc_hash::FxHashMap;

use super::Lowering;
use crate::eval::Evaluator;

impl<'a> Lowering<'a> {
    /// Returns the program with sorted declarations and unique names, and the diagnostics. Also returns the
    /// evaluator, from which the caller learns the files that were read.
    pub(crate) fn into_program(mut self) -> (Program, Diagnostics, Evaluator<'a>) {
        self.sort_sources();
        self.sort_declarations();
        (self.program, self.diagnostics, self.eval)
    }

    /// Lowers the types that are still in the queue, then reads the doc tags and examples.
    pub(crate) fn lower_remaining(&mut self) {
        self.drain();
        self.read_tags();
        self.read_examples();
    }

    fn sort_sources(&mut self) {
        let mut files: Vec<(&str, u32)> = self
            .eval
            .graph
            .files()
            .map(|(id, module)| (module.display.as_str(), id.0))
            .collect();
        files.sort_unstable();
        let mut new_ids = FxHashMap::default();
        let mut sources: Arena<SourceId, SourceFile> = Arena::default();
        for (path, module) in files {
            new_ids.insert(
                SourceId(module),
                sources.push(SourceFile {
                    path: path.to_owned(),
                }),
            );
        }
        self.program.sources = sources;
        each_span(&mut self.program, &mut |span| {
            if let Some(id) = new_ids.get(&span.source) {
                span.source = *id;
            }
        });
    }

    fn sort_declarations(&mut self) {
        let program = &mut self.program;
        let mut order: Vec<DeclarationId> = program.declarations.iter_ids().map(|(id, _)| id).collect();
        // Sources are sorted by path, so sorting by span sorts by path and position.
        order.sort_by_key(|id| {
            let declaration = &program.declarations[*id];
            match declaration.origin {
                DeclarationOrigin::Named { .. } => (0, declaration.span.source, declaration.span.start, *id),
                _ => (1, SourceId(0), 0, *id),
            }
        });
        let mut names = Names::default();
        let mut sorted: Arena<DeclarationId, Declaration> = Arena::default();
        let mut new_ids = FxHashMap::default();
        for old in order {
            let mut declaration = program.declarations[old].clone();
            declaration.name = names.unique(&declaration.name);
            new_ids.insert(old, sorted.push(declaration));
        }
        program.declarations = sorted;
        let renew = |id: &mut DeclarationId| {
            if let Some(new) = new_ids.get(id) {
                *id = *new;
            }
        };
        for index in 0..program.types.len() {
            if let TypeKind::Reference { declaration } = &mut program.types[index.into()].kind {
                renew(declaration);
            }
        }
        for index in 0..program.entities.len() {
            renew(&mut program.entities[index.into()].declaration);
        }
        for index in 0..program.routes.len() {
            let route = &mut program.routes[index.into()];
            for slot in Slot::ALL {
                route.slots.get_mut(slot).iter_mut().for_each(renew);
            }
            let of_wrappers = route.wrappers.iter_mut().flat_map(|wrapper| &mut wrapper.replies);
            for reply in route.replies.iter_mut().chain(of_wrappers) {
                reply.body.iter_mut().for_each(renew);
                reply.headers.iter_mut().for_each(renew);
                reply.format.inner_types_mut().into_iter().for_each(renew);
            }
            route
                .response_format
                .inner_types_mut()
                .into_iter()
                .for_each(renew);
            route.body_format.inner_types_mut().into_iter().for_each(renew);
            for error in &mut route.throws {
                error.details.iter_mut().for_each(renew);
            }
        }
        if let Some(environment) = &mut program.application.environment {
            renew(&mut environment.declaration);
        }
        let errors = program.application.errors.as_mut();
        if let Some(rules) = errors.and_then(|errors| errors.rules.as_mut())
            && let ErrorFormat::Declared(declared) = &mut rules.format
        {
            renew(&mut declared.body);
        }
    }
}

/// Names of declarations. Two names that differ only in case count as equal, because some file systems ignore
/// case.
#[derive(Default)]
struct Names {
    /// For each name in lower case, the number that the next declaration of this name tries to append first.
    taken: FxHashMap<String, u32>,
}

impl Names {
    /// Returns the name if it is free. Otherwise appends the first free number: `Note2`, `Note3`.
    fn unique(&mut self, name: &str) -> String {
        let key = name.to_lowercase();
        let Some(next) = self.taken.get(&key) else {
            self.taken.insert(key, 2);
            return name.to_owned();
        };
        let mut number = *next;
        while self.taken.contains_key(&format!("{key}{number}")) {
            number += 1;
        }
        self.taken.insert(format!("{key}{number}"), 2);
        self.taken.insert(key, number + 1);
        format!("{name}{number}")
    }
}

fn each_span(program: &mut Program, change: &mut dyn FnMut(&mut Span)) {
    for index in 0..program.types.len() {
        if let TypeKind::Object(object) = &mut program.types[index.into()].kind {
            object
                .properties
                .iter_mut()
                .for_each(|property| change(&mut property.span));
        }
    }
    for index in 0..program.declarations.len() {
        change(&mut program.declarations[index.into()].span);
    }
    for index in 0..program.routes.len() {
        let route = &mut program.routes[index.into()];
        change(&mut route.span);
        if let Some(handler) = &mut route.handler {
            change(&mut handler.span);
        }
    }
    let application = &mut program.application;
    application.span.iter_mut().for_each(&mut *change);
    let options = [
        application.cors.as_mut().map(|option| &mut option.span),
        application
            .security_headers
            .as_mut()
            .map(|option| &mut option.span),
        application.errors.as_mut().map(|option| &mut option.span),
        application
            .environment
            .as_mut()
            .map(|variables| &mut variables.span),
    ];
    options.into_iter().flatten().for_each(&mut *change);
    application
        .middleware
        .iter_mut()
        .for_each(|middleware| change(&mut middleware.span));
}
