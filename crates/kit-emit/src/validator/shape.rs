//! Emits the `Shape` of a type: data with which the runtime finds the reasons why a value is invalid.

use kit_analysis::{Member, children};
use kit_ir::{Constraints, Declaration, DeclarationId, IndexKey, ObjectType, Property, TypeId, TypeKind};

use super::check::Checker;
use super::names::value_step;
use super::template;
use crate::context::Context;
use crate::text::{Module, Path, Writer, literal};

/// Writes the shapes of a declaration's module.
pub(crate) struct Shapes<'a> {
    context: Context<'a>,
    /// Declaration whose module contains the shapes.
    home: DeclarationId,
    /// True within a shape that is a constant of its own.
    in_constant: bool,
}

impl<'a> Shapes<'a> {
    pub(crate) fn new(context: Context<'a>, home: DeclarationId) -> Self {
        Self {
            context,
            home,
            in_constant: false,
        }
    }

    /// Emits `export const NoteShape`. The shape of a recursive type is a reference, so that the runtime counts the depth.
    pub(crate) fn declare(&self, declaration: &Declaration, module: &mut Module) {
        let name = &declaration.name;
        let recursive = self.context.analysis.is_recursive(self.home);
        let text = self.shape(declaration.r#type, Some(name), &Path::root(name), module);
        let mut writer = Writer::default();
        if recursive {
            let inner = module.private("shape");
            writer.line(format_args!("const {inner} = {text};"));
            writer.line(format_args!(
                "export const {name}Shape = {{ kind: \"reference\", recursive: true, to: () => {inner} }};"
            ));
        } else {
            writer.line(format_args!("export const {name}Shape = {text};"));
        }
        module.push(writer);
    }

    /// Returns an expression for the shape of a type. The expression has several lines if the type has
    /// properties. A shape that is only data is a constant, which all types share. `name` is the name of the type that the
    /// module declares.
    fn shape(&self, id: TypeId, name: Option<&str>, path: &Path<'_>, module: &mut Module) -> String {
        if self.in_constant || name.is_some() || !self.is_data(id) {
            return self.literal(id, name, path, module);
        }
        let constant = Self {
            in_constant: true,
            ..*self
        };
        let text = constant.literal(id, None, path, module);
        module.item("shape", "const ", &format!(" = {text};\n"), path)
    }

    /// Returns true if the shape of a type contains no functions and no shapes of other declarations.
    fn is_data(&self, id: TypeId) -> bool {
        let kind = &self.context.program.types[id].kind;
        match kind {
            TypeKind::Object(_) | TypeKind::Reference { .. } => false,
            _ => {
                self.context.analysis.trial_union(self.home, id).is_none()
                    && children(kind).into_iter().all(|child| self.is_data(child))
            }
        }
    }

    fn literal(&self, id: TypeId, name: Option<&str>, path: &Path<'_>, module: &mut Module) -> String {
        let program = self.context.program;
        let r#type = &program.types[id];
        let constraints = &r#type.constraints;
        match &r#type.kind {
            TypeKind::Unknown => simple("unknown"),
            TypeKind::Never => simple("never"),
            TypeKind::Null => simple("null"),
            TypeKind::Boolean => simple("boolean"),
            TypeKind::Date => simple("date"),
            TypeKind::Bytes => simple("bytes"),
            TypeKind::Number => fields("number", number_rules(constraints)),
            TypeKind::BigInt => fields("bigint", number_rules(constraints)),
            TypeKind::String => fields("string", string_rules(constraints, path, module)),
            TypeKind::Literal { value } => fields("literal", vec![("value", literal::value(value))]),
            TypeKind::Template { parts } => {
                let mut template = vec![
                    ("texts", template::test(program, parts, path, module)),
                    ("source", literal::string(&template::source(self.context, parts))),
                ];
                template.extend(string_rules(constraints, path, module));
                fields("template", template)
            }
            TypeKind::Array { element } => {
                let mut rules = vec![("element", self.shape(*element, None, &path.step("Item"), module))];
                rules.extend(constraints.min_items.map(|items| ("minItems", items.to_string())));
                rules.extend(constraints.max_items.map(|items| ("maxItems", items.to_string())));
                rules.extend(
                    constraints
                        .unique_items
                        .then(|| ("uniqueItems", "true".to_owned())),
                );
                rules.extend(
                    self.item_check(*element, path, module)
                        .map(|check| ("isItem", check)),
                );
                fields("array", rules)
            }
            TypeKind::Tuple { elements } => {
                let elements: Vec<_> = elements
                    .iter()
                    .map(|element| {
                        let mut parts = vec![(
                            "shape".to_owned(),
                            self.shape(element.r#type, None, &path.step("Item"), module),
                        )];
                        if element.optional {
                            parts.push(("optional".to_owned(), "true".to_owned()));
                        }
                        if element.rest {
                            parts.push(("rest".to_owned(), "true".to_owned()));
                        }
                        literal::object(parts)
                    })
                    .collect();
                fields("tuple", vec![("elements", literal::list("[", elements, "]"))])
            }
            TypeKind::Object(object) => self.object(id, object, name, path, module),
            TypeKind::Union { .. } => self.union(id, path, module),
            TypeKind::Reference { declaration } => self.reference(*declaration, module),
        }
    }

    /// Returns a function that checks one item of an array. Returns `None` if items are scalars, and in
    /// modules of recursive types: the function would count depth from zero, and accept values that the
    /// complete check refuses.
    fn item_check(&self, element: TypeId, path: &Path<'_>, module: &mut Module) -> Option<String> {
        let checker = Checker::new(self.context, self.home);
        if self.context.analysis.is_recursive(self.home) || !checker.has_parts(element) {
            return None;
        }
        let condition = checker.condition(element, "item", &path.step("Item"), module);
        Some(match condition.strip_suffix("(item)") {
            Some(function) if literal::is_identifier(function) => function.to_owned(),
            _ => format!("(item) => {condition}"),
        })
    }

    fn object(
        &self,
        id: TypeId,
        object: &ObjectType,
        name: Option<&str>,
        path: &Path<'_>,
        module: &mut Module,
    ) -> String {
        let properties: Vec<_> = object
            .properties
            .iter()
            .map(|property| self.property(property, path, module))
            .collect();
        // Without this function, the runtime explains failures by the shape alone, which takes longer.
        let is_explained = !self.context.analysis.is_large() && !properties.is_empty();
        let explain =
            is_explained.then(|| Checker::new(self.context, self.home).explain(id, object, path, module));
        let properties = self.property_list(object, properties, path, module);
        let mut writer = Writer::default();
        writer.block("{", "}", |writer| {
            writer.line("kind: \"object\",");
            if let Some(name) = name {
                writer.line(format_args!("name: {},", literal::string(name)));
            }
            writer.line(format_args!("properties: {properties},"));
            for line in self.index(object, path, module) {
                writer.line(line);
            }
            if let Some(explain) = explain {
                writer.line(format_args!("explain: {explain},"));
            }
        });
        writer.inner()
    }

    /// Returns the list of properties of an object's shape. Properties that several types have in common are in a constant.
    fn property_list(
        &self,
        object: &ObjectType,
        mut properties: Vec<String>,
        path: &Path<'_>,
        module: &mut Module,
    ) -> String {
        let analysis = self.context.analysis;
        let count = analysis.common_properties(self.context.program, self.home, object);
        if count > 0 {
            let rest = properties.split_off(count);
            let common = literal::list("[", properties, "]");
            let name = module.item("fields", "const ", &format!(" = {common};\n"), path);
            if rest.is_empty() {
                return name;
            }
            properties = [vec![format!("...{name}")], rest].concat();
        }
        literal::list("[", properties, "]")
    }

    /// Returns the shape of a union. If its members must be tried one after the other, the shape is a
    /// constant, because `decode` and the serializer also use it.
    fn union(&self, id: TypeId, path: &Path<'_>, module: &mut Module) -> String {
        let plan = self.context.analysis.plan(id);
        let shapes: Vec<_> = plan
            .members
            .iter()
            .map(|member| self.member(member, path, module))
            .collect();
        let mut parts = vec![("members", literal::list("[", shapes, "]"))];
        let discriminants = plan.discriminants();
        if !discriminants.is_empty() {
            parts.push(("discriminants", literal::strings(discriminants)));
        }
        let text = fields("union", parts);
        match self.context.analysis.trial_union(self.home, id) {
            None => text,
            Some(name) => {
                module.item_once("union", id.0.to_string(), path, |module, _| {
                    let mut writer = Writer::default();
                    writer.line(format_args!("export const {name} = {text};"));
                    module.push(writer);
                });
                name.to_owned()
            }
        }
    }

    /// Returns the shape of a member of a union. Each recursive union between the union and the member counts
    /// as one level of depth.
    fn member(&self, member: &Member, path: &Path<'_>, module: &mut Module) -> String {
        let shape = self.shape(member.r#type, None, path, module);
        let recursive = |id: &&DeclarationId| self.context.analysis.is_recursive(**id);
        if member.containing_unions.iter().filter(recursive).count() == 0 {
            return shape;
        }
        // Every use must refer to the same object, so the shape is a constant.
        let name = module.item_once("shape", member.r#type.0.to_string(), path, |module, name| {
            let mut writer = Writer::default();
            writer.line(format_args!("const {name} = {shape};"));
            module.push(writer);
        });
        let levels = member.containing_unions.iter().filter(recursive);
        levels.fold(name, |inner, _| {
            format!("{{ kind: \"reference\", recursive: true, to: () => ({inner}) }}")
        })
    }

    /// Returns the shapes of the index signatures. A key belongs to the first signature that accepts it.
    fn index(&self, object: &ObjectType, path: &Path<'_>, module: &mut Module) -> Vec<String> {
        let program = self.context.program;
        let signatures: Vec<_> = object
            .signatures()
            .into_iter()
            .enumerate()
            .map(|(position, signature)| {
                let step = value_step(position);
                let path = path.step(&step);
                let keys = match &signature.key {
                    IndexKey::String => literal::string("string"),
                    IndexKey::Number => literal::string("number"),
                    IndexKey::Template { parts } => template::test(program, parts, &path.step("Key"), module),
                };
                let shape = self.shape(signature.value, None, &path, module);
                let rules = string_rules(&signature.rules, &path.step("Key"), module);
                let mut parts = vec![("keys".to_owned(), keys)];
                if !rules.is_empty() {
                    let is_key = ("isKey", "true".to_owned());
                    parts.push(("key".to_owned(), fields("string", [vec![is_key], rules].concat())));
                }
                parts.push(("shape".to_owned(), shape));
                literal::object(parts)
            })
            .collect();
        match signatures.as_slice() {
            [] => Vec::new(),
            [only] => vec![format!("index: [{only}],")],
            _ => {
                let mut lines = vec!["index: [".to_owned()];
                lines.extend(signatures.iter().map(|signature| format!("  {signature},")));
                lines.push("],".to_owned());
                lines
            }
        }
    }

    fn property(&self, property: &Property, path: &Path<'_>, module: &mut Module) -> String {
        let mut parts = vec![
            ("key".to_owned(), literal::string(&property.name)),
            (
                "shape".to_owned(),
                self.shape(property.r#type, None, &path.step(&property.name), module),
            ),
        ];
        if property.optional {
            parts.push(("optional".to_owned(), "\"always\"".to_owned()));
        } else if property.optional_in_input() {
            parts.push(("optional".to_owned(), "\"input\"".to_owned()));
        }
        if property.tags.sensitive {
            parts.push(("sensitive".to_owned(), "true".to_owned()));
        }
        let text = literal::object(parts);
        if self.is_data(property.r#type) {
            module.item("field", "const ", &format!(" = {text};\n"), path)
        } else {
            text
        }
    }

    fn reference(&self, target: DeclarationId, module: &mut Module) -> String {
        let name = &self.context.program.declarations[target].name;
        let shape = format!("{name}Shape");
        if self.home != target {
            module.value(&super::import_path(name), &shape);
        }
        if self.context.analysis.is_recursive(target) {
            // Modules of recursive types import each other. The constant may not be initialized yet, so a function returns it.
            format!("{{ kind: \"reference\", to: () => {shape} }}")
        } else {
            shape
        }
    }
}

fn simple(kind: &str) -> String {
    fields(kind, Vec::new())
}

fn fields(kind: &str, rules: Vec<(&str, String)>) -> String {
    let kind = ("kind".to_owned(), literal::string(kind));
    literal::object(
        std::iter::once(kind).chain(rules.into_iter().map(|(key, value)| (key.to_owned(), value))),
    )
}

fn string_rules(
    constraints: &Constraints,
    path: &Path<'_>,
    module: &mut Module,
) -> Vec<(&'static str, String)> {
    let mut rules = Vec::new();
    rules.extend(
        constraints
            .min_length
            .map(|length| ("minLength", length.to_string())),
    );
    rules.extend(
        constraints
            .effective_max_length()
            .map(|length| ("maxLength", length.to_string())),
    );
    rules.extend(
        constraints
            .format
            .map(|format| ("format", literal::string(format.name()))),
    );
    let pattern = constraints.pattern.as_ref();
    rules.extend(pattern.map(|pattern| ("pattern", module.pattern(pattern, path))));
    let words = constraints.decimal_words();
    rules.extend(words.map(|words| ("words", literal::string(&words))));
    if let Some(range) = &constraints.decimal_range {
        let bounds = range.bounds();
        let bounds = bounds.map(|(name, bound)| (name.to_owned(), literal::string(bound)));
        rules.push(("bounds", literal::object(bounds)));
    }
    rules
}

fn number_rules(constraints: &Constraints) -> Vec<(&'static str, String)> {
    let mut rules = Vec::new();
    rules.extend(constraints.integer.then(|| ("integer", "true".to_owned())));
    let bounds = [
        ("minimum", constraints.minimum),
        ("maximum", constraints.maximum),
        ("exclusiveMinimum", constraints.exclusive_minimum),
        ("exclusiveMaximum", constraints.exclusive_maximum),
        ("multipleOf", constraints.multiple_of),
    ];
    rules.extend(
        bounds
            .into_iter()
            .filter_map(|(name, bound)| Some((name, literal::number(bound?.get())))),
    );
    rules
}
