//! Names of entities if other types have the same name.

use crate::inferred::output;
use crate::support::text;

#[test]
fn an_entity_keeps_its_name_and_a_type_in_an_earlier_file_gets_a_number() {
    let found = text(&output(
        &[
            (
                "src/api.types.ts",
                "export interface Customer { title: string }\nexport interface Page { items: Customer[] }\n",
            ),
            (
                "src/customers.types.ts",
                "/** @table */ export interface Customer { /** @id */ id: string }\n",
            ),
            (
                "src/orders.types.ts",
                "/** @table */ export interface Order { /** @id */ id: string; /** @references Customer.id @index */ customerId: string }\n",
            ),
        ],
        &[],
    ));
    assert!(found.contains("entity Customer = table customers"), "{found}");
    assert!(found.contains("items: Customer2[]"), "{found}");
}
