//! Responses about latencies and throughput.

// Reason: times in milliseconds and counts of requests are far below 2^52.
#![allow(clippy::cast_precision_loss)]

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};

use super::answer::Refusal;
use super::history::now_ms;
use super::latency::{LONGEST_WINDOW, Latency, Routes};
use super::query::{Query, write_duration};
use super::routes::routes_named;
use super::state::State;
use crate::Timestamp;

const DEFAULT_WINDOW: u64 = 5 * 60_000;

/// Returns the latencies of a window: of one route, or of all requests together and of each route.
pub(super) fn performance(state: &State, query: &Query) -> Result<Value, Refusal> {
    let window = query
        .duration("window", LONGEST_WINDOW)?
        .unwrap_or(DEFAULT_WINDOW);
    let name = query.text("route");
    let wanted = name.map(|name| routes_named(state, name)).transpose()?;
    let slices = state.history.slices(window);
    let seconds = (now_ms().saturating_sub(slices.since) as f64 / 1_000.0).max(1.0);
    let mut routes: Routes = HashMap::new();
    for (route, latency) in slices.slices.iter().flat_map(|(_, routes)| routes) {
        routes.entry(route).or_default().merge(latency);
    }
    let mut answer = Map::new();
    answer.insert("route".to_owned(), json!(name));
    answer.insert("window".to_owned(), write_duration(window).into());
    answer.insert("since".to_owned(), iso(slices.since));
    answer.extend(figures(&all(&routes, wanted.as_deref()), seconds));
    if wanted.is_none() {
        let mut list: Vec<_> = routes.into_iter().collect();
        list.sort_by(|(one, a), (other, b)| b.count.cmp(&a.count).then(one.cmp(other)));
        let list = list.into_iter().map(|(route, latency)| {
            let mut row = Map::new();
            // The history has an empty name for requests without a route.
            row.insert(
                "route".to_owned(),
                json!(Some(route).filter(|route| !route.is_empty())),
            );
            row.extend(figures(&latency, seconds));
            Value::Object(row)
        });
        answer.insert("routes".to_owned(), list.collect());
    }
    Ok(answer.into())
}

/// Returns the latencies for a chart, slice by slice, the oldest first.
pub(super) fn series(state: &State, query: &Query) -> Result<Value, Refusal> {
    let window = query
        .duration("window", LONGEST_WINDOW)?
        .unwrap_or(DEFAULT_WINDOW);
    let name = query.text("route");
    let wanted = name.map(|name| routes_named(state, name)).transpose()?;
    let found = state.history.slices(window);
    let (now, slice_ms) = (now_ms(), found.slice_ms);
    let slices = found.slices.iter().filter_map(|(start, routes)| {
        let all = all(routes, wanted.as_deref());
        // The last slice has not ended yet, so its duration is shorter.
        let passed = now.min(start + slice_ms).saturating_sub(*start);
        let mut figures = figures(&all, (passed as f64 / 1_000.0).max(1.0));
        figures.remove("min");
        figures.remove("avgMs");
        figures.insert("start".to_owned(), (*start).into());
        (all.count > 0).then(|| Value::Object(figures))
    });
    Ok(json!({
        "route": name,
        "window": write_duration(window),
        "since": iso(found.since),
        "sliceMs": slice_ms,
        "slices": slices.collect::<Vec<_>>(),
    }))
}

fn iso(ms: u64) -> Value {
    let time = SystemTime::UNIX_EPOCH + Duration::from_millis(ms);
    Timestamp::from(time).to_string().into()
}

/// Merges the latencies of the wanted routes.
fn all(routes: &Routes, wanted: Option<&[&str]>) -> Latency {
    let mut all = Latency::default();
    for (route, latency) in routes {
        if wanted.is_none_or(|wanted| wanted.contains(route)) {
            all.merge(latency);
        }
    }
    all
}

fn figures(latency: &Latency, seconds: f64) -> Map<String, Value> {
    let count = latency.count as f64;
    let shown = |value: f64| (latency.count > 0).then(|| round(value));
    let values = json!({
        "count": latency.count,
        "failed": latency.failed,
        "p50": shown(latency.quantile(0.5)),
        "p95": shown(latency.quantile(0.95)),
        "p99": shown(latency.quantile(0.99)),
        "min": shown(latency.min),
        "max": shown(latency.max),
        "avgMs": shown(latency.sum / count.max(1.0)),
        "throughput": round(count / seconds),
    });
    match values {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Rounds to three digits, or to whole numbers from 100 on, because the histogram has an accuracy of half a percent.
fn round(value: f64) -> f64 {
    if value >= 100.0 {
        return value.round();
    }
    format!("{value:.2e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::round;

    #[test]
    fn rounds_to_three_digits() {
        let rounded = [1234.5, 99.96, 12.345, 0.001_234_5, 0.0].map(round);
        assert_eq!(
            rounded.map(|value| value.to_string()),
            ["1235", "100", "12.3", "0.00123", "0"]
        );
    }
}
