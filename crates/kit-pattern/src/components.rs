//! Strongly connected components, by Tarjan's algorithm without recursion.

/// Component number of a node that no root leads to.
pub(crate) const UNREACHED: usize = usize::MAX;

/// Returns the component number of each node that the roots lead to. A component has a greater number than
/// the components that it leads to.
///
/// `successors` appends the successors of a node to the list that it receives. Its error stops the search.
pub(crate) fn components<E>(
    count: usize,
    roots: impl IntoIterator<Item = usize>,
    mut successors: impl FnMut(usize, &mut Vec<usize>) -> Result<(), E>,
) -> Result<Vec<usize>, E> {
    let mut order = vec![UNREACHED; count];
    let mut low = vec![0; count];
    let mut component = vec![UNREACHED; count];
    let mut open: Vec<usize> = Vec::new();
    let (mut next_order, mut next_component) = (0, 0);
    for root in roots {
        if order[root] != UNREACHED {
            continue;
        }
        let mut calls: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut enter = Some(root);
        loop {
            if let Some(node) = enter.take() {
                order[node] = next_order;
                low[node] = next_order;
                next_order += 1;
                open.push(node);
                let mut list = Vec::new();
                successors(node, &mut list)?;
                calls.push((node, list));
            }
            let Some((node, list)) = calls.last_mut() else {
                break;
            };
            let node = *node;
            if let Some(next) = list.pop() {
                if order[next] == UNREACHED {
                    enter = Some(next);
                } else if component[next] == UNREACHED {
                    low[node] = low[node].min(order[next]);
                }
                continue;
            }
            calls.pop();
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    component[member] = next_component;
                    if member == node {
                        break;
                    }
                }
                next_component += 1;
            }
        }
    }
    Ok(component)
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn a_component_has_a_greater_number_than_each_component_that_can_be_reached_from_it() {
        let edges: [&[usize]; 5] = [&[1], &[2, 3], &[1], &[4], &[]];
        let found = components(5, 0..5, |node, list| {
            list.extend(edges[node]);
            Ok::<(), ()>(())
        });
        assert_eq!(found, Ok(vec![3, 2, 2, 1, 0]));
    }
}
