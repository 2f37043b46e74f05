//! Text tables.

/// Formats a table with a line of headings. Each column is as wide as its widest cell. Lines have no trailing
/// spaces.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let width = |text: &str| text.chars().count();
    let widths: Vec<usize> = headings
        .iter()
        .enumerate()
        .map(|(column, heading)| {
            let cells = rows.iter().map(|row| width(&row[column]));
            cells.chain([width(heading)]).max().unwrap_or_default()
        })
        .collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut text = String::new();
        for (cell, wide) in cells.zip(&widths) {
            text.push_str(cell);
            text.extend(std::iter::repeat_n(' ', wide - width(cell) + 2));
        }
        text.trim_end().to_owned()
    };
    let mut lines = vec![line(&mut headings.iter().copied())];
    lines.extend(rows.iter().map(|row| line(&mut row.iter().map(String::as_str))));
    lines.join("\n")
}

/// Text of an empty cell.
pub(super) const EMPTY_CELL: &str = "-";

/// Returns the text of a cell that may be empty.
pub(super) fn cell(text: Option<&str>) -> String {
    text.unwrap_or(EMPTY_CELL).to_owned()
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn column_is_as_wide_as_its_widest_cell() {
        let rows = [
            vec!["GET".to_owned(), "/ä".to_owned(), "x".to_owned()],
            vec!["DELETE".to_owned(), "/".to_owned(), String::new()],
        ];
        assert_eq!(
            table(&["method", "path", "body"], &rows),
            "method  path  body\nGET     /ä    x\nDELETE  /"
        );
    }
}
