//! Finds declarations that refer to each other in cycles, in one traversal of the references (Tarjan's algorithm).

use kit_ir::DeclarationId;

use crate::references::References;

/// Groups of declarations: declarations that refer to each other in a cycle are in one group (strongly
/// connected component). Every other declaration is alone in its group. Each group comes after the groups to
/// which it refers.
pub(crate) struct Groups {
    groups: Vec<Vec<DeclarationId>>,
    of: Vec<usize>,
}

impl Groups {
    pub(crate) fn new(references: &References) -> Self {
        let count = references.len();
        let mut search = Search {
            references,
            number: vec![None; count],
            lowest: vec![0; count],
            open: Vec::new(),
            found: Self {
                groups: Vec::new(),
                of: vec![usize::MAX; count],
            },
            next: 0,
        };
        for id in (0..count).map(DeclarationId::from) {
            if search.number[usize::from(id)].is_none() {
                search.visit(id);
            }
        }
        search.found
    }

    pub(crate) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Returns all groups. Each group comes after the groups to which it refers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[DeclarationId]> {
        self.groups.iter().map(Vec::as_slice)
    }

    /// Returns all declarations in the group of a declaration, including the declaration itself.
    pub(crate) fn members(&self, declaration: DeclarationId) -> &[DeclarationId] {
        &self.groups[self.index_of(declaration)]
    }

    /// Returns the index of a declaration's group.
    pub(crate) fn index_of(&self, declaration: DeclarationId) -> usize {
        self.of[usize::from(declaration)]
    }
}

struct Search<'a> {
    references: &'a References,
    /// For each declaration, its position in the order of the visits. `None` if the declaration was not
    /// visited yet.
    number: Vec<Option<usize>>,
    /// For each declaration, the lowest position that it can reach through references. Declarations that
    /// already have a group do not count.
    lowest: Vec<usize>,
    /// Visited declarations that have no group yet.
    open: Vec<DeclarationId>,
    found: Groups,
    next: usize,
}

impl Search<'_> {
    /// Visits a declaration and everything that it refers to. Does not recurse, because a long chain of references would
    /// overflow the call stack.
    fn visit(&mut self, start: DeclarationId) {
        let mut path = vec![(start, 0)];
        self.open(start);
        while let Some((id, step)) = path.pop() {
            let index = usize::from(id);
            if let Some(target) = self.references.of(id).get(step) {
                path.push((id, step + 1));
                match self.number[usize::from(*target)] {
                    None => {
                        self.open(*target);
                        path.push((*target, 0));
                    }
                    Some(number) if self.found.index_of(*target) == usize::MAX => {
                        self.lowest[index] = self.lowest[index].min(number);
                    }
                    Some(_) => {}
                }
                continue;
            }
            if let Some((parent, _)) = path.last() {
                let parent = usize::from(*parent);
                self.lowest[parent] = self.lowest[parent].min(self.lowest[index]);
            }
            if self.number[index] == Some(self.lowest[index]) {
                self.close_group(id);
            }
        }
    }

    fn open(&mut self, id: DeclarationId) {
        self.number[usize::from(id)] = Some(self.next);
        self.lowest[usize::from(id)] = self.next;
        self.next += 1;
        self.open.push(id);
    }

    /// Creates a group of `root` and all declarations in `open` after it.
    fn close_group(&mut self, root: DeclarationId) {
        let start = self.open.iter().rposition(|id| *id == root).unwrap_or_default();
        let group = self.open.split_off(start);
        for id in &group {
            self.found.of[usize::from(*id)] = self.found.groups.len();
        }
        self.found.groups.push(group);
    }
}

#[cfg(test)]
mod tests {
    use kit_ir::DeclarationId;

    use super::Groups;
    use crate::references::References;

    #[test]
    fn puts_the_declarations_of_a_cycle_into_one_group_after_the_groups_they_refer_to() {
        // 0 -> 1 -> 2 -> 1, 2 -> 3, 4 -> 4, 0 -> 4
        let references = [vec![1, 4], vec![2], vec![1, 3], vec![], vec![4]];
        let references =
            References::from_lists(references.map(|of| of.into_iter().map(DeclarationId).collect()));
        let groups = Groups::new(&references);
        let found: Vec<Vec<u32>> = groups
            .iter()
            .map(|group| group.iter().map(|id| id.0).collect())
            .collect();
        assert_eq!(found, [vec![3], vec![1, 2], vec![4], vec![0]]);
        assert_eq!(groups.index_of(DeclarationId(2)), 1);
    }
}
