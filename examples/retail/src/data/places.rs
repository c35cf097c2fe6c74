//! Invented addresses in real cities.

use super::random::Random;
use crate::model::{Address, Country};

/// A city, its state and the first three digits of its ZIP codes.
const CITIES: &[(&str, &str, &str)] = &[
    ("Albuquerque", "NM", "871"),
    ("Atlanta", "GA", "303"),
    ("Austin", "TX", "787"),
    ("Boise", "ID", "837"),
    ("Boston", "MA", "021"),
    ("Charlotte", "NC", "282"),
    ("Chicago", "IL", "606"),
    ("Columbus", "OH", "432"),
    ("Denver", "CO", "802"),
    ("Des Moines", "IA", "503"),
    ("Detroit", "MI", "482"),
    ("Honolulu", "HI", "968"),
    ("Houston", "TX", "770"),
    ("Las Vegas", "NV", "891"),
    ("Louisville", "KY", "402"),
    ("Miami", "FL", "331"),
    ("Minneapolis", "MN", "554"),
    ("Nashville", "TN", "372"),
    ("New Orleans", "LA", "701"),
    ("Omaha", "NE", "681"),
    ("Philadelphia", "PA", "191"),
    ("Phoenix", "AZ", "850"),
    ("Portland", "OR", "972"),
    ("Raleigh", "NC", "276"),
    ("Richmond", "VA", "232"),
    ("Sacramento", "CA", "958"),
    ("Salt Lake City", "UT", "841"),
    ("Seattle", "WA", "981"),
    ("Tucson", "AZ", "857"),
    ("Tulsa", "OK", "741"),
];

const STREETS: &[&str] = &[
    "Alder Street",
    "Birch Lane",
    "Canal Street",
    "Cedar Avenue",
    "Chestnut Street",
    "Church Street",
    "Elm Street",
    "Garden Road",
    "Harbor Drive",
    "Highland Avenue",
    "Hillcrest Road",
    "Juniper Way",
    "Lakeview Drive",
    "Laurel Avenue",
    "Maple Drive",
    "Market Street",
    "Meadow Lane",
    "Mill Road",
    "Oak Avenue",
    "Orchard Street",
    "Park Avenue",
    "Pine Lane",
    "River Road",
    "Spring Street",
    "Sunset Boulevard",
    "Union Street",
    "Walnut Street",
    "Willow Court",
];

/// An address.
pub(super) fn address(random: &mut Random) -> Address {
    let (city, state, zip) = random.pick(CITIES);
    let address2 = if random.chance(40) { format!("Apt {}", random.number(1..=60)) } else { String::new() };
    Address {
        address1: format!("{} {}", random.number(1..=999), random.pick(STREETS)),
        address2,
        city: (*city).to_owned(),
        state: (*state).to_owned(),
        country: Country::UnitedStates,
        zip: format!("{zip}{:02}", random.number(1..=99)),
    }
}
