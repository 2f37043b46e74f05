//! Resolution of import specifiers to modules.

use super::{Graph, ModuleId};

impl<'a> Graph<'a> {
    /// Returns the module that an import specifier refers to. Returns a help text if there is no such module.
    pub(super) fn target(
        &mut self,
        file: ModuleId,
        specifier: &'a str,
        require: bool,
    ) -> Result<ModuleId, String> {
        let key = (file, specifier, require);
        if let Some(known) = self.targets.get(&key) {
            return known.clone();
        }
        let target = self.find_target(file, specifier, require);
        self.targets.insert(key, target.clone());
        self.read_pending();
        target
    }

    fn find_target(&mut self, file: ModuleId, specifier: &'a str, require: bool) -> Result<ModuleId, String> {
        if let Some(ambient) = self.ambient.get(specifier) {
            return Ok(*ambient);
        }
        let path = self.module(file).path.clone();
        let found = self.resolver.resolve(&self.files, &path, specifier, require);
        self.diagnostics
            .extend(std::mem::take(&mut self.resolver.problems));
        match found {
            Ok(found) => self.load(&found).ok_or_else(|| {
                format!(
                    "{} cannot be read",
                    crate::source::display_path(&self.root, &found)
                )
            }),
            Err(reason) => {
                self.include_more();
                if let Some(ambient) = self.ambient.get(specifier) {
                    return Ok(*ambient);
                }
                // Compares the specifier with patterns such as `declare module "*.css"`.
                let pattern = self.ambient.iter().find(|(pattern, _)| {
                    pattern.split_once('*').is_some_and(|(before, after)| {
                        specifier.len() >= before.len() + after.len()
                            && specifier.starts_with(before)
                            && specifier.ends_with(after)
                    })
                });
                pattern.map(|(_, ambient)| *ambient).ok_or(reason)
            }
        }
    }
}
