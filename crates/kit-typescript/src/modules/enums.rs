//! Values of enum members. Constant expressions such as `1 << 2` are evaluated like in TypeScript.

use std::sync::Arc;

use oxc_ast::ast::{
    BinaryExpression, BinaryOperator, Expression, TSEnumDeclaration, TemplateLiteral, UnaryOperator,
};
use oxc_span::GetSpan;

use super::enum_member::{EnumMember, EnumValue};
use super::resolve::is_declaration;
use super::{DeclId, DeclKind, Graph, Location, ModuleId, Symbol, Value};

/// Maximum depth of constants that refer to other constants, and of nested operators. A deeper expression is
/// treated as not constant.
const MAX_DEPTH: usize = 100;

impl<'a> Graph<'a> {
    /// Returns the members of all declarations of an enum.
    pub(crate) fn enum_members(&mut self, id: DeclId) -> Arc<[EnumMember<'a>]> {
        let id = self.primary(id);
        match self.enums.members.get(&id) {
            Some(Some(known)) => return Arc::clone(known),
            // A member whose value depends on itself through another enum is not a constant.
            Some(None) => return Arc::new([]),
            None => {}
        }
        self.enums.members.insert(id, None);
        let mut members = Vec::new();
        let parts: Vec<DeclId> = [id].into_iter().chain(self.merged(id).iter().copied()).collect();
        for part in parts {
            let decl = self.decl(part);
            let DeclKind::Enum(declarations) = &decl.kind else {
                continue;
            };
            let (module, name) = (decl.module, decl.name);
            for declaration in declarations.clone() {
                self.members_of(declaration, module, name, &mut members);
            }
        }
        let members: Arc<[EnumMember<'a>]> = members.into();
        self.enums.members.insert(id, Some(Arc::clone(&members)));
        members
    }

    /// Returns the index of a member in the list of [`Graph::enum_members`]; `None` if the enum has no such
    /// member.
    pub(super) fn enum_member(&mut self, id: DeclId, name: &str) -> Option<usize> {
        self.enum_members(id)
            .iter()
            .position(|member| member.name == name)
    }

    fn members_of(
        &mut self,
        declaration: &'a TSEnumDeclaration<'a>,
        module: ModuleId,
        own: &'a str,
        members: &mut Vec<EnumMember<'a>>,
    ) {
        // A member without an initializer has the value of the member before it plus one, if that value is a
        // number. In a `declare enum` such a member has no known value.
        let ambient = declaration.declare || is_declaration(&self.module(module).path);
        let counts = declaration.r#const || !ambient;
        let mut next = Some(0.0).filter(|_| counts);
        for member in &declaration.body.members {
            let value = match &member.initializer {
                None => next.map_or(EnumValue::Computed, EnumValue::Number),
                Some(initializer) => {
                    let scope = Constants { module, own, members };
                    self.constant(initializer, &scope, 0)
                }
            };
            next = match &value {
                EnumValue::Number(number) if counts => Some(number + 1.0),
                _ => None,
            };
            members.push(EnumMember {
                name: member.id.static_name().as_str(),
                value,
                location: Location {
                    module,
                    span: member.id.span(),
                },
            });
        }
    }

    fn constant(
        &mut self,
        expression: &'a Expression<'a>,
        scope: &Constants<'a, '_>,
        depth: usize,
    ) -> EnumValue {
        if depth > MAX_DEPTH {
            return EnumValue::Computed;
        }
        match expression {
            Expression::NumericLiteral(literal) => EnumValue::Number(literal.value),
            Expression::StringLiteral(literal) if literal.lone_surrogates => EnumValue::HalfPair,
            Expression::StringLiteral(literal) => EnumValue::String(literal.value.to_string()),
            Expression::TemplateLiteral(template) => self.template_constant(template, scope, depth),
            Expression::ParenthesizedExpression(inner) => self.constant(&inner.expression, scope, depth + 1),
            Expression::UnaryExpression(unary) => {
                match (unary.operator, self.constant(&unary.argument, scope, depth + 1)) {
                    (UnaryOperator::UnaryPlus, EnumValue::Number(value)) => EnumValue::Number(value),
                    (UnaryOperator::UnaryNegation, EnumValue::Number(value)) => EnumValue::Number(-value),
                    (UnaryOperator::BitwiseNot, EnumValue::Number(value)) => {
                        EnumValue::Number(f64::from(!to_int32(value)))
                    }
                    _ => EnumValue::Computed,
                }
            }
            Expression::BinaryExpression(binary) => self.binary_constant(binary, scope, depth),
            Expression::Identifier(identifier) => self.named_constant(identifier.name.as_str(), scope, depth),
            Expression::StaticMemberExpression(member) => {
                self.member_constant(&member.object, member.property.name.as_str(), scope)
            }
            Expression::ComputedMemberExpression(member) => match &member.expression {
                Expression::StringLiteral(name) => {
                    self.member_constant(&member.object, name.value.as_str(), scope)
                }
                _ => EnumValue::Computed,
            },
            _ => EnumValue::Computed,
        }
    }

    fn template_constant(
        &mut self,
        template: &'a TemplateLiteral<'a>,
        scope: &Constants<'a, '_>,
        depth: usize,
    ) -> EnumValue {
        let mut text = String::new();
        for (index, quasi) in template.quasis.iter().enumerate() {
            let Some(cooked) = &quasi.value.cooked else {
                return EnumValue::Computed;
            };
            if quasi.lone_surrogates {
                return EnumValue::HalfPair;
            }
            text.push_str(cooked);
            let Some(placeholder) = template.expressions.get(index) else {
                continue;
            };
            match self.constant(placeholder, scope, depth + 1) {
                EnumValue::String(value) => text.push_str(&value),
                EnumValue::Number(value) => text.push_str(&kit_analysis::number_text(value)),
                other @ (EnumValue::HalfPair | EnumValue::Computed) => return other,
            }
        }
        EnumValue::String(text)
    }

    fn binary_constant(
        &mut self,
        binary: &'a BinaryExpression<'a>,
        scope: &Constants<'a, '_>,
        depth: usize,
    ) -> EnumValue {
        let left = self.constant(&binary.left, scope, depth + 1);
        let right = self.constant(&binary.right, scope, depth + 1);
        match (left, right) {
            (EnumValue::Number(left), EnumValue::Number(right)) => {
                arithmetic(binary.operator, left, right).map_or(EnumValue::Computed, EnumValue::Number)
            }
            (EnumValue::HalfPair, _) | (_, EnumValue::HalfPair) => EnumValue::HalfPair,
            (left, right) if binary.operator == BinaryOperator::Addition => match (text(&left), text(&right))
            {
                (Some(left), Some(right)) => EnumValue::String(left + &right),
                _ => EnumValue::Computed,
            },
            _ => EnumValue::Computed,
        }
    }

    /// Evaluates a name in a constant expression: a member of the same enum, a `const` variable, `NaN` or
    /// `Infinity`.
    fn named_constant(&mut self, name: &'a str, scope: &Constants<'a, '_>, depth: usize) -> EnumValue {
        if let Some(member) = scope.members.iter().find(|member| member.name == name) {
            return member.value.clone();
        }
        match self.value_symbol(scope.module, name) {
            Symbol::Value(module, own, Value::Const(declarator)) if declarator.type_annotation.is_none() => {
                let scope = Constants {
                    module,
                    own,
                    members: &[],
                };
                match &declarator.init {
                    Some(init) => self.constant(init, &scope, depth + 1),
                    None => EnumValue::Computed,
                }
            }
            Symbol::Global if name == "NaN" => EnumValue::Number(f64::NAN),
            Symbol::Global if name == "Infinity" => EnumValue::Number(f64::INFINITY),
            _ => EnumValue::Computed,
        }
    }

    /// Evaluates `E.Member` in a constant expression. `E` may be the same enum or another enum.
    fn member_constant(
        &mut self,
        object: &'a Expression<'a>,
        member: &str,
        scope: &Constants<'a, '_>,
    ) -> EnumValue {
        let Some(path) = super::expression_path(object) else {
            return EnumValue::Computed;
        };
        if let [only] = path.as_slice()
            && only.text == scope.own
            && let Some(known) = scope.members.iter().find(|known| known.name == member)
        {
            return known.value.clone();
        }
        let (Symbol::Value(_, _, Value::Declared(decl)), used) = self.value_path(scope.module, &path) else {
            return EnumValue::Computed;
        };
        if used < path.len() || !matches!(self.decl(decl).kind, DeclKind::Enum(_)) {
            return EnumValue::Computed;
        }
        let members = self.enum_members(decl);
        let found = members.iter().find(|known| known.name == member);
        found.map_or(EnumValue::Computed, |known| known.value.clone())
    }
}

/// Scope in which the names of a constant expression are resolved.
struct Constants<'a, 'b> {
    module: ModuleId,
    /// Name of the enum that contains the expression.
    own: &'a str,
    /// Members of the enum before the expression.
    members: &'b [EnumMember<'a>],
}

fn text(value: &EnumValue) -> Option<String> {
    match value {
        EnumValue::String(text) => Some(text.clone()),
        EnumValue::Number(number) => Some(kit_analysis::number_text(*number)),
        EnumValue::HalfPair | EnumValue::Computed => None,
    }
}

fn arithmetic(operator: BinaryOperator, left: f64, right: f64) -> Option<f64> {
    let (a, b) = (to_int32(left), to_int32(right));
    let shift = b.cast_unsigned() & 31;
    Some(match operator {
        BinaryOperator::Addition => left + right,
        BinaryOperator::Subtraction => left - right,
        BinaryOperator::Multiplication => left * right,
        BinaryOperator::Division => left / right,
        BinaryOperator::Remainder => left % right,
        // JavaScript: 1 or -1 to an infinite power is NaN.
        #[allow(clippy::float_cmp)] // Reason: exactly 1 is meant.
        BinaryOperator::Exponential if right.is_nan() || (right.is_infinite() && left.abs() == 1.0) => {
            f64::NAN
        }
        BinaryOperator::Exponential => left.powf(right),
        BinaryOperator::ShiftLeft => f64::from(a.wrapping_shl(shift)),
        BinaryOperator::ShiftRight => f64::from(a.wrapping_shr(shift)),
        BinaryOperator::ShiftRightZeroFill => f64::from(a.cast_unsigned().wrapping_shr(shift)),
        BinaryOperator::BitwiseAnd => f64::from(a & b),
        BinaryOperator::BitwiseOR => f64::from(a | b),
        BinaryOperator::BitwiseXOR => f64::from(a ^ b),
        _ => return None,
    })
}

/// Converts a number to 32 bits like the bitwise operators of JavaScript: 4294967295 gives -1.
fn to_int32(value: f64) -> i32 {
    if !value.is_finite() {
        return 0;
    }
    let wrapped = value.trunc().rem_euclid(4_294_967_296.0);
    // The value is in the range of `u32` after the line above, so the cast loses nothing.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let bits = wrapped as u32;
    bits.cast_signed()
}
