//! Reads the option `plugins`. The host describes each plugin: its name, its hooks with their stages, and the files that it
//! owns. The functions of a plugin stay in the host.

use kit_diagnostics::codes;
use serde_json::Value;

use super::plugin::{Plugin, Tap};
use super::reader::Reader;
use crate::hooks::{COMPILE_STEP, HOOKS};

pub(super) fn read(value: &Value, reader: &mut Reader<'_>) -> Option<Vec<Plugin>> {
    if !reader.is_module() {
        reader.report(
            "plugins",
            "`plugins` cannot be in package.json, because plugins are code",
            "move the configuration to kit.config.ts: `export default defineConfig({ plugins: [myPlugin()] })`".to_owned(),
        );
        return None;
    }
    let Some(items) = value.as_array() else {
        reader.report_wrong_type("plugins", "a list of plugins", value);
        return None;
    };
    let mut plugins: Vec<Plugin> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        // The host sends null for `undefined`, `null` and `false`. A condition such as `isLocal && myPlugin()` has these
        // values.
        if item.is_null() {
            continue;
        }
        let Some(plugin) = plugin(index, item, reader) else {
            continue;
        };
        if plugins.iter().any(|other| other.name == plugin.name) {
            reader.report(
                &format!("plugins[{index}]"),
                &format!("two plugins have the name `{}`", plugin.name),
                "remove one of the two plugins, or give each plugin a different name: messages identify a plugin by its name".to_owned(),
            );
        }
        plugins.push(plugin);
    }
    Some(plugins)
}

/// Reports a value that is neither a plugin nor a function for a hook. The host has marked such values.
/// Returns true if the value was reported.
fn report_host_mistake(key: &str, value: &Value, reader: &mut Reader<'_>) -> bool {
    let text = |name| value.pointer(&format!("/wrong/{name}")).and_then(Value::as_str);
    let (Some(message), Some(help)) = (text("message"), text("help")) else {
        return false;
    };
    let message = format!("`{key}` {message}");
    reader.report_as(codes::NOT_A_PLUGIN, key, &message, help.to_owned());
    true
}

fn plugin(index: usize, value: &Value, reader: &mut Reader<'_>) -> Option<Plugin> {
    let key = format!("plugins[{index}]");
    if report_host_mistake(&key, value, reader) {
        return None;
    }
    let options = reader.object(&key, value)?;
    reader.known_keys(&key, options, &["name", "hooks", "owns"]);
    let name = options.get("name").and_then(Value::as_str).unwrap_or_default();
    if name.is_empty()
        || !name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "-_.@/".contains(letter))
    {
        reader.report_as(
            codes::NOT_A_PLUGIN,
            &key,
            &format!("`{key}` must have a name of letters, digits and `-_.@/`"),
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
            let key = format!("{within}.{hook}");
            if report_host_mistake(&key, stage, reader) {
                continue;
            }
            match stage.as_f64() {
                Some(stage) => taps.push(Tap { hook, stage }),
                None => reader.report_wrong_type(&format!("{key}.stage"), "a number", stage),
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
        location: reader.location(&key),
    })
}
