//! Memory of printed expressions.
//!
//! The printer tries several layouts for an argument, and each layout prints the arguments inside of it. Without this memory,
//! each level of nested calls and arrays would multiply the time.

use std::cell::RefCell;
use std::collections::HashMap;

use syn::Expr;

use super::Space;

/// Printed expressions, by their address and their space.
type Known = HashMap<(*const Expr, Space), Option<String>>;

thread_local! {
    /// The memory for the file that is printed. `None` if expressions must not be remembered.
    static KNOWN: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// Prints with an empty memory. All expressions must stay at their addresses until `print` returns.
pub(super) fn with<T>(print: impl FnOnce() -> T) -> T {
    replaced(Some(Known::default()), print)
}

/// Prints expressions that live shorter than the file: their addresses can be used again.
pub(super) fn without<T>(print: impl FnOnce() -> T) -> T {
    replaced(None, print)
}

fn replaced<T>(known: Option<Known>, print: impl FnOnce() -> T) -> T {
    let before = KNOWN.replace(known);
    let printed = print();
    KNOWN.set(before);
    printed
}

/// Returns the text of an expression in a space. Calls `print` if the text is not known.
pub(super) fn printed(
    expression: &Expr,
    space: Space,
    print: impl FnOnce() -> Option<String>,
) -> Option<String> {
    // Other expressions have no layouts to try.
    let is_list = matches!(expression, Expr::Call(_) | Expr::MethodCall(_) | Expr::Array(_));
    if !is_list {
        return print();
    }
    let key = (std::ptr::from_ref(expression), space);
    let known = KNOWN.with_borrow(|known| known.as_ref()?.get(&key).cloned());
    if let Some(known) = known {
        return known;
    }
    let text = print();
    KNOWN.with_borrow_mut(|known| {
        if let Some(known) = known {
            known.insert(key, text.clone());
        }
    });
    text
}
