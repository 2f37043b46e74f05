//! Registry of diagnostic codes. Numbers are grouped by phase and never reused. A code without a page in `docs/errors/` does
//! not compile, and `cargo test -p kit-build --test pages` compares every page with the messages of kit.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Stable code of one kind of mistake. Two codes are equal if their numbers are equal.
#[derive(Clone, Copy)]
pub struct Code {
    number: u16,
    title: &'static str,
    phase: Phase,
    page: &'static str,
}

/// Phase of the build that reports a code. The phase is the `phase` of [`BuildFailure`](crate::BuildFailure).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Finding and reading the configuration and the source files.
    Configuration,
    /// Parsing: syntax errors.
    Parse,
    /// Resolution of imports and names.
    Resolve,
    /// Types and doc tags.
    Types,
    /// Route keys, contracts and the call of `createApp`.
    Routes,
    /// Plugin hooks, and the mistakes that plugins report.
    Plugins,
    /// Tables and migrations.
    Database,
}

impl Phase {
    /// Returns the name of the phase in JSON output, such as `routes`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Parse => "parse",
            Self::Resolve => "resolve",
            Self::Types => "types",
            Self::Routes => "routes",
            Self::Plugins => "plugins",
            Self::Database => "database",
        }
    }
}

impl Code {
    /// Returns the name of the code, such as `KIT1302`.
    pub fn name(self) -> String {
        format!("KIT{:04}", self.number)
    }

    /// Returns the kind of mistake in a few words.
    pub fn title(self) -> &'static str {
        self.title
    }

    /// Returns the phase of the build that reports the code.
    pub fn phase(self) -> Phase {
        self.phase
    }

    /// Returns the text of the code's documentation page as Markdown: an explanation, an example, and a
    /// correction.
    pub fn page(self) -> &'static str {
        self.page
    }

    /// Returns the code with a name. The prefix is optional and case does not matter: `KIT1302`, `kit1302` or `1302`.
    ///
    /// ```
    /// use kit_diagnostics::{Code, codes};
    ///
    /// assert_eq!(Code::from_name("kit1302"), Some(codes::UNKNOWN_FORMAT));
    /// assert_eq!(Code::from_name("TS2322"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        let digits = match name.get(..3) {
            Some(prefix) if prefix.eq_ignore_ascii_case("KIT") => &name[3..],
            _ => name,
        };
        ALL.iter()
            .copied()
            .find(|code| digits.len() == 4 && digits.parse() == Ok(code.number))
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Code {}

impl PartialOrd for Code {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Code {
    fn cmp(&self, other: &Self) -> Ordering {
        self.number.cmp(&other.number)
    }
}

impl Hash for Code {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KIT{:04}", self.number)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KIT{:04}", self.number)
    }
}

macro_rules! codes {
    ($($phase:ident { $($number:literal $name:ident $title:literal)* })*) => {
        $($(
            #[doc = $title]
            pub const $name: Code = Code {
                number: $number,
                title: $title,
                phase: Phase::$phase,
                page: include_str!(concat!("../../../docs/errors/KIT", $number, ".md")),
            };
        )*)*

        /// All codes, sorted by number.
        pub const ALL: &[Code] = &[$($($name),*),*];
    };
}

codes! {
    Configuration {
        1001 CONFIGURATION_INVALID "the configuration is not valid"
        1002 NO_SOURCES "the configured globs match no file"
        1003 UNREADABLE_FILE "a file could not be read"
        1004 CONFIGURATION_UNLOADABLE "a configuration file that cannot be loaded"
    }
    Parse {
        1101 SYNTAX "TypeScript that does not parse"
    }
    Resolve {
        1201 UNRESOLVED_IMPORT "an import that kit cannot resolve to a file"
        1202 UNKNOWN_EXPORT "a file does not export that name"
        1203 UNKNOWN_TYPE "a type name that is not declared"
    }
    Types {
        1301 UNSUPPORTED_TYPE "a type that kit cannot evaluate"
        1302 UNKNOWN_FORMAT "`@format` with an unknown name"
        1303 INVALID_TAG_ARGUMENT "a doc tag with an argument that does not parse"
        1304 TAG_DOES_NOT_FIT "a doc tag on a type that it does not fit"
        1305 UNKNOWN_TAG "a doc tag close to a known one"
        1306 NO_JSON_FORM "a type whose values have no JSON form"
        1307 DUPLICATE_NAME "two declarations under one name"
        1308 WRONG_TYPE_ARGUMENTS "wrong number of type arguments"
        1309 UNKNOWN_KEY "a key that the type does not have"
        1310 RECURSIVE_ALIAS "a type that refers to itself without end"
        1311 GENERATED_IN_BODY "a generated property in a request body"
        1312 ENTITY_NOT_AN_OBJECT "`@table` on something other than an interface of properties"
        1313 CONFLICTING_TAGS "doc tags that contradict each other"
        1314 EXAMPLE_DOES_NOT_FIT "an example that does not fit its type"
        1315 UNSAFE_PATTERN "a `@pattern` that can block the server"
        1316 AMBIGUOUS_UNION "a union whose members cannot be told apart"
        1317 OWNER_WITHOUT_TABLE "`@owner` on a type that is not a table"
        1318 OWNER_PROPERTY "an `@owner` with a property that cannot identify an owner"
        1319 OWNER_NOT_ADDED "an `@owner` whose value no middleware adds"
        1320 TOO_LARGE_TYPE "a type that takes too many steps to compile"
        1321 TABLE_ELSEWHERE "`@table` in a file that `typeFiles` does not name"
        1322 UNINFERRED_TYPE "a type that only TypeScript can infer"
        1323 SCHEMA_RULE "a part of a schema that kit does not check"
        1324 ANY_IN_PACKAGE "a type of an installed package that contains `any`"
    }
    Routes {
        1401 INVALID_ROUTE_KEY "a route key that is not `<METHOD> <path>`"
        1402 ROUTE_CONFLICT "two routes for the same requests"
        1403 PARAMETER_MISMATCH "path and params name different parameters"
        1404 INVALID_CONTRACT "a contract that is not a `Route` or a `RouteContract`"
        1405 NOT_STATICALLY_KNOWN "a call of `createApp` or `declareApi` that kit cannot read without running the code"
        1406 UNKNOWN_HANDLER_KEY "handlers and contracts name different routes"
        1407 UNSUPPORTED_PARAMETER_TYPE "a type of params, query, headers or cookies that is not text"
        1408 NO_ROUTES "contracts that no route group registers"
        1409 MIDDLEWARE_RETURNS_RESPONSE "a middleware that returns a response"
        1410 INVALID_SLOT "a slot that a contract cannot have"
        1411 INVALID_REPLY "a `Reply` that HTTP or the contract does not allow"
        1412 INVALID_FAILURE "a `Failure` that HTTP or the contract does not allow"
        1413 INVALID_FIELD_NAME "a header or a cookie that a contract cannot declare"
        1414 DUPLICATE_OPERATION "two routes with the same `@operation`"
        1415 INVALID_WRAPPER "a wrapper that kit cannot build, or whose replies do not fit its routes"
        1416 INVALID_BODY "a format of a body that the contract or HTTP does not allow"
        1417 INVALID_SOCKET "a WebSocket that the contract does not describe correctly"
        1418 INVALID_ENVIRONMENT "a type of `env` that environment variables cannot represent"
        1421 INVALID_CURSOR_LIST "a `Cursor` that clients cannot read page by page"
        1422 UNBOUNDED_LIMIT "a page of a `Cursor` without a maximum of items"
        1423 INVALID_JOBS "a type of `createJobs` that cannot be stored as jobs"
        1430 INVALID_SCOPES "scopes that a contract cannot require, or that no middleware of the route checks"
        1459 INVALID_ROUTE_OPTION "an option of a route that has no effect on the route, or an invalid value"
    }
    Plugins {
        1501 NOT_A_PLUGIN "an entry of `plugins` that is not a plugin"
        1502 PLUGIN_FAILED "a plugin that throws"
        1503 PLUGIN_UNSETTLED "a plugin that does not finish"
        1504 INVALID_PLUGIN_RESULT "a plugin with a result that kit cannot use"
        1505 PLUGIN_PROGRAM "a plugin that makes types or routes invalid"
        1506 PLUGIN_PATH "a plugin that names a path that kit cannot use"
        1507 PLUGIN_FILE_CONFLICT "a plugin that writes a file of kit or of another plugin"
        1508 PLUGIN_REPORT "a problem that a plugin reported"
    }
    Database {
        1601 UNSUPPORTED_COLUMN "a property that has no column type"
        1602 UNKNOWN_REFERENCE "a reference to an entity or property that does not exist"
        1603 MISSING_ID "an entity without an id"
        1604 DUPLICATE_TABLE "two entities in one table"
        1605 UNUSABLE_NAME "a table or column name that PostgreSQL does not accept unchanged"
        1606 INVALID_MIGRATION "a committed migration that cannot be read"
        1607 RENAME "a `@renamedFrom` that renames nothing, or is ambiguous"
        1608 MISSING_INDEX "a foreign key without an index"
    }
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn every_page_starts_with_its_code_and_title() {
        for code in ALL {
            let opening = format!("# {code}: {}\n\n", code.title());
            assert!(code.page().starts_with(&opening), "{}", code.page());
        }
    }

    #[test]
    fn codes_are_unique_and_in_ascending_order() {
        assert!(ALL.windows(2).all(|pair| pair[0].number < pair[1].number));
    }
}
