//! Tests of `kit inspect` in a large project.

use crate::inspect::built;
use crate::support::Project;

/// `schemas.json` of a large project refers to schemas of the OpenAPI document.
#[test]
fn prints_the_same_schemas_if_the_project_is_large() {
    let commands: [&[&str]; 3] = [
        &["inspect", "schema", "Note", "--json", "--verbose"],
        &["inspect", "schema", "NewNote", "--json", "--verbose"],
        &["inspect", "route", "POST /notes", "--json", "--verbose"],
    ];
    let project = built();
    let outputs = |project: &Project| commands.map(|command| project.kit(command).json());
    let before = outputs(&project);
    assert_eq!(before[0]["schema"]["properties"]["title"]["maxLength"], 20);
    let more: Vec<String> = (0..500)
        .map(|number| format!("export type More{number} = string;\n"))
        .collect();
    project.write("src/more.types.ts", &more.concat());
    assert_eq!(project.kit(&["build"]).code, 0);
    let schemas = String::from_utf8_lossy(&project.tree(".kit")["schemas.json"]).into_owned();
    assert!(
        schemas.contains("schemas/openapi.json#/components/schemas/Note"),
        "{schemas}"
    );
    assert_eq!(outputs(&project), before);
}
