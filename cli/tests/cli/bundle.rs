//! `cargo mcp bundle`: the file can be unpacked, and its program runs.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::{mcp, run};

const SETTINGS: &str = "
[package.metadata.mcp.env.SHOP_KEY]
title = \"Key\"
description = \"The key of your shop.\"
secret = true
required = true

[package.metadata.mcp.env.SHOP_URL]
title = \"Address\"
description = \"Where the shop is.\"
default = \"http://127.0.0.1\"
";

/// Runs a Python program, which reads ZIP files independently. Returns what it prints.
fn python(program: &str, arguments: &[&Path]) -> String {
    let output = Command::new("python3").args(["-c", program]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_bundle_has_the_program_and_asks_for_its_variables() {
    let scratch = tempfile::tempdir().unwrap();
    mcp(scratch.path(), "new bundled --vcs none").ok();
    let package = scratch.path().join("bundled");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    fs::copy(repository.join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    let append = |text: &str| {
        let mut file = OpenOptions::new().append(true).open(package.join("Cargo.toml")).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    append(SETTINGS);
    let line = "bundle --offline --profile dev";
    mcp(&package, line).ok().says(&["wrote bundled.mcpb"]);
    let bundle = package.join("bundled.mcpb");
    #[cfg(unix)]
    {
        let mode = |file: &Path| fs::metadata(file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&bundle), mode(&package.join("Cargo.toml")), "it is for others");
    }
    let first = fs::read(&bundle).unwrap();
    mcp(&package, line).ok();
    assert!(fs::read(&bundle).unwrap() == first, "the same files make the same bundle");

    let unpacked = scratch.path().join("unpacked");
    let list = "import sys, zipfile\n\
                file = zipfile.ZipFile(sys.argv[1])\n\
                assert file.testzip() is None\n\
                file.extractall(sys.argv[2])\n\
                print([(one.filename, oct(one.external_attr >> 16)) for one in file.infolist()])";
    let program = Path::new("server/bundled").with_extension(std::env::consts::EXE_EXTENSION);
    let expected = format!("[('manifest.json', '0o100644'), ('{}', '0o100755')]\n", program.display());
    assert_eq!(python(list, &[&bundle, &unpacked]), expected);

    let text = fs::read_to_string(unpacked.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&manifest["name"], &manifest["tools"][0]["name"]),
        (&json!("bundled"), &json!("count_words"))
    );
    let config = json!({
        "command": "${__dirname}/server/bundled",
        "args": [],
        "env": {"SHOP_KEY": "${user_config.shop_key}", "SHOP_URL": "${user_config.shop_url}"},
    });
    assert_eq!(manifest["server"]["mcp_config"], config);
    let asked = |title: &str, description: &str, is_key: bool| json!({"type": "string", "title": title, "description": description, "required": is_key, "sensitive": is_key});
    let mut url = asked("Address", "Where the shop is.", false);
    url["default"] = "http://127.0.0.1".into();
    let expected = json!({"shop_key": asked("Key", "The key of your shop.", true), "shop_url": url});
    assert_eq!(manifest["user_config"], expected);

    let program = unpacked.join(program);
    #[cfg(unix)]
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let listed = run(&package, &["list", "--", &program.display().to_string()]).ok();
    assert!(listed.stdout.contains("count_words"), "{}", listed.stdout);

    append("\n[package.metadata.mcp.env.WRONG]\ntitle = \"no description\"\n");
    mcp(&package, line).ended(2).says(&["[package.metadata.mcp.env]", "missing field `description`"]);
    mcp(&package, "bundle --artifact x").ended(2).says(&["a bundle needs a package"]);
}
