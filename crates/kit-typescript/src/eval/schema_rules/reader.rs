//! Reader of schemas: follows constants, and reads the arguments of calls.

use kit_ir::Format;
use oxc_ast::ast::{
    Argument, ArrayExpressionElement, CallExpression, Expression, ObjectExpression, ObjectPropertyKind,
    PropertyKind, RegExpLiteral, VariableDeclarator,
};
use oxc_span::{GetSpan, Span};

use super::rules::SchemaRules;
use super::source::{MAX_DEPTH, SchemaSource, static_name};
use super::{Library, read_of_library};
use crate::docs::TagName;
use crate::eval::types::Literal;
use crate::eval::values::Widening;
use crate::eval::{Evaluator, Ty};
use crate::modules::{Location, ModuleId, Symbol, Value};

/// Reads the rules of schemas from their source.
pub(super) struct Reader<'e, 'a> {
    pub(super) eval: &'e mut Evaluator<'a>,
    /// Parts of schemas that kit does not read, with their text.
    pub(super) unread: Vec<(Location, String)>,
    depth: u32,
}

impl<'e, 'a> Reader<'e, 'a> {
    pub(super) fn new(eval: &'e mut Evaluator<'a>) -> Self {
        Self {
            eval,
            unread: Vec::new(),
            depth: 0,
        }
    }

    /// Reads the rules of a schema: a call of a library, or a name of a constant with such a call.
    pub(super) fn read(&mut self, expression: &'a Expression<'a>, module: ModuleId) -> SchemaRules {
        if self.depth >= MAX_DEPTH {
            self.refuse(expression, module);
            return SchemaRules::default();
        }
        self.depth += 1;
        let rules = self.read_inner(expression.get_inner_expression(), module);
        self.depth -= 1;
        rules
    }

    fn read_inner(&mut self, expression: &'a Expression<'a>, module: ModuleId) -> SchemaRules {
        if let Expression::Identifier(name) = expression {
            if let Symbol::Value(
                found,
                _,
                Value::Const(VariableDeclarator {
                    init: Some(init),
                    type_annotation: None,
                    ..
                })
                | Value::Default(init),
            ) = self.eval.graph.value_symbol(module, name.name.as_str())
            {
                return self.read(init, found);
            }
            self.refuse(expression, module);
            return SchemaRules::default();
        }
        if let Some(library) = self.root_schema(expression, module) {
            read_of_library(self, library, expression, module)
        } else {
            self.refuse(expression, module);
            SchemaRules::default()
        }
    }

    /// Reads a schema, or the part of a schema that names after the schema select: `user.shape.name`, `tags.element`.
    pub(super) fn read_part(&mut self, source: &SchemaSource<'a>) -> SchemaRules {
        let mut rules = self.read(source.expression, source.module);
        let mut parts = source.parts.as_slice();
        loop {
            let found = match parts {
                [] => return rules,
                ["shape" | "entries" | "properties", name, ..] => {
                    parts = &parts[2..];
                    let mut properties = rules.properties.into_iter();
                    properties
                        .find(|(known, _, _)| known == name)
                        .map(|(_, _, found)| found)
                }
                ["element" | "item" | "items", ..] => {
                    parts = &parts[1..];
                    rules.element.map(|element| *element)
                }
                _ => None,
            };
            let Some(found) = found else {
                self.refuse(source.expression, source.module);
                return SchemaRules::default();
            };
            rules = found;
        }
    }

    /// Returns the library of the schema that an expression starts with: that of `z` in `z.object(…)`, or that of the
    /// constant `user` in `user.partial()`.
    pub(super) fn root_schema(
        &mut self,
        expression: &'a Expression<'a>,
        module: ModuleId,
    ) -> Option<Library> {
        let (mut current, mut module) = (expression, module);
        for _ in 0..MAX_DEPTH {
            if let Some(library) = self.eval.library_of(current, module) {
                return Some(library);
            }
            let mut root = current;
            let name = loop {
                match root.get_inner_expression() {
                    Expression::StaticMemberExpression(member) => root = &member.object,
                    Expression::CallExpression(call) => root = &call.callee,
                    Expression::Identifier(name) => break name.name.as_str(),
                    _ => return None,
                }
            };
            match self.eval.graph.value_symbol(module, name) {
                Symbol::Value(found, _, Value::Const(declarator)) if declarator.type_annotation.is_none() => {
                    current = declarator.init.as_ref()?;
                    module = found;
                }
                Symbol::Value(found, _, Value::Default(expression)) => {
                    current = expression;
                    module = found;
                }
                _ => return None,
            }
        }
        None
    }

    /// Records an expression that kit does not read.
    pub(super) fn refuse(&mut self, expression: &'a Expression<'a>, module: ModuleId) {
        let at = location(module, expression.span());
        let text = self.eval.graph.module(module).slice(expression.span());
        let line = text.lines().next().unwrap_or_default();
        let what = if text.lines().count() > 1 || line.chars().count() > 60 {
            let short: String = line.chars().take(60).collect();
            format!("`{short}…`")
        } else {
            format!("`{line}`")
        };
        self.unread.push((at, what));
    }

    /// Records a call of a method that kit does not read, such as `.refine(…)`.
    pub(super) fn refuse_method(&mut self, name: &str, location: Location) {
        self.unread.push((location, format!("`.{name}(…)`")));
    }

    /// Returns the argument of a call at an index.
    pub(super) fn argument(call: &'a CallExpression<'a>, index: usize) -> Option<&'a Expression<'a>> {
        call.arguments.get(index).and_then(Argument::as_expression)
    }

    /// Returns the value of a literal, or of a constant with a literal. Returns `None` for any other expression.
    pub(super) fn literal(&mut self, expression: &'a Expression<'a>, module: ModuleId) -> Option<Literal> {
        let scope = self.eval.module_scope(module);
        let ty = self.eval.expression_type(expression, scope, Widening::Const);
        match self.eval.shape_of(ty) {
            Ty::Literal(literal) => Some(literal),
            _ => None,
        }
    }

    /// Returns the value of a literal, or the values of an array of literals, also of constants. Returns `None` for any other
    /// expression.
    pub(super) fn literals(
        &mut self,
        expression: Option<&'a Expression<'a>>,
        module: ModuleId,
    ) -> Option<Vec<Literal>> {
        let scope = self.eval.module_scope(module);
        let ty = self.eval.expression_type(expression?, scope, Widening::Const);
        match self.eval.shape_of(ty) {
            Ty::Literal(literal) => Some(vec![literal]),
            Ty::Tuple { elements, .. } => {
                let values = elements
                    .iter()
                    .map(|element| match self.eval.shape_of(element.ty) {
                        Ty::Literal(literal) if !element.rest => Some(literal),
                        _ => None,
                    });
                values.collect()
            }
            _ => None,
        }
    }

    /// Returns a number as the argument of a doc tag.
    pub(super) fn number(
        &mut self,
        expression: Option<&'a Expression<'a>>,
        module: ModuleId,
    ) -> Option<String> {
        match self.literal(expression?, module)? {
            literal @ Literal::Number(_) => Some(literal.name().to_string()),
            _ => None,
        }
    }

    pub(super) fn text(
        &mut self,
        expression: Option<&'a Expression<'a>>,
        module: ModuleId,
    ) -> Option<String> {
        match self.literal(expression?, module)? {
            Literal::String(text) => Some(text.to_string()),
            _ => None,
        }
    }

    /// Returns the pattern of a regular expression without flags that change its meaning.
    pub(super) fn pattern(expression: Option<&'a Expression<'a>>) -> Option<&'a str> {
        match expression?.get_inner_expression() {
            Expression::RegExpLiteral(literal) => pattern_of(literal),
            _ => None,
        }
    }

    /// Reads the schemas of the properties of an object.
    pub(super) fn properties(
        &mut self,
        expression: Option<&'a Expression<'a>>,
        module: ModuleId,
    ) -> Vec<(String, Location, SchemaRules)> {
        let Some(expression) = expression else {
            return Vec::new();
        };
        match expression.get_inner_expression() {
            Expression::ObjectExpression(object) => self.object(object, module),
            // `user.shape` and `user.entries` are the properties of another schema.
            Expression::StaticMemberExpression(member)
                if matches!(member.property.name.as_str(), "shape" | "entries" | "properties") =>
            {
                self.read(&member.object, module).properties
            }
            Expression::Identifier(name) => match self.eval.graph.value_symbol(module, name.name.as_str()) {
                Symbol::Value(found, _, Value::Const(declarator)) if self.depth < MAX_DEPTH => {
                    self.depth += 1;
                    let read = self.properties(declarator.init.as_ref(), found);
                    self.depth -= 1;
                    read
                }
                _ => {
                    self.refuse(expression, module);
                    Vec::new()
                }
            },
            other => {
                self.refuse(other, module);
                Vec::new()
            }
        }
    }

    fn object(
        &mut self,
        object: &'a ObjectExpression<'a>,
        module: ModuleId,
    ) -> Vec<(String, Location, SchemaRules)> {
        let mut all = SchemaRules::default();
        for property in &object.properties {
            match property {
                ObjectPropertyKind::SpreadProperty(spread) => {
                    let spread = self.properties(Some(&spread.argument), module);
                    all.extend(spread);
                }
                ObjectPropertyKind::ObjectProperty(property) => {
                    let location = location(module, property.span);
                    match static_name(&property.key) {
                        // TypeScript writes `any` for the values in the declaration of a recursive schema.
                        Some(name) if property.kind == PropertyKind::Get => {
                            self.unread.push((
                                location,
                                format!(
                                    "the getter `{name}`: kit does not check the values of recursive schemas"
                                ),
                            ));
                        }
                        Some(name) if !property.computed => {
                            let rules = self.read(&property.value, module);
                            all.extend(vec![(name.to_owned(), location, rules)]);
                        }
                        _ => self.refuse(&property.value, module),
                    }
                }
            }
        }
        all.properties
    }

    /// Adds the options of a schema that have the names of JSON Schema: `{ minLength: 1 }`.
    pub(super) fn json_schema_options(
        &mut self,
        options: Option<&'a Expression<'a>>,
        module: ModuleId,
        rules: &mut SchemaRules,
    ) {
        let Some(options) = options else { return };
        let Expression::ObjectExpression(object) = options.get_inner_expression() else {
            self.refuse(options, module);
            return;
        };
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else {
                self.refuse(options, module);
                continue;
            };
            let name = static_name(&property.key).unwrap_or_default();
            let location = location(module, property.span);
            let tag = match name {
                "description" => {
                    rules.description = self.text(Some(&property.value), module);
                    continue;
                }
                "$id" | "title" | "examples" | "deprecated" | "readOnly" | "writeOnly" => continue,
                "minLength" => TagName::MinLength,
                "maxLength" => TagName::MaxLength,
                "pattern" => TagName::Pattern,
                "format" => TagName::Format,
                "minimum" => TagName::Minimum,
                "maximum" => TagName::Maximum,
                "exclusiveMinimum" => TagName::ExclusiveMinimum,
                "exclusiveMaximum" => TagName::ExclusiveMaximum,
                "multipleOf" => TagName::MultipleOf,
                "minItems" => TagName::MinItems,
                "maxItems" => TagName::MaxItems,
                "uniqueItems" => TagName::UniqueItems,
                "default" => TagName::Default,
                _ => {
                    self.unread.push((location, format!("`{name}`")));
                    continue;
                }
            };
            let argument = match self.literal(&property.value, module) {
                Some(Literal::Boolean(true)) if tag == TagName::UniqueItems => Some(String::new()),
                Some(Literal::Boolean(false)) if tag == TagName::UniqueItems => continue,
                Some(Literal::Boolean(value)) if tag == TagName::Default => Some(value.to_string()),
                Some(Literal::String(format))
                    if tag == TagName::Format && Format::from_name(&format).is_none() =>
                {
                    None
                }
                Some(literal @ Literal::String(_)) if tag == TagName::Default => {
                    Some(default_argument(&literal))
                }
                Some(literal @ (Literal::Number(_) | Literal::String(_))) => Some(literal.name().to_string()),
                _ => None,
            };
            if !argument.is_some_and(|argument| rules.add(tag, argument, location)) {
                self.unread.push((location, format!("`{name}`")));
            }
        }
    }

    /// Reads the rules of schemas whose rules kit cannot attach, such as the members of a union, and records the rules.
    pub(super) fn refuse_rules_of(&mut self, schemas: &[&'a Expression<'a>], module: ModuleId) {
        for schema in schemas {
            let rules = self.read(schema, module);
            self.refuse_rules(&rules);
        }
    }

    /// Records the rules and the tags of a schema that do not apply to the type.
    pub(super) fn refuse_rules(&mut self, rules: &SchemaRules) {
        self.eval.list_rules(rules, &mut self.unread);
    }
}

/// Returns a value as the argument of `@default`. A text is a JSON string: without quotes, the tag would read `null` and `1` as
/// other values, and an empty text as a missing argument.
pub(super) fn default_argument(literal: &Literal) -> String {
    match literal {
        Literal::String(text) => serde_json::Value::from(&**text).to_string(),
        Literal::Number(_) | Literal::Boolean(_) | Literal::BigInt(_) => literal.name().to_string(),
    }
}

pub(super) fn location(module: ModuleId, span: Span) -> Location {
    Location { module, span }
}

/// Returns the arguments of a call that are schemas, and the schemas in arrays of its arguments.
pub(super) fn schemas_in<'a>(call: &'a CallExpression<'a>) -> Vec<&'a Expression<'a>> {
    let mut found = Vec::new();
    for argument in &call.arguments {
        match argument.as_expression().map(Expression::get_inner_expression) {
            Some(Expression::ArrayExpression(array)) => {
                found.extend(array.elements.iter().filter_map(|element| match element {
                    // kit does not read the schemas in another array, and warns of it.
                    ArrayExpressionElement::SpreadElement(spread) => Some(&spread.argument),
                    element => element.as_expression(),
                }));
            }
            // Names of properties, and options.
            None
            | Some(
                Expression::StringLiteral(_)
                | Expression::TemplateLiteral(_)
                | Expression::ObjectExpression(_),
            ) => {}
            Some(schema) => found.push(schema),
        }
    }
    found
}

/// Returns the name of the called function: `object` for `v.object(…)`.
pub(super) fn called<'a>(call: &'a CallExpression<'a>) -> Option<&'a str> {
    match call.callee.get_inner_expression() {
        Expression::StaticMemberExpression(member) => Some(member.property.name.as_str()),
        Expression::Identifier(name) => Some(name.name.as_str()),
        _ => None,
    }
}

/// Returns the pattern of a regular expression that means the same with the flag `u`, with which kit matches patterns.
fn pattern_of<'a>(literal: &'a RegExpLiteral<'a>) -> Option<&'a str> {
    let flags = literal.regex.flags.to_string();
    let pattern = literal.regex.pattern.text.as_str();
    let same = match flags.as_str() {
        "u" => true,
        // Without the flag, `\p{L}` is the text `p{L}`, and a character outside of the basic plane is two characters.
        "" => {
            !["\\p", "\\P", "\\u{", "\\ud", "\\uD"]
                .iter()
                .any(|part| pattern.contains(part))
                && pattern.chars().all(|letter| letter.len_utf16() == 1)
        }
        _ => false,
    };
    // A doc comment ends at `*/`, so a tag cannot contain it.
    (same && !pattern.contains("*/")).then_some(pattern)
}
