//! The tools as a client sees them.

use std::collections::BTreeSet;

use retail::ids::{OrderId, ProductId, UserId};
use retail::model::{Order, OrderStatus, User};
use retail::store::Store;
use retail::{RetailTools, server};
use serde_json::{Value, json};
use toolwright::{Client, ToolResult, Toolset, definition::ToolDefinition};

use crate::support::{find_order, find_variant, gift_card, is_gift_card, paid_with};

const TOOLS: [&str; 15] = [
    "calculate",
    "cancel_pending_order",
    "exchange_delivered_order_items",
    "find_user_id_by_email",
    "find_user_id_by_name_zip",
    "get_order_details",
    "get_product_details",
    "get_user_details",
    "list_all_product_types",
    "modify_pending_order_address",
    "modify_pending_order_items",
    "modify_pending_order_payment",
    "modify_user_address",
    "return_delivered_order_items",
    "transfer_to_human_agents",
];

fn client() -> Client {
    Client::in_process(&server().build().expect("sound tools"))
}

fn definition(name: &str) -> ToolDefinition {
    RetailTools::definitions().into_iter().find(|tool| tool.name == name).expect("a known tool")
}

fn annotation(tool: &ToolDefinition, hint: &str) -> Value {
    let tool = serde_json::to_value(tool).expect("definitions are plain data");
    tool["annotations"][hint].clone()
}

async fn call(client: &Client, name: &str, arguments: Value) -> ToolResult {
    client.call(name, arguments).await.unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn data(result: &ToolResult) -> Value {
    assert!(!result.is_error, "{}", result.as_text());
    result.structured_content.as_ref().expect("structured content").to_value()
}

#[test]
fn the_server_offers_15_tools() {
    let names: Vec<String> = RetailTools::definitions().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, TOOLS);
}

#[tokio::test]
async fn a_second_cancel_of_an_order_is_refused() {
    let client = client();
    let (order, _) = find_order(&Store::default(), OrderStatus::Pending, |_, _| true);
    let cancel = json!({ "order_id": order.order_id, "reason": "no longer needed" });

    let cancelled = call(&client, "cancel_pending_order", cancel.clone()).await;
    assert_eq!(data(&cancelled)["status"], "cancelled");

    let read_back = call(&client, "get_order_details", json!({ "order_id": order.order_id })).await;
    assert_eq!(data(&read_back)["status"], "cancelled");
    assert_eq!(data(&read_back)["cancel_reason"], "no longer needed");

    let again = call(&client, "cancel_pending_order", cancel).await;
    assert!(again.is_error);
    assert_eq!(
        again.as_text(),
        format!("order {} is cancelled; only a pending order can be modified or cancelled", order.order_id)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clients_share_the_shop_and_one_of_many_cancels_wins() {
    let service = server().build().unwrap();
    let mut cancels = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let client = Client::in_process(&service);
        cancels.spawn(async move {
            let cancel = json!({ "order_id": "#W0000001", "reason": "no longer needed" });
            call(&client, "cancel_pending_order", cancel).await
        });
    }
    let results = cancels.join_all().await;
    assert_eq!(results.iter().filter(|result| !result.is_error).count(), 1);

    let client = Client::in_process(&service);
    let order = data(&call(&client, "get_order_details", json!({ "order_id": "#W0000001" })).await);
    let refunds = order["payments"].as_array().unwrap().iter().filter(|payment| payment["kind"] == "refund");
    assert_eq!(refunds.count(), 1);
}

#[tokio::test]
async fn former_names_still_work() {
    let cancel = json!({ "order_id": "#W0000001", "reason": "no longer needed" });
    let result = call(&client(), "cancel_order", cancel).await;
    assert_eq!(data(&result)["status"], "cancelled");
}

/// One successful call of each tool; they do not interfere with each other.
fn good_calls(store: &Store) -> Vec<(&'static str, Value)> {
    let address = json!({ "address1": "1 Harbor Drive", "city": "Portland", "state": "OR", "zip": "97209" });
    let with = |mut object: Value, key: &str, value: Value| {
        object[key] = value;
        object
    };
    let user = store.users().next().expect("there are customers");
    let product = store.products().next().expect("there are products");

    let (to_cancel, _) = find_order(store, OrderStatus::Pending, |_, _| true);
    let is_free = |order: &Order| order.order_id != to_cancel.order_id;
    let without_gift_card = |user: &User| !user.payment_methods.iter().any(is_gift_card);
    let (to_modify, buyer) = find_order(store, OrderStatus::Pending, |order, user| {
        is_free(order)
            && without_gift_card(user)
            && user.payment_methods.len() > 1
            && find_variant(store, &order.items[0], |_| true).is_some()
    });
    let other_method = buyer.payment_methods.iter().find(|method| *method.id() != paid_with(&to_modify));
    let (to_return, returner) =
        find_order(store, OrderStatus::Delivered, |_, user| gift_card(user).is_some());
    let (to_exchange, _) = find_order(store, OrderStatus::Delivered, |order, user| {
        order.order_id != to_return.order_id && without_gift_card(user)
    });
    let swap = |order: &Order| {
        let new = find_variant(store, &order.items[0], |_| true).expect("another variant");
        json!({
            "order_id": order.order_id,
            "replacements": [{ "item_id": order.items[0].item_id, "new_item_id": new.item_id }],
            "payment_method_id": paid_with(order),
        })
    };

    vec![
        ("calculate", json!({ "expression": "(19.99 + 5.01) * 3" })),
        ("cancel_pending_order", json!({ "order_id": to_cancel.order_id, "reason": "ordered by mistake" })),
        ("exchange_delivered_order_items", swap(&to_exchange)),
        ("find_user_id_by_email", json!({ "email": user.email })),
        (
            "find_user_id_by_name_zip",
            json!({ "first_name": user.name.first, "last_name": user.name.last, "zip": user.address.zip }),
        ),
        ("get_order_details", json!({ "order_id": "#W0000001" })),
        ("get_product_details", json!({ "product_id": product.product_id })),
        ("get_user_details", json!({ "user_id": user.user_id })),
        ("list_all_product_types", json!({})),
        ("modify_pending_order_address", with(address.clone(), "order_id", json!(to_modify.order_id))),
        ("modify_pending_order_items", swap(&to_modify)),
        (
            "modify_pending_order_payment",
            json!({ "order_id": to_modify.order_id, "payment_method_id": other_method.expect("two methods").id() }),
        ),
        ("modify_user_address", with(address, "user_id", json!(user.user_id))),
        (
            "return_delivered_order_items",
            json!({
                "order_id": to_return.order_id,
                "item_ids": [to_return.items[0].item_id],
                "payment_method_id": gift_card(&returner).expect("a gift card").0,
            }),
        ),
        ("transfer_to_human_agents", json!({ "summary": "The customer wants to speak to a person." })),
    ]
}

#[tokio::test]
async fn results_match_the_output_schema_of_each_tool() {
    let client = client();
    let calls = good_calls(&Store::default());
    assert_eq!(calls.iter().map(|(name, _)| *name).collect::<Vec<_>>(), TOOLS);

    for (name, arguments) in calls {
        let definition = definition(name);
        let accepted = jsonschema::validate(&definition.input_schema, &arguments);
        assert!(accepted.is_ok(), "{name}: {accepted:?}");

        let result = call(&client, name, arguments).await;
        assert!(!result.is_error, "{name}: {}", result.as_text());
        let Some(schema) = &definition.output_schema else {
            assert_eq!(result.structured_content, None, "{name}");
            continue;
        };
        let fits = jsonschema::validate(schema, &data(&result)).map_err(|error| error.to_string());
        assert_eq!(fits, Ok(()), "{name}");
    }
}

#[tokio::test]
async fn text_tools_answer_in_plain_text() {
    let client = client();
    let sum = call(&client, "calculate", json!({ "expression": "(19.99 + 5.01) * 3" })).await;
    assert_eq!(sum.as_text(), "75.00");
    let transfer = call(&client, "transfer_to_human_agents", json!({ "summary": "Help" })).await;
    assert_eq!(transfer.as_text(), "transferred: the customer is number 1 in the line for a person");
}

/// One call of each tool with valid arguments that the shop refuses, and the message of the refusal.
fn refused_calls(store: &Store) -> Vec<(&'static str, Value, &'static str)> {
    let (shipped, _) = find_order(store, OrderStatus::Shipped, |_, _| true);
    let id = &shipped.order_id;
    let method = paid_with(&shipped);
    let replacements = json!([{ "item_id": "0000000000", "new_item_id": "0000000001" }]);
    let not_pending = "is shipped; only a pending order can be modified or cancelled";
    let not_delivered = "is shipped; only a delivered order can be returned or exchanged";
    vec![
        ("calculate", json!({ "expression": "1 / 0" }), "division by zero"),
        ("cancel_pending_order", json!({ "order_id": id, "reason": "no longer needed" }), not_pending),
        (
            "exchange_delivered_order_items",
            json!({ "order_id": id, "replacements": replacements, "payment_method_id": method }),
            not_delivered,
        ),
        ("find_user_id_by_email", json!({ "email": "nobody@example.com" }), "use find_user_id_by_name_zip"),
        (
            "find_user_id_by_name_zip",
            json!({ "first_name": "No", "last_name": "Body", "zip": "00000" }),
            "use find_user_id_by_email",
        ),
        ("get_order_details", json!({ "order_id": "#W0000000" }), "no order has the id #W0000000"),
        ("get_product_details", json!({ "product_id": "0000000000" }), "list_all_product_types"),
        ("get_user_details", json!({ "user_id": "no_body_0000" }), "no customer has the id no_body_0000"),
        (
            "modify_pending_order_address",
            json!({ "order_id": id, "address1": "1 A St", "city": "B", "state": "OR", "zip": "97209" }),
            not_pending,
        ),
        (
            "modify_pending_order_items",
            json!({ "order_id": id, "replacements": replacements, "payment_method_id": method }),
            not_pending,
        ),
        ("modify_pending_order_payment", json!({ "order_id": id, "payment_method_id": method }), not_pending),
        (
            "modify_user_address",
            json!({ "user_id": "no_body_0000", "address1": "1 A St", "city": "B", "state": "OR", "zip": "97209" }),
            "no customer has the id",
        ),
        (
            "return_delivered_order_items",
            json!({ "order_id": id, "item_ids": ["0000000000"], "payment_method_id": method }),
            not_delivered,
        ),
    ]
}

#[tokio::test]
async fn business_refusals_are_tool_errors() {
    let client = client();
    for (name, arguments, expected) in refused_calls(&Store::default()) {
        let result = call(&client, name, arguments).await;
        assert!(result.is_error, "{name}: {}", result.as_text());
        assert!(result.as_text().contains(expected), "{name}: {}", result.as_text());
    }
}

#[tokio::test]
async fn invalid_arguments_are_tool_errors_that_name_them() {
    let address = json!({ "address1": "1 A St", "city": "B", "state": "Oregon", "zip": "9720" });
    let with = |key: &str, value: &str| {
        let mut arguments = address.clone();
        arguments[key] = json!(value);
        arguments
    };
    let order = "#W0000001";
    let method = "paypal_0000001";
    let cases = [
        ("calculate", json!({ "expression": "" }), vec!["expression"]),
        ("cancel_pending_order", json!({}), vec!["order_id", "reason"]),
        (
            "cancel_pending_order",
            json!({ "order_id": "W1", "reason": "too late" }),
            vec!["order_id", "reason", "ordered by mistake"],
        ),
        (
            "exchange_delivered_order_items",
            json!({ "order_id": order, "replacements": [], "payment_method_id": method }),
            vec!["replacements"],
        ),
        ("find_user_id_by_email", json!({ "email": "nobody" }), vec!["email"]),
        (
            "find_user_id_by_name_zip",
            json!({ "first_name": "A", "last_name": "B", "zip": "123456" }),
            vec!["zip"],
        ),
        ("get_order_details", json!({ "order_id": "#W123" }), vec!["order_id"]),
        ("get_order_details", json!({ "order": order }), vec!["order_id"]),
        ("get_product_details", json!({ "product_id": 1_000_000_001 }), vec!["product_id"]),
        ("get_user_details", json!({ "user_id": "Milo Kim" }), vec!["user_id"]),
        ("list_all_product_types", json!({ "category": "shoes" }), vec!["category"]),
        ("modify_pending_order_address", with("order_id", order), vec!["state", "zip"]),
        (
            "modify_pending_order_items",
            json!({
                "order_id": order,
                "replacements": [{ "item_id": "2000000001", "new_item_id": "T-Shirt" }],
                "payment_method_id": method,
            }),
            vec!["replacements/0/new_item_id"],
        ),
        (
            "modify_pending_order_payment",
            json!({ "order_id": order, "payment_method_id": "cash" }),
            vec!["payment_method_id"],
        ),
        ("modify_user_address", with("user_id", "milo_kim_0001"), vec!["state", "zip"]),
        (
            "return_delivered_order_items",
            json!({ "order_id": order, "item_ids": ["1"], "payment_method_id": method }),
            vec!["item_ids/0"],
        ),
        ("transfer_to_human_agents", json!({ "summary": "" }), vec!["summary"]),
    ];
    let called: BTreeSet<&str> = cases.iter().map(|(name, ..)| *name).collect();
    assert_eq!(called, BTreeSet::from(TOOLS));

    let client = client();
    for (name, arguments, named) in cases {
        let result = call(&client, name, arguments).await;
        assert!(result.is_error, "{name}: {}", result.as_text());
        for text in named {
            assert!(result.as_text().contains(text), "{name} should name {text}: {}", result.as_text());
        }
    }
}

#[test]
fn every_tool_is_described_for_people_and_models() {
    for tool in RetailTools::definitions() {
        let name = &tool.name;
        assert!(tool.title.is_some(), "{name}");
        assert!(tool.description.as_ref().is_some_and(|text| text.len() > 60), "{name}");
        let said = |hint| annotation(&tool, hint).is_boolean();
        let read_only = annotation(&tool, "readOnlyHint") == true;
        assert!(read_only || said("destructiveHint"), "{name}");
        assert!(said("idempotentHint") && said("openWorldHint"), "{name}");

        let properties = tool.input_schema["properties"].as_object().expect("properties");
        for (property, schema) in properties {
            assert!(schema["description"].is_string(), "{name}: {property}");
        }
    }
}

#[test]
fn hints_tell_reading_tools_from_changing_ones() {
    let with_hint = |hint: &str| -> Vec<String> {
        let tools = RetailTools::definitions().into_iter();
        tools.filter(|tool| annotation(tool, hint) == true).map(|tool| tool.name).collect()
    };
    let (changing, reading): (Vec<&str>, Vec<&str>) = TOOLS.iter().partition(|name| {
        ["cancel", "exchange", "modify", "return", "transfer"].iter().any(|verb| name.starts_with(verb))
    });
    assert_eq!(with_hint("readOnlyHint"), reading);
    assert_eq!(with_hint("destructiveHint"), changing[..changing.len() - 1]);
    assert_eq!(with_hint("openWorldHint"), ["transfer_to_human_agents"]);
}

#[test]
fn examples_are_from_the_shop() {
    let store = Store::default();
    let examples = |wanted: &'static str| {
        RetailTools::definitions().into_iter().filter_map(move |tool| {
            let property = tool.input_schema["properties"].get(wanted)?.clone();
            let example = property["examples"][0].as_str();
            Some(example.unwrap_or_else(|| panic!("{} has no example of {wanted}", tool.name)).to_owned())
        })
    };
    for id in examples("order_id") {
        assert!(store.order(&OrderId::new(&id)).is_ok(), "{id}");
    }
    for id in examples("user_id") {
        assert!(store.user(&UserId::new(&id)).is_ok(), "{id}");
    }
    for id in examples("product_id") {
        assert!(store.product(&ProductId::new(&id)).is_ok(), "{id}");
    }
    for email in examples("email") {
        assert!(store.find_user_by_email(&email).is_ok(), "{email}");
    }
}

#[test]
fn schemas_are_typed() {
    let schema = |tool: &str, pointer: &str| definition(tool).input_schema.pointer(pointer).cloned();
    assert_eq!(schema("get_order_details", "/properties/order_id/pattern"), Some(json!(r"^#W\d{7}$")));
    assert_eq!(
        schema("cancel_pending_order", "/properties/reason/enum"),
        Some(json!(["no longer needed", "ordered by mistake"]))
    );
    assert_eq!(schema("cancel_pending_order", "/required"), Some(json!(["order_id", "reason"])));
    assert_eq!(schema("list_all_product_types", "/properties"), Some(json!({})));
    assert_eq!(
        schema("return_delivered_order_items", "/properties/item_ids/items/pattern"),
        Some(json!(r"^\d{10}$"))
    );
    assert_eq!(
        schema("modify_pending_order_address", "/required"),
        Some(json!(["order_id", "address1", "city", "state", "zip"]))
    );
    assert_eq!(schema("modify_pending_order_address", "/properties/zip/pattern"), Some(json!(r"^\d{5}$")));
}
