//! Emits the file of a contract group with one table of requests per route.

use std::collections::{BTreeMap, BTreeSet};

use kit_ir::Route;

use super::data::{Data, JavaScript};
use super::table::{Table, Tables};
use super::test_file::from;
use crate::combined;
use crate::context::Context;
use crate::options::ContractTests;
use crate::text::{Writer, unchecked_header};

/// Emits the tables of requests of a group, as JavaScript: TypeScript would need time and memory for each request.
pub(super) fn write(context: Context<'_>, tests: &ContractTests, group: &str, routes: &[&Route]) -> String {
    // Names of the shapes, each with the module that exports it.
    let mut shapes: BTreeMap<String, String> = BTreeMap::new();
    let mut printer = JavaScript {
        helpers: BTreeSet::new(),
        shape: |id| {
            let name = &context.program.declarations[id].name;
            let shape = format!("{name}Shape");
            shapes.insert(shape.clone(), combined::path_of_shape(context, name));
            shape
        },
    };
    let mut made = Tables::new(context.program, Some(context.tree));
    let mut tables = Writer::default();
    for route in routes {
        for table in made.of(route, tests.of(route)) {
            write_table(&table, &mut printer, &mut tables);
        }
    }
    let tables = tables.inner();
    let helpers: Vec<_> = std::mem::take(&mut printer.helpers).into_iter().collect();
    let mut text = unchecked_header(&from(context, group, routes));
    text.push('\n');
    let mut body = Writer::default();
    if !helpers.is_empty() {
        body.line(format_args!(
            "import {{ {} }} from \"@kit/testing\";",
            helpers.join(", ")
        ));
    }
    body.line(combined::print_imports(&shapes).trim_end());
    body.blank();
    body.block("export default [", "];", |body| body.line(tables));
    text.push_str(&body.finish());
    text
}

/// Writes a table, with the rows and the slots of the valid request on lines of their own.
fn write_table(
    table: &Table,
    printer: &mut JavaScript<impl FnMut(kit_ir::DeclarationId) -> String>,
    writer: &mut Writer,
) {
    writer.block("{", "},", |writer| {
        for (name, data) in table {
            match (*name, data) {
                ("request", Data::Object(slots)) => {
                    writer.block("request: {", "},", |writer| {
                        for (slot, value) in slots {
                            writer.line(format_args!("{slot}: {},", printer.print(value)));
                        }
                    });
                }
                ("accepts" | "refuses", Data::List(rows)) if !rows.is_empty() => {
                    writer.block(format_args!("{name}: ["), "],", |writer| {
                        for row in rows {
                            writer.line(format_args!("{},", printer.print(row)));
                        }
                    });
                }
                _ => writer.line(format_args!("{name}: {},", printer.print(data))),
            }
        }
    });
}
