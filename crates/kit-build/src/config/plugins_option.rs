//! The option `plugins`, as the host describes it: a name, hooks with their stages, files that the plugin owns. What is a function in
//! the configuration stays in the host.

use serde_json::Value;

use super::reader::Reader;
use crate::{COMPILE_STEP, HOOKS, Plugin, Tap};

pub(super) fn read(value: &Value, reader: &mut Reader<'_>) -> Option<Vec<Plugin>> {
    if !reader.is_module() {
        reader.report(
            "plugins",
            "`plugins` cannot stand in package.json, since plugins are code",
            "move the configuration to kit.config.ts: `export default defineConfig({ plugins: [myPlugin()] })`".to_owned(),
        );
        return None;
    }
    let Some(items) = value.as_array() else {
        reader.wrong_kind("plugins", "a list of plugins", value);
        return None;
    };
    let mut plugins: Vec<Plugin> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        // Left out by a condition: `isLocal && myPlugin()`.
        if item.is_null() {
            continue;
        }
        let Some(plugin) = plugin(index, item, reader) else {
            continue;
        };
        if plugins.iter().any(|other| other.name == plugin.name) {
            reader.report(
                &format!("plugins[{index}]"),
                &format!("two plugins are called `{}`", plugin.name),
                "remove one, or give them names of their own: messages name plugins".to_owned(),
            );
        }
        plugins.push(plugin);
    }
    Some(plugins)
}

fn plugin(index: usize, value: &Value, reader: &mut Reader<'_>) -> Option<Plugin> {
    let key = format!("plugins[{index}]");
    let options = reader.object(&key, value)?;
    reader.known_keys(&key, options, &["name", "hooks", "owns"]);
    let name = options.get("name").and_then(Value::as_str).unwrap_or_default();
    if name.is_empty()
        || !name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "-_.@/".contains(letter))
    {
        reader.report(
            &key,
            &format!("`{key}` has no name of letters, digits and `-_.@/`"),
            "write `{ name: \"my-plugin\", hooks: { … } }`".to_owned(),
        );
        return None;
    }
    let known: Vec<&'static str> = HOOKS
        .iter()
        .map(|hook| hook.name)
        .chain([COMPILE_STEP.name])
        .collect();
    let within = format!("{key}.hooks");
    let hooks = options
        .get("hooks")
        .and_then(|value| reader.object(&within, value));
    let mut taps = Vec::new();
    if let Some(hooks) = hooks {
        reader.known_keys(&within, hooks, &known);
        for (hook, stage) in hooks {
            let Some(hook) = known.iter().find(|known| *known == hook) else {
                continue;
            };
            match stage.as_f64() {
                Some(stage) => taps.push(Tap { hook, stage }),
                None => reader.wrong_kind(&format!("{within}.{hook}.stage"), "a number", stage),
            }
        }
    }
    let owns = options.get("owns").and_then(|value| {
        let key = format!("{key}.owns");
        let globs = reader.strings(&key, value)?;
        reader.globs(&key, &globs).then_some(globs)
    });
    Some(Plugin {
        index,
        name: name.to_owned(),
        taps,
        owns: owns.unwrap_or_default(),
    })
}
