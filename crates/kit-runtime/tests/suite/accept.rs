//! The vectors of `conformance/accept.json`.

use kit_runtime::accept::{preferred, quality};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    qualities: Vec<Quality>,
    choices: Vec<Offered>,
}

#[derive(Deserialize)]
struct Quality {
    name: String,
    accept: String,
    r#type: String,
    #[serde(rename = "quality")]
    expected: f64,
}

#[derive(Deserialize)]
struct Offered {
    name: String,
    accept: Option<String>,
    offers: Vec<String>,
    chosen: Option<String>,
}

#[test]
fn chooses_media_types_as_the_vectors_tell() {
    let text = include_str!("../../../../conformance/accept.json");
    let vectors: Vectors = serde_json::from_str(text).unwrap();
    for Quality {
        name,
        accept,
        r#type,
        expected,
    } in vectors.qualities
    {
        let found = f64::from(quality(&accept, &r#type)) / 1000.0;
        assert!((found - expected).abs() < 1e-9, "{name}: {found}");
    }
    for Offered {
        name,
        accept,
        offers,
        chosen,
    } in vectors.choices
    {
        let offers: Vec<&str> = offers.iter().map(String::as_str).collect();
        let found = preferred(accept.as_deref(), &offers).map(|index| offers[index]);
        assert_eq!(found, chosen.as_deref(), "{name}");
    }
}
