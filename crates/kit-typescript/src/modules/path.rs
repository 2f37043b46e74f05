//! Resolution of names with dots: `A.B.C`.

use kit_diagnostics::{closest, codes};

use super::module::{ImportedName, ModuleKind};
use super::symbol::{Meaning, Visited};
use super::{DeclId, DeclKind, Graph, Location, ModuleId, Name, Symbol};

impl<'a> Graph<'a> {
    /// Returns the symbol of the type `A.B.C` in a module.
    pub(crate) fn type_path(&mut self, module: ModuleId, path: &[Name<'a>]) -> Symbol<'a> {
        self.steps = 0;
        self.path(module, path, Meaning::Type, &mut Visited::default())
    }

    /// Resolves `a.b.c` in an expression. Returns the symbol of the longest start that consists of namespaces
    /// and one name, and the number of names in this start. The other names are properties of the value.
    pub(crate) fn value_path(&mut self, module: ModuleId, path: &[Name<'a>]) -> (Symbol<'a>, usize) {
        let Some(first) = path.first() else {
            return (Symbol::Namespace(module), 0);
        };
        let symbol = self.value_symbol(module, first.text);
        let (symbol, used) = self.value_members(module, symbol, &path[1..]);
        (symbol, used + 1)
    }

    /// Returns true if no module declares a namespace with this name that the given module sees.
    pub(crate) fn is_undeclared_namespace(&mut self, module: ModuleId, name: &'a str) -> bool {
        self.steps = 0;
        let symbol = self.lookup(module, name, Meaning::Namespace, &mut Visited::default());
        matches!(symbol, Symbol::Global)
    }

    /// Returns the symbol of the type `import("source").A.B`.
    pub(crate) fn imported_type(
        &mut self,
        module: ModuleId,
        import: Name<'a>,
        path: &[Name<'a>],
    ) -> Symbol<'a> {
        let meaning = if path.is_empty() {
            Meaning::Type
        } else {
            Meaning::Namespace
        };
        self.steps = 0;
        let root = self.follow_import(module, all_exports(import), meaning, &mut Visited::default());
        self.members(module, root, path, Meaning::Type, &Visited::default())
    }

    /// Resolves `typeof import("source").a.b`. Returns the symbol and the number of names that led to it. The
    /// other names are properties of the value.
    pub(crate) fn imported_value(
        &mut self,
        module: ModuleId,
        import: Name<'a>,
        path: &[Name<'a>],
    ) -> (Symbol<'a>, usize) {
        self.steps = 0;
        let root = self.follow_import(
            module,
            all_exports(import),
            Meaning::Value,
            &mut Visited::default(),
        );
        self.value_members(module, root, path)
    }

    fn value_members(
        &mut self,
        module: ModuleId,
        root: Symbol<'a>,
        path: &[Name<'a>],
    ) -> (Symbol<'a>, usize) {
        let mut current = root;
        for (used, name) in path.iter().enumerate() {
            if let Symbol::Value(owner, own, _) = current {
                // A function, a class or an enum may be merged with a namespace.
                let namespace = self.own(owner, own, Meaning::Namespace);
                if let Some(Symbol::Namespace(space)) = namespace
                    && let Some(member) =
                        self.exported(space, name.text, Meaning::Value, &mut Visited::default())
                {
                    current = member;
                    continue;
                }
            }
            let Symbol::Namespace(_) = current else {
                return (current, used);
            };
            current = self.member(module, current, *name, Meaning::Value, &mut Visited::default());
        }
        (current, path.len())
    }

    pub(super) fn path(
        &mut self,
        module: ModuleId,
        path: &[Name<'a>],
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Symbol<'a> {
        let [first, rest @ ..] = path else {
            return Symbol::Namespace(module);
        };
        if rest.is_empty() {
            return self.lookup(module, first.text, meaning, visited);
        }
        // Each name is resolved with the steps before the path only, because one path may pass the same
        // export twice.
        let mut root = self.lookup(module, first.text, Meaning::Namespace, &mut visited.clone());
        if matches!(root, Symbol::Global) && self.include_more() {
            root = self.lookup(module, first.text, Meaning::Namespace, &mut visited.clone());
        }
        if matches!(root, Symbol::Global) {
            let location = Location {
                module,
                span: first.span,
            };
            return self.no_namespace(location, first.text);
        }
        self.members(module, root, rest, meaning, visited)
    }

    fn members(
        &mut self,
        module: ModuleId,
        root: Symbol<'a>,
        path: &[Name<'a>],
        meaning: Meaning,
        visited: &Visited<'a>,
    ) -> Symbol<'a> {
        let mut current = root;
        for (index, name) in path.iter().enumerate() {
            let wanted = if index + 1 == path.len() {
                meaning
            } else {
                Meaning::Namespace
            };
            current = self.member(module, current, *name, wanted, &mut visited.clone());
        }
        current
    }

    /// Returns the symbol of `left.name`.
    fn member(
        &mut self,
        module: ModuleId,
        left: Symbol<'a>,
        name: Name<'a>,
        meaning: Meaning,
        visited: &mut Visited<'a>,
    ) -> Symbol<'a> {
        let location = Location {
            module,
            span: name.span,
        };
        match left {
            Symbol::Namespace(space) => {
                if let Some(symbol) = self.exported(space, name.text, meaning, visited) {
                    return symbol;
                }
                if let Some(symbol) = self.member_of_merged_enum(space, name.text, meaning) {
                    return symbol;
                }
                let message = format!("{} does not export `{}`", self.module_title(space), name.text);
                self.not_exported(location, space, name.text, meaning, message)
            }
            Symbol::Type(decl) if matches!(self.decl(decl).kind, DeclKind::Enum(_)) => {
                if let Some(index) = self.enum_member(decl, name.text) {
                    return Symbol::EnumMember(decl, index);
                }
                self.no_member(location, decl, name.text)
            }
            Symbol::Kit("*") => Symbol::Kit(name.text),
            Symbol::Broken(_) => left,
            _ => {
                let message = format!("the name before `.{}` is not a namespace", name.text);
                let help = "write the name of a namespace, an enum or an `import * as`".to_owned();
                self.broken(codes::UNKNOWN_TYPE, location, message, help)
            }
        }
    }

    fn no_member(&mut self, location: Location, decl: DeclId, name: &str) -> Symbol<'a> {
        let members = self.enum_members(decl);
        let names: Vec<&str> = members.iter().map(|member| member.name).collect();
        let help = match closest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its members are {}", names.join(", ")),
        };
        let message = format!("the enum `{}` has no member `{name}`", self.decl(decl).name);
        self.broken(codes::UNKNOWN_EXPORT, location, message, help)
    }

    /// Returns a member of an enum that is merged with a namespace of the same name.
    fn member_of_merged_enum(&mut self, space: ModuleId, name: &str, meaning: Meaning) -> Option<Symbol<'a>> {
        let ModuleKind::Namespace { parent, name: own } = self.module(space).kind else {
            return None;
        };
        let decl = self.primary(*self.module(parent).types.get(own)?);
        if meaning == Meaning::Namespace || !matches!(self.decl(decl).kind, DeclKind::Enum(_)) {
            return None;
        }
        self.enum_member(decl, name)
            .map(|index| Symbol::EnumMember(decl, index))
    }
}

/// Returns an import of all exports of a module.
fn all_exports(import: Name<'_>) -> ImportedName<'_> {
    ImportedName {
        source: import.text,
        name: None,
        span: import.span,
        require: false,
    }
}
