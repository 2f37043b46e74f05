//! Type parameters that `infer` declares in a pattern.

use oxc_ast::ast::{
    FormalParameters, TSSignature, TSTupleElement, TSType, TSTypeAnnotation, TSTypeParameter,
};

/// Returns the type parameters that `infer` declares in a pattern, each name once, in the order of the
/// source. Skips conditional types inside of the pattern, which have their own.
pub(super) fn infer_names<'a>(pattern: &'a TSType<'a>) -> Vec<&'a TSTypeParameter<'a>> {
    let mut found = Vec::new();
    of_type(pattern, &mut found);
    found
}

type TypeParameters<'a> = Vec<&'a TSTypeParameter<'a>>;

fn of_type<'a>(node: &'a TSType<'a>, found: &mut TypeParameters<'a>) {
    match node {
        TSType::TSInferType(infer) => {
            let parameter = &infer.type_parameter;
            match found
                .iter_mut()
                .find(|known| known.name.name == parameter.name.name)
            {
                // One `infer U` may have a constraint, while another one with the same name has none.
                Some(known) if known.constraint.is_none() => *known = parameter,
                Some(_) => {}
                None => found.push(parameter),
            }
        }
        TSType::TSParenthesizedType(inner) => of_type(&inner.type_annotation, found),
        TSType::TSTypeOperatorType(operator) => of_type(&operator.type_annotation, found),
        TSType::TSArrayType(array) => of_type(&array.element_type, found),
        TSType::TSTupleType(tuple) => {
            for element in &tuple.element_types {
                of_element(element, found);
            }
        }
        TSType::TSTypeReference(reference) => {
            for argument in reference.type_arguments.iter().flat_map(|list| &list.params) {
                of_type(argument, found);
            }
        }
        TSType::TSImportType(import) => {
            for argument in import.type_arguments.iter().flat_map(|list| &list.params) {
                of_type(argument, found);
            }
        }
        TSType::TSUnionType(union) => union.types.iter().for_each(|member| of_type(member, found)),
        TSType::TSIntersectionType(all) => all.types.iter().for_each(|member| of_type(member, found)),
        TSType::TSIndexedAccessType(access) => {
            of_type(&access.object_type, found);
            of_type(&access.index_type, found);
        }
        TSType::TSTemplateLiteralType(template) => {
            template
                .types
                .iter()
                .for_each(|placeholder| of_type(placeholder, found));
        }
        TSType::TSConditionalType(conditional) => {
            of_type(&conditional.check_type, found);
            of_type(&conditional.true_type, found);
            of_type(&conditional.false_type, found);
        }
        TSType::TSMappedType(mapped) => {
            of_type(&mapped.constraint, found);
            mapped.name_type.iter().for_each(|name| of_type(name, found));
            mapped
                .type_annotation
                .iter()
                .for_each(|value| of_type(value, found));
        }
        TSType::TSFunctionType(function) => {
            let this = function.this_param.as_deref();
            of_annotation(this.and_then(|this| this.type_annotation.as_deref()), found);
            of_parameters(&function.params, found);
            of_annotation(Some(&function.return_type), found);
        }
        TSType::TSConstructorType(constructor) => {
            of_parameters(&constructor.params, found);
            of_annotation(Some(&constructor.return_type), found);
        }
        TSType::TSTypeLiteral(literal) => {
            for member in &literal.members {
                of_member(member, found);
            }
        }
        TSType::TSTypePredicate(predicate) => of_annotation(predicate.type_annotation.as_deref(), found),
        _ => {}
    }
}

fn of_element<'a>(element: &'a TSTupleElement<'a>, found: &mut TypeParameters<'a>) {
    match element {
        TSTupleElement::TSOptionalType(optional) => of_type(&optional.type_annotation, found),
        TSTupleElement::TSRestType(rest) => match &rest.type_annotation {
            TSType::TSNamedTupleMember(member) => of_element(&member.element_type, found),
            node => of_type(node, found),
        },
        TSTupleElement::TSNamedTupleMember(member) => of_element(&member.element_type, found),
        other => {
            if let Some(node) = other.as_ts_type() {
                of_type(node, found);
            }
        }
    }
}

fn of_member<'a>(member: &'a TSSignature<'a>, found: &mut TypeParameters<'a>) {
    match member {
        TSSignature::TSPropertySignature(property) => {
            of_annotation(property.type_annotation.as_deref(), found);
        }
        TSSignature::TSIndexSignature(index) => of_annotation(Some(&index.type_annotation), found),
        TSSignature::TSMethodSignature(method) => {
            of_parameters(&method.params, found);
            of_annotation(method.return_type.as_deref(), found);
        }
        TSSignature::TSCallSignatureDeclaration(call) => {
            of_parameters(&call.params, found);
            of_annotation(call.return_type.as_deref(), found);
        }
        TSSignature::TSConstructSignatureDeclaration(construct) => {
            of_parameters(&construct.params, found);
            of_annotation(construct.return_type.as_deref(), found);
        }
    }
}

fn of_parameters<'a>(parameters: &'a FormalParameters<'a>, found: &mut TypeParameters<'a>) {
    for parameter in &parameters.items {
        of_annotation(parameter.type_annotation.as_deref(), found);
    }
    if let Some(rest) = &parameters.rest {
        of_annotation(rest.type_annotation.as_deref(), found);
    }
}

fn of_annotation<'a>(annotation: Option<&'a TSTypeAnnotation<'a>>, found: &mut TypeParameters<'a>) {
    if let Some(annotation) = annotation {
        of_type(&annotation.type_annotation, found);
    }
}
