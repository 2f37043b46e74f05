//! Types of values that a program computes: results of calls and of operators.

use oxc_ast::ast::{Argument, BinaryExpression, BinaryOperator, CallExpression};

use super::Widening;
use crate::eval::reference::parameters;
use crate::eval::types::{Function, Literal};
use crate::eval::{Evaluator, ScopeId, Ty, TyId};
use crate::modules::{Location, Name, Symbol};

impl<'a> Evaluator<'a> {
    /// Returns the declared result type of a call. If the result depends on type arguments that the call does
    /// not state, returns an invalid type with an error that suggests to state them.
    pub(super) fn call_value(
        &mut self,
        call: &'a CallExpression<'a>,
        scope: ScopeId,
        location: Location,
    ) -> TyId {
        let function = self.expression_type(&call.callee, scope, Widening::Declared);
        let shape = self.shape(function);
        let signatures = match *self.store.get(shape) {
            Ty::Object(id) => self.store.object_at(id).calls.clone(),
            Ty::Invalid(_) => return shape,
            _ => Vec::new(),
        };
        let nodes = call
            .type_arguments
            .as_ref()
            .map_or(&[][..], |arguments| arguments.params.as_slice());
        let arguments: Vec<TyId> = nodes.iter().map(|node| self.evaluate(node, scope)).collect();
        let mut fitting = Vec::new();
        let mut generic = None;
        for signature in signatures {
            if !self.accepts_arguments(&signature, call) {
                continue;
            }
            if signature.generic.0.is_none() && arguments.is_empty() {
                fitting.push(signature.result);
            } else if arguments.is_empty() {
                generic = Some(signature);
            } else if let Some(instance) = self.instantiate_signature(signature.generic, &arguments) {
                // A function without an annotation has a mistake as its result, which suggests to write the
                // annotation.
                let annotated = self.written_result(signature.generic).is_some();
                fitting.push(if annotated {
                    instance.result
                } else {
                    signature.result
                });
            }
        }
        match (fitting.as_slice(), generic) {
            ([only], None) if !self.store.is_open(*only) => *only,
            // A result type without type parameters needs no type arguments.
            ([], Some(signature))
                if !self.store.is_open(signature.result) && !self.needs_arguments(signature.result) =>
            {
                signature.result
            }
            (_, generic) => {
                self.unreadable_call(call, generic.filter(|_| fitting.is_empty()), scope, location)
            }
        }
    }

    /// Returns true if kit cannot evaluate the result type of a generic function without type arguments. A result that the
    /// function's declaration does not state is another mistake.
    fn needs_arguments(&mut self, result: TyId) -> bool {
        let shape = self.shape(result);
        matches!(self.store.get(shape), Ty::Invalid(_)) && !self.uninferred.contains(shape)
    }

    /// Returns an invalid type with an error about a call whose result type only TypeScript can infer.
    fn unreadable_call(
        &mut self,
        call: &'a CallExpression<'a>,
        generic: Option<Function>,
        scope: ScopeId,
        location: Location,
    ) -> TyId {
        let module = self.store.module_of(scope);
        if let Some(library) = self.library_of(&call.callee, module) {
            return self.schema_value(library, location);
        }
        match generic {
            Some(signature) => self.uninferred_call(&signature, location),
            None => self.uninferred(
                location,
                "the result of this call",
                "the type after the name, and use that type: `const settings: Settings = …`",
            ),
        }
    }

    /// Returns an invalid type with an error for `new Name(…)` if TypeScript infers the type arguments from
    /// values. Returns `None` if nothing needs to be inferred. `free` is true if there is no value to infer
    /// from, so that TypeScript uses the defaults.
    pub(super) fn uninferred_class(
        &mut self,
        path: &[Name<'a>],
        free: bool,
        scope: ScopeId,
        location: Location,
    ) -> Option<TyId> {
        let module = self.store.module_of(scope);
        let symbol = match path {
            [only] => self.graph.type_symbol(module, only.text),
            _ => self.graph.type_path(module, path),
        };
        let name = path.last().map_or("", |last| last.text);
        let inferred = match symbol {
            Symbol::Type(decl) => {
                let parameters = parameters(self.graph.decl(decl)).unwrap_or_default();
                let defaults = parameters.iter().all(|parameter| parameter.default.is_some());
                !(parameters.is_empty() || (free && defaults))
            }
            Symbol::Global => crate::known_types::infers_arguments(name),
            _ => false,
        };
        inferred.then(|| {
            self.uninferred(
                location,
                &format!("`new {name}(…)` without type arguments"),
                &format!("the type arguments: `new {name}<…>(…)`"),
            )
        })
    }

    /// Returns true if a function can be called with the number of arguments of a call.
    fn accepts_arguments(&mut self, signature: &Function, call: &CallExpression<'_>) -> bool {
        let given = call.arguments.len();
        if call.arguments.iter().any(Argument::is_spread) {
            return true;
        }
        let parameters = self.parameter_tuple(signature);
        let Ty::Tuple { elements, .. } = self.shape_of(parameters) else {
            return true;
        };
        let required = elements
            .iter()
            .filter(|element| !element.optional && !element.rest)
            .count();
        given >= required && (given <= elements.len() || elements.iter().any(|element| element.rest))
    }

    /// Returns an invalid type with an error about a call whose type arguments TypeScript infers from the
    /// values of the call.
    fn uninferred_call(&mut self, signature: &Function, location: Location) -> TyId {
        let written = self.written_result(signature.generic).unwrap_or("…");
        self.uninferred(
            location,
            "the result of this call",
            &format!(
                "the type after the name, `const value: {written} = …` with its type arguments filled in, or declare \
                 the type itself and use it in place of `typeof value`"
            ),
        )
    }

    /// Returns the type of an expression with an operator such as `+` or `<`: boolean for a comparison,
    /// number or bigint for arithmetic, and string if `+` joins strings.
    pub(super) fn binary_value(
        &mut self,
        binary: &'a BinaryExpression<'a>,
        scope: ScopeId,
        location: Location,
    ) -> TyId {
        let operator = binary.operator;
        if operator.is_equality()
            || operator.is_compare()
            || matches!(operator, BinaryOperator::In | BinaryOperator::Instanceof)
        {
            return self.store.add(Ty::Boolean);
        }
        let left = self.expression_type(&binary.left, scope, Widening::Mutable);
        let right = self.expression_type(&binary.right, scope, Widening::Mutable);
        let kinds = [left, right].map(|operand| self.scalar(operand));
        let result = match kinds {
            [Some(Ty::Number), Some(Ty::Number)] => Ty::Number,
            [Some(Ty::BigInt), Some(Ty::BigInt)] => Ty::BigInt,
            [Some(Ty::String), Some(_)] | [Some(_), Some(Ty::String)]
                if operator == BinaryOperator::Addition =>
            {
                Ty::String
            }
            _ => {
                return self.uninferred(
                    location,
                    "this expression",
                    "the type after the name: `const size: number = …`",
                );
            }
        };
        self.store.add(result)
    }

    /// Returns the primitive type of a literal, an enum member or a primitive: `string` for `"a"`. Returns
    /// `None` for any other type.
    fn scalar(&mut self, ty: TyId) -> Option<Ty> {
        match self.shape_of(ty) {
            Ty::Literal(literal) => Some(literal.primitive()),
            Ty::EnumMember(member) => Some(match member.value {
                Literal::Number(_) => Ty::Number,
                _ => Ty::String,
            }),
            Ty::Template(_) | Ty::Cased(..) => Some(Ty::String),
            scalar @ (Ty::String | Ty::Number | Ty::BigInt | Ty::Boolean) => Some(scalar),
            Ty::Union(members) => {
                let first = self.scalar(*members.first()?)?;
                members
                    .iter()
                    .all(|member| self.scalar(*member).as_ref() == Some(&first))
                    .then_some(first)
            }
            _ => None,
        }
    }
}
