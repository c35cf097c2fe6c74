use proptest::prelude::*;

use super::*;
use crate::schema::Profile;

fn table(servers: &[(&str, &[&str])]) -> PublicNames {
    let names: Vec<_> =
        servers.iter().map(|(server, tools)| Names { server, tools, prefixed: true }).collect();
    PublicNames::new(&names, Profile::Portable).unwrap()
}

#[test]
fn names_of_tools_follow_the_protocol() {
    let long = "a".repeat(128);
    for good in ["a", "getUser", "DATA_EXPORT_v2", "admin.tools.list", "-", long.as_str()] {
        assert_eq!(check(good), Ok(()), "{good}");
    }
    let too_long = "a".repeat(129);
    let bad = [
        ("", NameError::Empty),
        (too_long.as_str(), NameError::Long { length: 129 }),
        ("a b", NameError::Character { character: ' ', at: 1 }),
        ("a/b", NameError::Character { character: '/', at: 1 }),
        ("Ünï", NameError::Character { character: 'Ü', at: 0 }),
    ];
    for (name, error) in bad {
        assert_eq!(check(name), Err(error), "{name}");
    }
}

// As reported in oops-rs/mentra#29, everruns/everruns#3399, OpenBMB/PilotDeck#424.
#[test]
fn separator_inside_a_server_name() {
    for (server, error) in [
        ("a__b", ServerNameError::Separator("a__b".to_owned())),
        ("x_", ServerNameError::Edge("x_".to_owned())),
        ("_x", ServerNameError::Edge("_x".to_owned())),
        ("", ServerNameError::Empty),
    ] {
        assert_eq!(join(server, "c"), Err(error.clone()));
        let names = Names { server, tools: &["c"], prefixed: true };
        assert_eq!(PublicNames::new(&[names], Profile::Portable).unwrap_err(), error);
    }
    let table = table(&[("a", &["b__c"]), ("x", &["_y"])]);
    for (public, server, tool) in [("a__b__c", "a", "b__c"), ("x___y", "x", "_y")] {
        let found = table.find(public).unwrap();
        assert_eq!((found.server.as_str(), found.tool.as_str()), (server, tool));
        assert_eq!(split(public), Some((server, tool)));
    }
    for joined in ["plain", "__c", "_a__c", "a_b", ""] {
        assert_eq!(split(joined), None, "{joined}");
    }
}

// As reported in xorbitsai/xagent#1342, anomalyco/opencode#43684.
#[test]
fn cut_names_that_become_the_same() {
    let server = "enterprise-data-platform";
    let tools = [
        "search_customer_records_by_region_and_segment_for_reporting_v1",
        "search_customer_records_by_region_and_segment_for_reporting_v2",
    ];
    let table = table(&[(server, &tools)]);
    let public: Vec<_> = tools.iter().map(|tool| table.public(server, tool).unwrap()).collect();
    // Literal values: they must not change between restarts and versions.
    assert_eq!(
        public,
        [
            "enterprise-data-platform__search_customer_records_-ckmqzlvzqpiuj",
            "enterprise-data-platform__search_customer_records_-ckmqwlvzqphlq",
        ]
    );
    for (public, tool) in public.iter().zip(tools) {
        assert_eq!(public.len(), 64);
        assert_eq!(table.find(public).unwrap().tool, tool);
    }
    let exact = "x".repeat(64);
    assert_eq!(public_name(&exact, Profile::Portable), exact);
    assert_eq!(public_name(&"x".repeat(65), Profile::Portable).len(), 64);
    assert_eq!(public_name(&"x".repeat(128), Profile::Faithful), "x".repeat(128));
    assert_eq!(public_name(&"x".repeat(129), Profile::Faithful).len(), 128);
}

const NAM_03: [&str; 7] = [
    "admin.tools.list",
    "admin/tools/list",
    "admin tools list",
    "admin-tools-list",
    "admin:tools:list",
    "管理",
    "Ünï",
];

// As reported in openai/codex#8174, anthropics/claude-code#2257, microsoft/semantic-kernel#12879.
#[test]
fn and_h_4_3_dots_slashes_spaces_and_other_letters() {
    let table = table(&[("s", &NAM_03)]);
    assert_eq!(table.entries().len(), 7);
    assert_eq!(table.collisions(), []);
    for entry in table.entries() {
        assert!(is_portable(&entry.public), "{}", entry.public);
        assert_eq!(table.public(&entry.server, &entry.tool), Some(entry.public.as_str()));
        assert!(NAM_03.contains(&entry.tool.as_str()), "the original is kept: {}", entry.tool);
    }
    assert_eq!(table.public("s", "admin-tools-list"), Some("s__admin-tools-list"));
    for unchanged in ["admin.tools.list", "admin-tools-list"] {
        assert_eq!(public_name(unchanged, Profile::Faithful), unchanged);
    }
    for changed in ["admin/tools/list", "管理", ""] {
        assert_eq!(check(&public_name(changed, Profile::Faithful)), Ok(()), "{changed}");
        assert!(is_portable(&public_name(changed, Profile::Portable)), "{changed}");
    }
}

// As reported in Hmbown/Codewhale#5158.
#[test]
fn calling_under_the_changed_name() {
    let table = table(&[("fs", &["read.file"])]);
    let public = table.public("fs", "read.file").unwrap();
    assert!(public.starts_with("fs__read-file-"), "{public}");
    assert_eq!(table.find(public).unwrap().tool, "read.file");
    for other in ["fs__read.file", "read.file", "FS__read-file", "fs__read-file"] {
        assert_eq!(table.find(other), None, "{other}");
    }
}

// As reported in agentgateway/agentgateway#495.
#[test]
fn prefix_depends_on_nothing_else() {
    let gh = Names { server: "gh", tools: &["search"], prefixed: true };
    let jira = Names { server: "jira", ..gh };
    for servers in [&[gh][..], &[gh, jira], &[jira, gh], &[gh]] {
        let table = PublicNames::new(servers, Profile::Portable).unwrap();
        assert_eq!(table.public("gh", "search"), Some("gh__search"));
        assert_eq!(table.entries().len(), servers.len());
    }
}

// As reported in agentgateway/agentgateway#495.
#[test]
fn collisions_without_prefixes_are_resolved_and_reported() {
    let gh = Names { server: "gh", tools: &["search"], prefixed: false };
    let jira = Names { server: "jira", ..gh };
    for servers in [[gh, jira], [jira, gh]] {
        let table = PublicNames::new(&servers, Profile::Portable).unwrap();
        assert_eq!(table.public("gh", "search"), Some("search"));
        assert_eq!(table.public("jira", "search"), Some("jira__search"));
        let [collision] = table.collisions() else { panic!("one collision") };
        assert_eq!(
            collision.to_string(),
            r#"jira: the tool "search" cannot be "search", which is gh__search; it is listed as "jira__search""#
        );
    }
    // A name with a prefix keeps it, regardless of alphabetical order.
    let impostor = Names { server: "a", tools: &["gh__search"], prefixed: false };
    let table = PublicNames::new(&[impostor, Names { prefixed: true, ..gh }], Profile::Portable).unwrap();
    assert_eq!(table.public("gh", "search"), Some("gh__search"));
    assert_eq!(table.public("a", "gh__search"), Some("a__gh__search"));
}

// As reported in openai/codex#8174, anthropics/claude-code#2257, microsoft/semantic-kernel#12879.
#[test]
fn a_forged_name_does_not_replace_a_changed_one() {
    let changed = public_name("s__a.b", Profile::Portable).into_owned();
    let impostor = changed.strip_prefix("s__").unwrap();
    for tools in [["a.b", impostor], [impostor, "a.b"]] {
        let table = table(&[("s", &tools)]);
        assert_eq!(table.entries().len(), 2);
        assert_eq!(table.public("s", impostor), Some(changed.as_str()), "it is its own name");
        assert_eq!(table.collisions().len(), 1);
        assert_eq!(table.find(table.public("s", "a.b").unwrap()).unwrap().tool, "a.b");
    }
    // The same tool twice is one tool.
    let table = table(&[("s", &["a", "a"])]);
    assert_eq!(table.entries().len(), 1);
    assert_eq!(table.collisions()[0].resolution, Resolution::Omitted);
}

fn is_portable(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

proptest! {
    #[test]
    fn splitting_undoes_joining(server in "[a-z0-9._-]{1,12}", tool in "\\PC{0,20}|[_a]{0,6}") {
        match join(&server, &tool) {
            Ok(joined) => prop_assert_eq!(split(&joined), Some((server.as_str(), tool.as_str()))),
            Err(_) => prop_assert!(server.contains("__") || server.starts_with('_') || server.ends_with('_')),
        }
    }

    #[test]
    fn joining_undoes_splitting(joined in "[a_]{0,12}") {
        if let Some((server, tool)) = split(&joined) {
            prop_assert_eq!(join(server, tool), Ok(joined.clone()));
        }
    }

    #[test]
    fn public_names_fit_and_stay_different(names in prop::collection::hash_set("[ab./_é-]{0,4}|[ab.]{60,140}|\\PC*", 1..40)) {
        for profile in [Profile::Portable, Profile::Faithful] {
            let mut seen = std::collections::HashMap::new();
            for name in &names {
                let public = public_name(name, profile).into_owned();
                prop_assert_eq!(check(&public), Ok(()));
                prop_assert!(profile == Profile::Faithful || is_portable(&public), "{}", public);
                prop_assert_eq!(public_name(&public, profile), public.as_str(), "a public name stays as it is");
                if let Some(other) = seen.insert(public.clone(), name) {
                    prop_assert!(false, "{name:?} and {other:?} are both {public:?}");
                }
            }
        }
    }

    #[test]
    fn every_tool_is_found_under_its_public_name(
        tools in prop::collection::vec(("[ab]", "[ab._/]{0,4}", any::<bool>()), 0..20),
    ) {
        let lists: Vec<[&str; 1]> = tools.iter().map(|(_, tool, _)| [tool.as_str()]).collect();
        let names: Vec<_> = tools
            .iter()
            .zip(&lists)
            .map(|((server, _, prefixed), tools)| Names { server, tools, prefixed: *prefixed })
            .collect();
        let table = PublicNames::new(&names, Profile::Portable).unwrap();
        for entry in table.entries() {
            prop_assert_eq!(table.find(&entry.public), Some(entry));
            prop_assert_eq!(table.public(&entry.server, &entry.tool), Some(entry.public.as_str()));
        }
        let lost = table.collisions().iter().filter(|collision| collision.resolution == Resolution::Omitted).count();
        prop_assert_eq!(table.entries().len() + lost, tools.len(), "listed or reported");
        let backwards: Vec<_> = names.iter().copied().rev().collect();
        let reversed = PublicNames::new(&backwards, Profile::Portable).unwrap();
        prop_assert_eq!(reversed.entries(), table.entries(), "the order does not matter");
    }
}
