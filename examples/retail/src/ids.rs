//! The shop's identifiers: one type each, so that an order's id cannot be used in place of a customer's.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! identifier {
    ($(#[$attribute:meta])* $name:ident) => {
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        $(#[$attribute])*
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Creates an identifier from a string.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The identifier as a string.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

identifier! {
    /// An order: `#W` and seven digits.
    OrderId
}

identifier! {
    /// A customer: first name, last name and four digits, joined with `_`.
    UserId
}

identifier! {
    /// A kind of product, such as "Desk Lamp": ten digits.
    ProductId
}

identifier! {
    /// One variant of a product, such as the black desk lamp with a clamp: ten digits.
    //
    // The pattern is here and not on the arguments, because arguments hold lists of items.
    #[schemars(extend("pattern" = r"^\d{10}$"))]
    ItemId
}

identifier! {
    /// A customer's way to pay: its kind and seven digits.
    PaymentMethodId
}
