//! Tests that columns of every type keep their values. `tests/served.rs` copies this file into the generated project and runs it there,
//! on a database with the generated tables.

use kit_runtime::{BigInt, Bytes, Decimal, IndexMap, Timestamp};
use names::db::option_model::{self as options, NewOptionModel, OptionModelChanges};
use names::models::{
    Json, OptionModelFormer, OptionModelPlace, OptionModelPrices, OptionModelState, Rank, ResultModel,
};
use sqlx::PgPool;

fn run<T>(work: impl AsyncFnOnce(PgPool) -> T) -> T {
    let url = std::env::var("DATABASE_URL").unwrap();
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(async { work(PgPool::connect(&url).await.unwrap()).await })
}

fn big(text: &str) -> BigInt {
    text.parse().unwrap()
}

fn a_choice() -> NewOptionModel {
    let prices = OptionModelPrices {
        price: IndexMap::from([("eur-price".to_owned(), 9.5)]),
        numbers: IndexMap::from([("2026".to_owned(), "much".to_owned())]),
    };
    NewOptionModel {
        r#type: "t".to_owned(),
        self_value: "s".to_owned(),
        crate_value: "c".to_owned(),
        super_value: "p".to_owned(),
        r#async: "a".to_owned(),
        level: 2,
        ratio: 0.5,
        seen: big("-9223372036854775808"),
        even: big("4"),
        picture: Bytes::from(vec![0, 255, 128]),
        thumbnail: None,
        code: "o-1".to_owned(),
        kind: ResultModel::Err,
        place: OptionModelPlace {
            x: 1.0,
            y: -2.5,
            label: None,
        },
        prices,
        json: Json(IndexMap::from([("a".to_owned(), "b".to_owned())])),
        slug: "abc".to_owned(),
        nick: None,
        since: "2026-01-31T12:00:00.123Z".parse::<Timestamp>().unwrap(),
        rank: Rank(3),
        next: None,
        price: "-12345678901234567890123456.70".parse().unwrap(),
        mass: "-1234567890123456789012345678.90".to_owned(),
        rate: None,
        day: "2024-02-29".to_owned(),
        until: None,
        small: -32768,
        event: None,
        labels: vec!["a,b".to_owned(), String::new(), "\"null\"".to_owned()],
        results: vec![ResultModel::ValueSelf, ResultModel::Ok],
        amounts: Some(vec!["-12345678901234567890123456.70".parse().unwrap(), Decimal::new(5, 2)]),
        bigs: Some(vec![big("-9223372036854775808"), big("0")]),
        moments: vec!["2026-01-31T12:00:00.123Z".parse().unwrap()],
        ranks: vec![Rank(3), Rank(1)],
        ratios: vec![0.1, -2.5e300],
        flags: None,
        email: "Ada@Example.org".to_owned(),
        state: Some(OptionModelState::ShutDown),
        former: None,
    }
}

#[test]
fn returns_stored_values_unchanged() {
    run(async |pool| {
        let new = a_choice();
        let made = options::insert(&pool, &new).await.unwrap();
        let found = options::get(&pool, &made.id).await.unwrap().unwrap();
        assert_eq!(found, made);
        assert_eq!((found.level, found.ratio), (new.level, new.ratio));
        assert_eq!((&found.seen, &found.even), (&new.seen, &new.even));
        assert_eq!(found.picture, new.picture);
        assert_eq!(found.thumbnail.flatten(), None);
        assert_eq!((found.kind, &found.place), (new.kind, &new.place));
        assert_eq!((&found.prices, &found.json), (&new.prices, &new.json));
        assert_eq!((&found.slug, &found.since), (&new.slug, &new.since));
        assert_eq!(
            (found.nick.flatten(), found.rank, found.next),
            (None, Rank(3), None)
        );
        assert_eq!((found.price, &found.day), (new.price, &new.day));
        assert_eq!(found.price.to_string(), "-12345678901234567890123456.70");
        assert_eq!(found.mass, new.mass);
        assert_eq!((found.small, &found.until), (new.small, &None));
        assert_eq!(found.rate.map(|rate| rate.to_string()).as_deref(), Some("0.500"));
        assert_eq!(&found.event[14..15], "7");
        assert_eq!((&found.labels, &found.results), (&new.labels, &new.results));
        assert_eq!(Some(&found.amounts), new.amounts.as_ref());
        assert_eq!(found.bigs.as_ref().and_then(Option::as_ref), new.bigs.as_ref());
        assert_eq!((&found.moments, &found.ranks), (&new.moments, &new.ranks));
        assert_eq!((&found.ratios, &found.flags), (&new.ratios, &None));
        assert_eq!(found.email, new.email);
        assert_eq!(Some(found.state), new.state);
        assert_eq!(found.former.flatten(), None);
        assert!(options::list(&pool, 10, 0).await.unwrap().contains(&made));
        assert!(options::count(&pool).await.unwrap() > 0);
    });
}

#[test]
fn updates_only_the_given_columns() {
    run(async |pool| {
        let made = options::insert(&pool, &a_choice()).await.unwrap();
        let changes = OptionModelChanges {
            seen: Some(big("9223372036854775807")),
            picture: Some(Bytes::default()),
            thumbnail: Some(Some(Bytes::from(vec![7]))),
            place: Some(OptionModelPlace {
                x: 0.0,
                y: 0.0,
                label: Some("home".to_owned()),
            }),
            slug: Some("xyz".to_owned()),
            former: Some(Some(OptionModelFormer::Open)),
            nick: Some(Some("nick".to_owned())),
            rank: Some(Rank(1)),
            next: Some(Some(Rank(2))),
            labels: Some(Vec::new()),
            bigs: Some(None),
            flags: Some(Some(vec![true, false])),
            ..OptionModelChanges::default()
        };
        let changed = options::update(&pool, &made.id, &changes).await.unwrap().unwrap();
        assert_eq!(changed.seen, big("9223372036854775807"));
        assert_eq!(changed.picture, Bytes::default());
        assert_eq!(changed.thumbnail.clone().flatten(), Some(Bytes::from(vec![7])));
        assert_eq!(changed.place.label.as_deref(), Some("home"));
        assert_eq!(changed.nick.clone().flatten(), Some("nick".to_owned()));
        assert_eq!((&changed.rank, &changed.next), (&Rank(1), &Some(Rank(2))));
        assert_eq!((changed.even, changed.since), (made.even, made.since));
        assert_eq!((changed.labels, changed.bigs.flatten()), (Vec::new(), None));
        assert_eq!(changed.flags, Some(vec![true, false]));
        assert_eq!(changed.former.flatten(), Some(OptionModelFormer::Open));
        let none = OptionModelChanges {
            thumbnail: Some(None),
            nick: Some(None),
            ..OptionModelChanges::default()
        };
        let changed = options::update(&pool, &made.id, &none).await.unwrap().unwrap();
        assert_eq!(
            (changed.thumbnail.flatten(), changed.nick.flatten()),
            (None, None)
        );
        assert!(options::delete(&pool, &made.id).await.unwrap());
        assert_eq!(options::get(&pool, &made.id).await.unwrap(), None);
    });
}

#[test]
fn finds_no_row_for_a_number_that_the_column_cannot_store() {
    run(async |pool| {
        let beyond = big("9223372036854775808");
        assert_eq!(options::get(&pool, &beyond).await.unwrap(), None);
        assert!(!options::delete(&pool, &beyond).await.unwrap());
        let new = NewOptionModel {
            seen: beyond,
            ..a_choice()
        };
        assert!(options::insert(&pool, &new).await.is_err());
    });
}
