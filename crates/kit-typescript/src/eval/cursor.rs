//! Types of lists that are read with cursors: `Cursor<Item>` and `CursorQuery` of `@kit/types`.

use super::{Evaluator, KeyKind, Object, Property, Ty, TyId};
use crate::known_types::argument_count;
use crate::modules::Location;

/// Name of the type of a page in `@kit/types`.
pub(crate) const CURSOR_TYPE: &str = "Cursor";

/// Name of the type of a page's query in `@kit/types`.
pub(super) const CURSOR_QUERY_TYPE: &str = "CursorQuery";

// The comments and properties are those of `packages/types/src/cursor.ts`; the test `cursors` compares them.

const DATA: &str = "/** Items of the page. */";
const NEXT: &str = "/** Cursor of the next page. Absent on the last page. */";
const PREVIOUS: &str = "/** Cursor of the previous page. Absent on the first page. */";
const CURSOR: &str = "/** Place in the list: `next` or `previous` of another page. Without a cursor, the response is the first page. */";
const LIMIT: &str = "/**
   * Maximum number of items on the page.
   *
   * @integer
   * @minimum 1
   * @maximum 100
   * @default 20
   */";

impl Evaluator<'_> {
    /// Returns the object type of `Cursor<Item>`.
    pub(super) fn cursor_type(&mut self, arguments: &[TyId], location: Location) -> TyId {
        let [item] = arguments else {
            return self.wrong_cursor(CURSOR_TYPE, "Cursor<Note>", 1, arguments.len(), location);
        };
        let data = self.store.add(Ty::Array {
            element: *item,
            readonly: false,
        });
        let text = self.store.add(Ty::String);
        let page = self.documented(
            &[
                ("data", data, false, DATA),
                ("next", text, true, NEXT),
                ("previous", text, true, PREVIOUS),
            ],
            location,
        );
        self.cursors.insert(page);
        page
    }

    /// Returns the object type of `CursorQuery`.
    pub(super) fn cursor_query_type(&mut self, arguments: &[TyId], location: Location) -> TyId {
        if !arguments.is_empty() {
            return self.wrong_cursor(CURSOR_QUERY_TYPE, "CursorQuery", 0, arguments.len(), location);
        }
        let (text, number) = (self.store.add(Ty::String), self.store.add(Ty::Number));
        self.documented(
            &[("cursor", text, true, CURSOR), ("limit", number, true, LIMIT)],
            location,
        )
    }

    /// Returns true for the shape of a `Cursor<Item>`.
    pub(crate) fn is_cursor(&self, shape: TyId) -> bool {
        self.cursors.contains(&shape)
    }

    fn documented(&mut self, properties: &[(&str, TyId, bool, &'static str)], location: Location) -> TyId {
        let properties = properties.iter().map(|(name, ty, optional, comment)| {
            let doc = Some(self.store.doc_of_kit(comment, location));
            let ty = self.constrained(*ty, doc);
            Property {
                optional: *optional,
                doc,
                ..Property::plain((*name).into(), KeyKind::Text, ty, location)
            }
        });
        let properties = properties.collect();
        let object = Object {
            properties,
            nominal: true,
            ..Object::default()
        };
        self.store.object(object)
    }

    fn wrong_cursor(
        &mut self,
        name: &str,
        form: &str,
        wanted: usize,
        found: usize,
        location: Location,
    ) -> TyId {
        let takes = if wanted == 0 {
            "no type arguments".to_owned()
        } else {
            argument_count(wanted)
        };
        let message = format!("`{name}` takes {takes}, not {found}");
        let help = format!("write `{form}`");
        self.reject(
            kit_diagnostics::codes::WRONG_TYPE_ARGUMENTS,
            location,
            message,
            &help,
        )
    }
}
