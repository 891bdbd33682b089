//! The model as a JSON Schema, for editors and for the page of the documentation that is made of it.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::typed;

/// The schema of a configuration file; `tools` are the names that `tools.tier` may use.
pub fn schema(tools: &[&str]) -> Value {
    let generator = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = generator.into_generator().into_root_schema_for::<typed::File>().to_value();
    tidy(&mut schema);
    schema["properties"]["tools"]["properties"]["tier"]["propertyNames"] = json!({"enum": tools});
    schema
}

/// Takes out what says nothing to an editor: formats of Rust, `null` where a key may be missing, empty names. Words of one
/// value each (`oneOf` of constants) become an `enum` with the words' meanings beside it.
fn tidy(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.values_mut().for_each(tidy);
            flatten_words(map);
            if map.get("format").is_some_and(Value::is_string) {
                map.remove("format");
            }
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    map.insert("type".to_owned(), only);
                }
            }
            if map.get("default").is_some_and(Value::is_null) {
                map.remove("default");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

fn flatten_words(map: &mut Map<String, Value>) {
    let words: Option<Vec<(Value, Value)>> = map.get("oneOf").and_then(Value::as_array).and_then(|choices| {
        choices
            .iter()
            .map(|choice| Some((choice.get("const")?.clone(), choice.get("description")?.clone())))
            .collect()
    });
    if let Some(words) = words {
        let (words, meanings): (Vec<Value>, Vec<Value>) = words.into_iter().unzip();
        map.remove("oneOf");
        map.insert("type".to_owned(), json!("string"));
        map.insert("enum".to_owned(), Value::Array(words));
        map.insert("enumDescriptions".to_owned(), Value::Array(meanings));
    }
}
