//! Types that TypeScript itself declares and that kit knows by name.

macro_rules! utilities {
    ($($variant:ident $arity:literal $form:literal)*) => {
        /// A utility type.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Utility { $($variant),* }

        impl Utility {
            pub(crate) const NAMES: &[&str] = &[$(stringify!($variant)),*];

            pub(crate) fn from_name(name: &str) -> Option<Self> {
                match name { $(stringify!($variant) => Some(Self::$variant),)* _ => None }
            }

            pub(crate) fn arity(self) -> usize {
                match self { $(Self::$variant => $arity),* }
            }

            pub(crate) fn form(self) -> &'static str {
                match self { $(Self::$variant => concat!("write `", $form, "`")),* }
            }
        }
    };
}

utilities! {
    Array 1 "Array<Item>"
    ReadonlyArray 1 "ReadonlyArray<Item>"
    Record 2 "Record<string, Value>"
    Partial 1 "Partial<Type>"
    Required 1 "Required<Type>"
    Readonly 1 "Readonly<Type>"
    Pick 2 "Pick<Type, \"key\">"
    Omit 2 "Omit<Type, \"key\">"
    Exclude 2 "Exclude<Union, Member>"
    Extract 2 "Extract<Union, Member>"
    NonNullable 1 "NonNullable<Type>"
    Awaited 1 "Awaited<Type>"
    ReturnType 1 "ReturnType<typeof call>"
    Parameters 1 "Parameters<typeof call>"
    ConstructorParameters 1 "ConstructorParameters<typeof Class>"
    InstanceType 1 "InstanceType<typeof Class>"
    ThisParameterType 1 "ThisParameterType<typeof call>"
    OmitThisParameter 1 "OmitThisParameter<typeof call>"
    ThisType 1 "ThisType<Type>"
    NoInfer 1 "NoInfer<Type>"
    Uppercase 1 "Uppercase<Text>"
    Lowercase 1 "Lowercase<Text>"
    Capitalize 1 "Capitalize<Text>"
    Uncapitalize 1 "Uncapitalize<Text>"
}

/// Classes and interfaces of TypeScript that kit knows only by name. Conditional types may compare them, but
/// JSON cannot represent their values.
pub(crate) const BUILTINS: &[&str] = &[
    "ArrayBuffer",
    "ArrayBufferLike",
    "AsyncGenerator",
    "AsyncIterable",
    "AsyncIterableIterator",
    "AsyncIterator",
    "BigInt64Array",
    "BigUint64Array",
    "Blob",
    "Buffer",
    "DataView",
    "Error",
    "EvalError",
    "File",
    "Float32Array",
    "Float64Array",
    "FormData",
    "Function",
    "Generator",
    "Headers",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "Iterable",
    "IterableIterator",
    "Iterator",
    "Map",
    "NewableFunction",
    "CallableFunction",
    "Promise",
    "PromiseLike",
    "RangeError",
    "ReadableStream",
    "ReadonlyMap",
    "ReadonlySet",
    "ReferenceError",
    "RegExp",
    "Request",
    "Response",
    "Set",
    "SharedArrayBuffer",
    "Symbol",
    "SyntaxError",
    "TypeError",
    "URL",
    "URLSearchParams",
    "Uint16Array",
    "Uint32Array",
    "Uint8ClampedArray",
    "WeakMap",
    "WeakRef",
    "WeakSet",
];

/// Returns true for a class of TypeScript whose type arguments follow from the arguments of `new Name(…)`,
/// such as `Set`.
pub(crate) fn infers_arguments(name: &str) -> bool {
    matches!(
        name,
        "Array" | "Map" | "Promise" | "ReadableStream" | "Set" | "WeakMap" | "WeakRef" | "WeakSet"
    )
}

/// Returns the number of type parameters of a class whose type arguments may be omitted. Omitted type
/// arguments mean `any`.
pub(crate) fn parameters_of(name: &str) -> usize {
    match name {
        "AsyncGenerator"
        | "AsyncIterable"
        | "AsyncIterableIterator"
        | "AsyncIterator"
        | "Generator"
        | "Iterable"
        | "IterableIterator"
        | "Iterator" => 3,
        "ReadableStream" => 1,
        _ => 0,
    }
}

/// Returns true if kit knows the type of TypeScript with this name without reading its declaration.
pub(crate) fn is_known(name: &str) -> bool {
    matches!(
        name,
        "Date"
            | "Uint8Array"
            | "PropertyKey"
            | "ArrayLike"
            | "String"
            | "Number"
            | "Boolean"
            | "BigInt"
            | "Object"
    ) || Utility::from_name(name).is_some()
        || BUILTINS.contains(&name)
}

/// Returns a number of type arguments for a message: `1 type argument`, `2 type arguments`.
pub(crate) fn argument_count(arguments: usize) -> String {
    format!(
        "{arguments} type argument{}",
        if arguments == 1 { "" } else { "s" }
    )
}
