//! Functions for tests that create programs and types, also random types.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // each test binary uses some of the functions, and no other crate uses them

use kit_ir::{
    Constraints, Declaration, DeclarationId, DeclarationOrigin, Documentation, IndexKey, IndexSignature,
    LiteralValue, ObjectType, Program, Property, PropertyTags, SourceFile, SourceId, Span, TupleElement,
    Type, TypeId, TypeKind,
};

pub const SPAN: Span = Span {
    source: SourceId(0),
    start: 0,
    end: 0,
    line: 1,
    column: 1,
};

/// Creates a program with one source file.
pub fn program() -> Program {
    let mut program = Program::default();
    program.sources.push(SourceFile {
        path: "src/types.ts".to_owned(),
    });
    program
}

/// Creates a property. A name with `?` at its end makes the property optional.
pub fn property(name: &str, r#type: TypeId) -> Property {
    Property {
        name: name.trim_end_matches('?').to_owned(),
        r#type,
        optional: name.ends_with('?'),
        documentation: Documentation::default(),
        tags: PropertyTags::default(),
        span: SPAN,
    }
}

pub fn object(program: &mut Program, properties: &[(&str, TypeId)]) -> TypeId {
    program.add_type(TypeKind::Object(ObjectType {
        properties: properties.iter().map(|(name, id)| property(name, *id)).collect(),
        index: Vec::new(),
    }))
}

pub fn record(program: &mut Program, value: TypeId) -> TypeId {
    program.add_type(TypeKind::Object(ObjectType {
        properties: Vec::new(),
        index: vec![IndexSignature {
            key: IndexKey::String,
            rules: Constraints::default(),
            value,
        }],
    }))
}

pub fn text(program: &mut Program, literal: &str) -> TypeId {
    let value = LiteralValue::String(literal.to_owned());
    program.add_type(TypeKind::Literal { value })
}

pub fn tuple(program: &mut Program, types: &[TypeId]) -> TypeId {
    let elements = types
        .iter()
        .map(|id| TupleElement {
            r#type: *id,
            optional: false,
            rest: false,
            label: None,
        })
        .collect();
    program.add_type(TypeKind::Tuple { elements })
}

pub fn union(program: &mut Program, members: &[TypeId]) -> TypeId {
    let members = members.to_vec();
    program.add_type(TypeKind::Union { members })
}

pub fn declare(program: &mut Program, name: &str, r#type: TypeId) -> DeclarationId {
    // Ambiguities are reported once for each location, so each declaration gets a location of its own.
    let start = u32::try_from(program.declarations.len()).unwrap();
    program.declarations.push(Declaration {
        name: name.to_owned(),
        r#type,
        origin: DeclarationOrigin::Named {
            export: name.to_owned(),
        },
        documentation: Documentation::default(),
        span: Span { start, ..SPAN },
    })
}

/// Generator of pseudo-random numbers. The same seed gives the same numbers.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    /// Creates a random type with at most the given number of nested levels.
    pub fn r#type(&mut self, program: &mut Program, levels: usize) -> TypeId {
        let choices = if levels == 0 { 10 } else { 15 };
        let kind = match self.below(choices) {
            0 => TypeKind::Null,
            1 => TypeKind::Boolean,
            2 => TypeKind::Number,
            3 => TypeKind::String,
            4 => TypeKind::Date,
            5 => TypeKind::BigInt,
            6 => TypeKind::Bytes,
            7 => return self.ruled(program),
            8 | 9 => {
                let value = ["a", "b", "7"][self.below(3)];
                return text(program, value);
            }
            10 => TypeKind::Array {
                element: self.r#type(program, levels - 1),
            },
            11 => {
                let types: Vec<_> = (0..self.below(3))
                    .map(|_| self.r#type(program, levels - 1))
                    .collect();
                return tuple(program, &types);
            }
            12 => {
                let members: Vec<_> = (0..2).map(|_| self.r#type(program, levels - 1)).collect();
                return union(program, &members);
            }
            _ => return self.object(program, levels),
        };
        program.add_type(kind)
    }

    fn ruled(&mut self, program: &mut Program) -> TypeId {
        let least = self.below(4) as u64;
        let constraints = Constraints {
            min_length: Some(least),
            max_length: Some(least + 1),
            ..Constraints::default()
        };
        program.add_type(Type {
            kind: TypeKind::String,
            constraints,
            calls_to_json: false,
        })
    }

    fn object(&mut self, program: &mut Program, levels: usize) -> TypeId {
        let mut properties = Vec::new();
        for name in ["a", "b", "c"] {
            if self.below(3) > 0 {
                let mut property = property(name, self.r#type(program, levels - 1));
                property.optional = self.below(3) == 0;
                properties.push(property);
            }
        }
        let mut index = Vec::new();
        if self.below(8) == 0 {
            index.push(IndexSignature {
                key: IndexKey::String,
                rules: Constraints::default(),
                value: program.add_type(TypeKind::Unknown),
            });
        }
        program.add_type(TypeKind::Object(ObjectType { properties, index }))
    }
}
