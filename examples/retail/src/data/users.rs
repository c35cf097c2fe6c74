//! Invented customers.

use super::random::Random;
use super::{USERS, places};
use crate::ids::{PaymentMethodId, UserId};
use crate::model::{CardBrand, Name, PaymentMethod, User};
use crate::money::Money;

const FIRST_NAMES: &[&str] = &[
    "Ada", "Amir", "Ana", "Aya", "Ben", "Bianca", "Carlos", "Chloe", "Dana", "Diego", "Elena", "Emil",
    "Farah", "Felix", "Grace", "Hana", "Hugo", "Ines", "Ivan", "Jade", "Jonas", "Kai", "Karin", "Leila",
    "Liam", "Lucia", "Malik", "Maya", "Milo", "Nadia", "Noah", "Nora", "Omar", "Paula", "Priya", "Quinn",
    "Rosa", "Ruben", "Sara", "Simon", "Tara", "Theo", "Uma", "Vera", "Victor", "Wei", "Yara", "Zoe",
];

const LAST_NAMES: &[&str] = &[
    "Abbott", "Almeida", "Baker", "Banerjee", "Becker", "Campos", "Carter", "Chen", "Costa", "Dubois",
    "Eriksen", "Fischer", "Flores", "Garcia", "Haddad", "Hughes", "Ibrahim", "Ito", "Jensen", "Kaur", "Kim",
    "Kowalski", "Larsen", "Lopez", "Martin", "Mendes", "Moreau", "Nakamura", "Nguyen", "Novak", "Okafor",
    "Olsen", "Park", "Patel", "Petrov", "Quiroga", "Reyes", "Rossi", "Santos", "Schmidt", "Silva", "Singh",
    "Tanaka", "Torres", "Vargas", "Weber", "Wong", "Young",
];

/// All customers, without orders.
pub(super) fn generate(random: &mut Random) -> Vec<User> {
    (1..=USERS).map(|number| user(random, number)).collect()
}

fn user(random: &mut Random, number: usize) -> User {
    let first = *random.pick(FIRST_NAMES);
    let last = *random.pick(LAST_NAMES);
    // The number keeps ids and addresses apart where two customers have the same name.
    let id = format!("{}_{}_{number:04}", first.to_lowercase(), last.to_lowercase());
    User {
        email: format!("{}.{}{number}@example.com", first.to_lowercase(), last.to_lowercase()),
        user_id: UserId::new(id),
        name: Name { first: first.to_owned(), last: last.to_owned() },
        address: places::address(random),
        payment_methods: payment_methods(random, number),
        orders: Vec::new(),
    }
}

/// One to three methods of different kinds.
fn payment_methods(random: &mut Random, number: usize) -> Vec<PaymentMethod> {
    let mut methods = vec![credit_card(random, number), gift_card(random, number), paypal(number)];
    random.shuffle(&mut methods);
    methods.truncate(random.index(3) + 1);
    methods
}

fn credit_card(random: &mut Random, number: usize) -> PaymentMethod {
    PaymentMethod::CreditCard {
        payment_method_id: PaymentMethodId::new(format!("credit_card_{number:07}")),
        brand: *random.pick(&[CardBrand::Visa, CardBrand::Mastercard, CardBrand::Amex]),
        last_four: format!("{:04}", random.number(0..=9_999)),
    }
}

fn gift_card(random: &mut Random, number: usize) -> PaymentMethod {
    PaymentMethod::GiftCard {
        payment_method_id: PaymentMethodId::new(format!("gift_card_{number:07}")),
        balance: Money::from_cents(random.number(0..=60_000).into()),
    }
}

fn paypal(number: usize) -> PaymentMethod {
    PaymentMethod::Paypal { payment_method_id: PaymentMethodId::new(format!("paypal_{number:07}")) }
}
