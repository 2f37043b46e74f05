//! Tests of every function of the shop's database modules. `tests/served.rs` copies this file into the generated project and runs it there,
//! on a database with the generated tables.
// tidy: long because one project has all functions of the database modules.

use kit_runtime::{IndexMap, Timestamp};
use shop::db::category::{self, NewCategory};
use shop::db::country::{self, CountryChanges, NewCountry};
use shop::db::product::{self, NewProduct, ProductChanges, ProductFilter};
use shop::db::shop::{self as shops, NewShop, ShopChanges};
use shop::db::stock::{self, NewStock, StockChanges};
use shop::models::{Product, ProductKind, ProductSize, ProductStatus, Shop};
use sqlx::postgres::PgPoolOptions;
use sqlx::{Executor as _, PgPool};

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

fn run<T>(work: impl AsyncFnOnce(PgPool) -> T) -> T {
    let url = std::env::var("DATABASE_URL").unwrap();
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(async {
            let pool = PgPoolOptions::new().max_connections(2).connect(&url).await;
            work(pool.unwrap()).await
        })
}

async fn a_shop(pool: &PgPool, slug: &str) -> Shop {
    let new = NewShop {
        id: None,
        name: "Ada's".to_owned(),
        slug: slug.to_owned(),
        contact: None,
        opened_at: None,
    };
    shops::insert(pool, &new).await.unwrap()
}

fn a_product(shop: &Shop, sku: &str) -> NewProduct {
    NewProduct {
        id: None,
        shop_id: shop.id.clone(),
        category_id: None,
        sku: sku.to_owned(),
        title: "Thing \"of\" 'quotes'".to_owned(),
        description: None,
        price_cents: 4_294_967_296,
        weight: None,
        status: None,
        kind: ProductKind::Download,
        tags: vec!["a".to_owned(), "ü".to_owned()],
        size: None,
        attributes: IndexMap::from([("color".to_owned(), "red".to_owned())]),
        r#type: None,
        visible: None,
        listed_at: None,
        views: None,
        created_at: None,
    }
}

#[test]
fn undoes_the_changes_of_several_tables_if_a_transaction_is_not_committed() {
    run(async |pool| {
        for is_committed in [false, true] {
            let mut transaction = pool.begin().await.unwrap();
            let new = NewShop {
                id: None,
                name: "Eve's".to_owned(),
                slug: "in-a-transaction".to_owned(),
                contact: None,
                opened_at: None,
            };
            let shop = shops::insert(&mut *transaction, &new).await.unwrap();
            let product = product::insert(&mut *transaction, &a_product(&shop, "T-1"))
                .await
                .unwrap();
            let inside = product::get(&mut *transaction, &product.id).await.unwrap();
            assert!(inside.is_some());
            assert!(product::get(&pool, &product.id).await.unwrap().is_none());
            if is_committed {
                transaction.commit().await.unwrap();
            } else {
                drop(transaction);
            }
            let outside = (
                shops::get(&pool, &shop.id).await.unwrap(),
                product::get(&pool, &product.id).await.unwrap(),
            );
            assert_eq!(
                (outside.0.is_some(), outside.1.is_some()),
                (is_committed, is_committed)
            );
            if is_committed {
                assert!(product::delete(&pool, &product.id).await.unwrap());
                assert!(shops::delete(&pool, &shop.id).await.unwrap());
            }
        }
    });
}

/// Uses a session with another time zone than UTC, which must not shift any time.
#[test]
fn returns_each_row_once_in_pages_ordered_by_time() {
    run(async |_| {
        let pool = PgPoolOptions::new()
            .max_connections(2)
            .after_connect(|connection, _| {
                Box::pin(async move {
                    connection.execute("SET TimeZone = 'America/New_York'").await?;
                    Ok(())
                })
            });
        let url = std::env::var("DATABASE_URL").unwrap();
        let pool = pool.connect(&url).await.unwrap();
        let mut made = Vec::new();
        for number in 0..5 {
            made.push(a_shop(&pool, &format!("page-{number}")).await);
        }
        let page = "SELECT * FROM shops WHERE slug LIKE 'page-%' AND (opened_at, id) < ($1, $2::uuid) \
                    ORDER BY opened_at DESC, id DESC LIMIT 2";
        let (mut seen, mut time) = (Vec::new(), "9000-01-01T00:00:00Z".parse::<Timestamp>().unwrap());
        let mut id = NOBODY.to_owned();
        for _ in 0..4 {
            let rows: Vec<Shop> = sqlx::query_as(page)
                .bind(time)
                .bind(&id)
                .fetch_all(&pool)
                .await
                .unwrap();
            if let Some(last) = rows.last() {
                (time, id) = (last.opened_at, last.id.clone());
            }
            seen.extend(rows.into_iter().map(|shop| shop.slug));
        }
        seen.sort();
        assert_eq!(seen, ["page-0", "page-1", "page-2", "page-3", "page-4"]);

        let age = Timestamp::now().unix_millis() - made[0].opened_at.unix_millis();
        assert!((-1_000..60_000).contains(&age), "{age} ms");
        let found = "SELECT count(*) FROM shops WHERE opened_at = $1 AND id = $2::uuid";
        for shop in &made {
            let count: i64 = sqlx::query_scalar(found)
                .bind(shop.opened_at)
                .bind(&shop.id)
                .fetch_one(&pool)
                .await
                .unwrap();
            assert_eq!(count, 1);
        }

        let given = "2026-03-29T01:30:00.123Z".parse::<Timestamp>().unwrap();
        let new = NewProduct {
            listed_at: Some(given),
            created_at: Some(given),
            ..a_product(&made[0], "paged")
        };
        let stored = product::insert(&pool, &new).await.unwrap();
        assert_eq!((stored.listed_at, stored.created_at), (Some(given), given));
        let changed = product::update(&pool, &stored.id, &ProductChanges::default())
            .await
            .unwrap()
            .unwrap();
        let age = Timestamp::now().unix_millis() - changed.updated_at.unix_millis();
        assert!((-1_000..60_000).contains(&age), "{age} ms");
        let count: i64 =
            sqlx::query_scalar("SELECT count(*) FROM products WHERE updated_at = $1 AND id = $2::uuid")
                .bind(changed.updated_at)
                .bind(&changed.id)
                .fetch_one(&pool)
                .await
                .unwrap();
        assert_eq!(count, 1);
    });
}

#[test]
fn stores_the_defaults_of_absent_values_and_keeps_all_other_values() {
    run(async |pool| {
        let shop = a_shop(&pool, "defaults").await;
        assert_eq!(shop.contact, None);
        assert_eq!(shops::get(&pool, &shop.id).await.unwrap(), Some(shop.clone()));
        // The clock is UTC, even if the database has another time zone.
        let age = Timestamp::now().unix_millis() - shop.opened_at.unix_millis();
        assert!((-1_000..60_000).contains(&age), "{age} ms");

        let made = product::insert(&pool, &a_product(&shop, "1")).await.unwrap();
        assert_eq!(made.status, ProductStatus::Draft);
        assert!(made.visible);
        assert_eq!(
            (made.size.clone(), made.listed_at, made.weight),
            (None, None, None)
        );
        // A property that may be absent or null is null if the column is null.
        assert_eq!(
            (made.category_id, made.description.clone()),
            (Some(None), Some(None))
        );
        assert_eq!(made.price_cents, 4_294_967_296);
        assert_eq!(product::get(&pool, &made.id).await.unwrap(), Some(made));

        let moment: Timestamp = "2026-02-28T23:59:59.999Z".parse().unwrap();
        let whole = NewProduct {
            id: Some("11111111-2222-4333-8444-555555555555".to_owned()),
            description: Some("d".to_owned()),
            weight: Some(0.1),
            status: Some(ProductStatus::SoldOut),
            size: Some(ProductSize {
                width: 1.5,
                height: 2.0,
            }),
            r#type: Some("t".to_owned()),
            visible: Some(false),
            listed_at: Some(moment),
            created_at: Some(moment),
            ..a_product(&shop, "2")
        };
        let made = product::insert(&pool, &whole).await.unwrap();
        let expected = Product {
            id: "11111111-2222-4333-8444-555555555555".to_owned(),
            shop_id: shop.id,
            category_id: Some(None),
            sku: "2".to_owned(),
            title: whole.title,
            description: Some(Some("d".to_owned())),
            price_cents: whole.price_cents,
            weight: Some(0.1),
            status: ProductStatus::SoldOut,
            kind: ProductKind::Download,
            tags: whole.tags,
            size: whole.size,
            attributes: whole.attributes,
            r#type: Some("t".to_owned()),
            visible: false,
            listed_at: Some(moment),
            views: None,
            created_at: moment,
            updated_at: made.updated_at,
        };
        assert_eq!(made, expected);
    });
}

#[test]
fn updates_only_the_given_columns() {
    run(async |pool| {
        let shop = a_shop(&pool, "updates").await;
        let whole = NewProduct {
            description: Some("d".to_owned()),
            weight: Some(2.5),
            size: Some(ProductSize {
                width: 1.0,
                height: 1.0,
            }),
            ..a_product(&shop, "1")
        };
        let made = product::insert(&pool, &whole).await.unwrap();

        let same = product::update(&pool, &made.id, &ProductChanges::default()).await;
        let same = same.unwrap().unwrap();
        assert!(same.updated_at >= made.updated_at);
        let expected = Product {
            updated_at: same.updated_at,
            ..made.clone()
        };
        assert_eq!(same, expected);

        let changes = ProductChanges {
            title: Some("new".to_owned()),
            description: Some(None),
            weight: Some(None),
            size: Some(None),
            r#type: Some(Some("t".to_owned())),
            kind: Some(ProductKind::Thing),
            tags: Some(Vec::new()),
            ..ProductChanges::default()
        };
        let changed = product::update(&pool, &made.id, &changes).await.unwrap().unwrap();
        let expected = Product {
            title: "new".to_owned(),
            description: Some(None),
            weight: None,
            size: None,
            r#type: Some("t".to_owned()),
            kind: ProductKind::Thing,
            tags: Vec::new(),
            updated_at: changed.updated_at,
            ..same
        };
        assert_eq!(changed, expected);

        let contact = ShopChanges {
            contact: Some(Some("ada@example.org".to_owned())),
            ..ShopChanges::default()
        };
        let changed = shops::update(&pool, &shop.id, &contact).await.unwrap().unwrap();
        assert_eq!(changed.contact.as_deref(), Some("ada@example.org"));
        assert_eq!(changed.name, shop.name);
    });
}

#[test]
fn finds_no_row_for_keys_without_a_row() {
    run(async |pool| {
        for id in [NOBODY, "", "no uuid", "11111111222243338444555555555555"] {
            assert_eq!(product::get(&pool, id).await.unwrap(), None, "{id}");
            let changed = product::update(&pool, id, &ProductChanges::default()).await;
            assert_eq!(changed.unwrap(), None, "{id}");
            assert!(!product::delete(&pool, id).await.unwrap(), "{id}");
            assert_eq!(shops::get(&pool, id).await.unwrap(), None, "{id}");
            assert!(!shops::delete(&pool, id).await.unwrap(), "{id}");
            assert_eq!(stock::get(&pool, id, "de").await.unwrap(), None, "{id}");
            assert!(!stock::delete(&pool, id, "de").await.unwrap(), "{id}");
        }
        for id in [i64::MIN, -1, i64::MAX] {
            assert_eq!(category::get(&pool, id).await.unwrap(), None, "{id}");
        }
        assert_eq!(country::get(&pool, "no country").await.unwrap(), None);
    });
}

#[test]
fn orders_and_filters_lists() {
    run(async |pool| {
        let shop = a_shop(&pool, "lists").await;
        let mut made = Vec::new();
        for number in 0..5 {
            let new = NewProduct {
                visible: Some(number % 2 == 0),
                kind: if number == 0 {
                    ProductKind::Service
                } else {
                    ProductKind::Thing
                },
                created_at: Some(Timestamp::from_unix_millis(number / 2).unwrap()),
                ..a_product(&shop, &number.to_string())
            };
            made.push(product::insert(&pool, &new).await.unwrap());
        }
        made.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        let own = ProductFilter {
            shop_id: Some(shop.id.clone()),
            ..ProductFilter::default()
        };
        assert_eq!(product::count(&pool, &own).await.unwrap(), 5);
        assert_eq!(product::list(&pool, &own, 100, 0).await.unwrap(), made);
        assert_eq!(product::list(&pool, &own, 2, 3).await.unwrap(), made[3..]);
        assert_eq!(product::list(&pool, &own, 2, 5).await.unwrap(), []);
        let mut connection = pool.acquire().await.unwrap();
        let page = product::list_with_total(&mut connection, &own, 2, 3).await;
        assert_eq!(page.unwrap(), (made[3..].to_vec(), 5));
        let page = product::list_with_total(&mut connection, &own, 2, 5).await;
        assert_eq!(page.unwrap(), (Vec::new(), 5));
        for misfit in [
            ProductFilter {
                shop_id: Some("no uuid".to_owned()),
                ..ProductFilter::default()
            },
            ProductFilter {
                views: Some("9223372036854775808".parse().unwrap()),
                ..ProductFilter::default()
            },
        ] {
            assert_eq!(product::count(&pool, &misfit).await.unwrap(), 0);
            assert_eq!(product::list(&pool, &misfit, 100, 0).await.unwrap(), []);
            let page = product::list_with_total(&mut connection, &misfit, 100, 0).await;
            assert_eq!(page.unwrap(), (Vec::new(), 0));
        }
        let visible = ProductFilter {
            visible: Some(true),
            kind: Some(ProductKind::Thing),
            ..own
        };
        assert_eq!(product::count(&pool, &visible).await.unwrap(), 2);
        assert!(product::count(&pool, &ProductFilter::default()).await.unwrap() >= 5);
        let (rows, total) = shops::list_with_total(&mut connection, i64::MAX, 0).await.unwrap();
        assert_eq!(i64::try_from(rows.len()).unwrap(), total);
        assert_eq!(
            shops::count(&pool).await.unwrap(),
            i64::try_from(shops::list(&pool, i64::MAX, 0).await.unwrap().len()).unwrap()
        );
    });
}

#[test]
fn finds_rows_by_keys_of_every_kind() {
    run(async |pool| {
        let parent = NewCategory {
            name: "keys".to_owned(),
            parent_id: None,
        };
        let parent = category::insert(&pool, &parent).await.unwrap();
        let child = NewCategory {
            name: "keys below".to_owned(),
            parent_id: Some(parent.id),
        };
        let child = category::insert(&pool, &child).await.unwrap();
        assert!(child.id > parent.id);
        let renamed = category::CategoryChanges {
            name: Some("keys of all kinds".to_owned()),
            ..category::CategoryChanges::default()
        };
        let renamed = category::update(&pool, parent.id, &renamed)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(renamed.name, "keys of all kinds");
        assert!(category::delete(&pool, parent.id).await.unwrap());
        // The reference declares `set null`.
        let orphan = category::get(&pool, child.id).await.unwrap().unwrap();
        assert_eq!(orphan.parent_id, None);
        assert!(category::count(&pool).await.unwrap() >= 1);
        assert!(category::list(&pool, 10, 0).await.unwrap().contains(&orphan));

        let new = NewCountry {
            code: "de".to_owned(),
            name: "Germany".to_owned(),
            vat: None,
        };
        let germany = country::insert(&pool, &new).await.unwrap();
        assert_eq!(germany.vat, 20);
        let vat = CountryChanges {
            vat: Some(19),
            ..CountryChanges::default()
        };
        let germany = country::update(&pool, "de", &vat).await.unwrap().unwrap();
        assert_eq!(germany.vat, 19);
        assert_eq!(country::list(&pool, 10, 0).await.unwrap(), [germany]);
        assert_eq!(country::count(&pool).await.unwrap(), 1);

        let shop = a_shop(&pool, "keys").await;
        let item = product::insert(&pool, &a_product(&shop, "1")).await.unwrap();
        let new = NewStock {
            product_id: item.id.clone(),
            country_code: "de".to_owned(),
            amount: None,
        };
        let counted = stock::insert(&pool, &new).await.unwrap();
        assert_eq!(counted.amount, 0);
        let more = StockChanges { amount: Some(7) };
        let changed = stock::update(&pool, &item.id, "de", &more)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(changed.amount, 7);
        assert!(changed.counted_at >= counted.counted_at);
        assert_eq!(
            stock::get(&pool, &item.id, "de").await.unwrap(),
            Some(changed.clone())
        );
        assert_eq!(stock::list(&pool, 10, 0).await.unwrap(), [changed]);
        assert_eq!(stock::count(&pool).await.unwrap(), 1);

        let in_use = country::delete(&pool, "de").await.unwrap_err();
        assert_eq!(
            kit_runtime::sql::violated_constraint(&in_use),
            Some(stock::COUNTRY_CODE_REFERENCE)
        );
        assert!(stock::delete(&pool, &item.id, "de").await.unwrap());
        assert!(!stock::delete(&pool, &item.id, "de").await.unwrap());
        assert!(country::delete(&pool, "de").await.unwrap());
        assert!(product::delete(&pool, &item.id).await.unwrap());
        assert!(shops::delete(&pool, &shop.id).await.unwrap());
    });
}

#[test]
fn reads_rows_by_unique_columns_and_by_references() {
    run(async |pool| {
        let shop = a_shop(&pool, "finders").await;
        assert_eq!(
            shops::get_by_slug(&pool, "finders").await.unwrap().unwrap().id,
            shop.id
        );
        assert_eq!(shops::get_by_slug(&pool, "no-finders").await.unwrap(), None);
        let again = NewShop {
            id: None,
            name: "Other".to_owned(),
            slug: "finders".to_owned(),
            contact: None,
            opened_at: None,
        };
        assert_eq!(shops::insert_if_absent(&pool, &again).await.unwrap(), None);

        let new = NewCategory {
            name: "finders".to_owned(),
            parent_id: None,
        };
        let parent = category::insert_if_absent(&pool, &new).await.unwrap().unwrap();
        assert_eq!(category::insert_if_absent(&pool, &new).await.unwrap(), None);
        let child = NewCategory {
            name: "finders below".to_owned(),
            parent_id: Some(parent.id),
        };
        let child = category::insert(&pool, &child).await.unwrap();
        let found = category::get_by_name(&pool, "finders below").await.unwrap();
        assert_eq!(found.as_ref(), Some(&child));
        let below = category::list_by_parent_id(&pool, parent.id, 10, 0)
            .await
            .unwrap();
        assert_eq!(below, [child]);

        let mut made = Vec::new();
        for sku in ["1", "2", "3"] {
            let new = NewProduct {
                category_id: Some(parent.id),
                ..a_product(&shop, sku)
            };
            made.extend(product::insert_if_absent(&pool, &new).await.unwrap());
        }
        let again = product::insert_if_absent(&pool, &a_product(&shop, "2")).await;
        assert_eq!(again.unwrap(), None);
        let second = product::get_by_shop_id_and_sku(&pool, &shop.id, "2")
            .await
            .unwrap();
        assert_eq!(second.as_ref(), Some(&made[1]));
        assert_eq!(
            product::get_by_shop_id_and_sku(&pool, "no uuid", "2")
                .await
                .unwrap(),
            None
        );
        made.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        assert_eq!(
            product::list_by_shop_id(&pool, &shop.id, 2, 1).await.unwrap(),
            made[1..]
        );
        let of_category = product::list_by_category_id(&pool, parent.id, 10, 0).await;
        assert_eq!(of_category.unwrap(), made);
        assert_eq!(
            product::list_by_shop_id(&pool, "no uuid", 10, 0).await.unwrap(),
            []
        );

        let country = NewCountry {
            code: "fr".to_owned(),
            name: "France".to_owned(),
            vat: None,
        };
        assert!(
            country::insert_if_absent(&pool, &country)
                .await
                .unwrap()
                .is_some()
        );
        assert_eq!(country::insert_if_absent(&pool, &country).await.unwrap(), None);
        let new = NewStock {
            product_id: made[0].id.clone(),
            country_code: "fr".to_owned(),
            amount: None,
        };
        let stored = stock::insert_if_absent(&pool, &new).await.unwrap().unwrap();
        let of_product = stock::list_by_product_id(&pool, &made[0].id, 10, 0).await;
        assert_eq!(of_product.unwrap(), [stored.clone()]);
        let of_country = stock::list_by_country_code(&pool, "fr", 10, 0).await;
        assert_eq!(of_country.unwrap(), [stored]);
        // Other tests count the rows of these tables.
        assert!(shops::delete(&pool, &shop.id).await.is_ok());
        assert!(country::delete(&pool, "fr").await.unwrap());
    });
}

#[test]
fn names_the_violated_constraint() {
    run(async |pool| {
        let shop = a_shop(&pool, "constraints").await;
        let broken = |error: sqlx::Error| kit_runtime::sql::violated_constraint(&error).map(str::to_owned);
        let new = NewShop {
            id: None,
            name: "Another".to_owned(),
            slug: "constraints".to_owned(),
            contact: None,
            opened_at: None,
        };
        let error = shops::insert(&pool, &new).await.unwrap_err();
        assert_eq!(broken(error).as_deref(), Some(shops::SLUG_UNIQUE));
        product::insert(&pool, &a_product(&shop, "1")).await.unwrap();
        let error = product::insert(&pool, &a_product(&shop, "1")).await.unwrap_err();
        assert_eq!(broken(error).as_deref(), Some(product::SHOP_ID_SKU_UNIQUE));
        let nowhere = NewProduct {
            shop_id: NOBODY.to_owned(),
            ..a_product(&shop, "2")
        };
        let error = product::insert(&pool, &nowhere).await.unwrap_err();
        assert_eq!(broken(error).as_deref(), Some(product::SHOP_ID_REFERENCE));
        let lost = NewProduct {
            category_id: Some(-1),
            ..a_product(&shop, "3")
        };
        let error = product::insert(&pool, &lost).await.unwrap_err();
        assert_eq!(broken(error).as_deref(), Some(product::CATEGORY_ID_REFERENCE));
    });
}
