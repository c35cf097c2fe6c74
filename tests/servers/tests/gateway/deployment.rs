//! The examples in docs/deploy: their command lines run, with other paths and ports, against a Redis server with the users of
//! docs/redis/users.acl, up to a call that a worker executes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_http::client::Call;
use test_programs::{cargo_mcp, repository, worker};
use test_servers::installed;

use crate::running::mcp;
use crate::stage::{Process, Stage, section, start_redis};

const LIMIT: Duration = Duration::from_secs(20);
/// The public URL in the examples.
const URL: &str = "https://gateway.example/mcp/gateway";

/// A command line of an example, and how it is changed for this machine.
struct CommandLine {
    words: Vec<String>,
    variables: Vec<(String, String)>,
}

impl CommandLine {
    fn new(words: Vec<String>, replaced: &[(&str, String)]) -> Self {
        let replace =
            |word: String| replaced.iter().fold(word, |word, (shown, real)| word.replace(shown, real));
        Self { words: words.into_iter().map(replace).collect(), variables: Vec::new() }
    }

    fn start(&self) -> Process {
        let program = match self.words[0].rsplit('/').next().unwrap() {
            "cargo-mcp" => cargo_mcp().to_owned(),
            "worker" => worker().to_owned(),
            other => PathBuf::from(other),
        };
        let mut command = Command::new(program);
        command.env_clear().envs(self.variables.iter().cloned()).args(&self.words[1..]);
        Process::start(&mut command)
    }

    /// Sets the variables of a file with lines such as `NAME=value`.
    fn with_file(mut self, file: &Path) -> Self {
        let text = fs::read_to_string(file).unwrap();
        let lines = text.lines().filter_map(|line| line.split_once('='));
        self.variables.extend(lines.map(|(name, value)| (name.to_owned(), value.to_owned())));
        self
    }
}

/// Copies docs/deploy and docs/redis, makes the secrets as docs/gateway.md does, and lets them name this Redis server.
fn secrets(stage: &Stage) -> PathBuf {
    for folder in ["deploy", "redis"] {
        fs::create_dir(stage.folder().join(folder)).unwrap();
        for entry in fs::read_dir(repository().join("docs").join(folder)).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_file() {
                fs::copy(entry.path(), stage.folder().join(folder).join(entry.file_name())).unwrap();
            }
        }
    }
    let deploy = stage.folder().join("deploy");
    stage.session().in_folder(&deploy).check(section("Deployment"));
    let secrets = stage.folder().join("deploy/secrets");
    for entry in fs::read_dir(&secrets).unwrap().map(Result::unwrap) {
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{entry:?}");
        let text = fs::read_to_string(entry.path()).unwrap();
        fs::write(entry.path(), text.replace("@redis:6379", &format!("@127.0.0.1:{}", stage.ports[2])))
            .unwrap();
    }
    secrets
}

/// Waits until the gateway is ready, registers a tool of the worker in the pool `default`, and calls it as an agent.
fn check(stage: &Stage, keys: &Path) {
    let folder = stage.folder();
    let rights = ["--right", "register", "--right", "sessions"];
    let keys = keys.to_str().unwrap();
    let words = ["gateway", "keys", "service", "engine", "--state", keys, "--org", "acme"];
    let key = mcp(folder, &[&words[..], &rights].concat());
    let ask = |method: &str, path: &str, body: &Value| {
        let address = ([127, 0, 0, 1], stage.ports[1]).into();
        let call = Call::new(address, method, &format!("/internal/{path}"));
        call.header("Authorization", &format!("Bearer {}", key.trim())).body(body).send()
    };
    let start = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", stage.ports[1])).is_err() {
        assert!(start.elapsed() < LIMIT, "the gateway does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(ask("GET", "ready", &Value::Null).status, 204);
    assert_eq!(ask("POST", "runs", &json!({"run": "r"})).status, 200);
    let tools = mcp(folder, &["list", "--json", "--", worker().to_str().unwrap()]);
    let tools: Value = serde_json::from_str(&tools).unwrap();
    let node = json!({
        "run": "r", "node": "abuseipdb", "kind": "component", "tool": tools[0], "credentials": {"apiKey": "s3cret"},
        "bound": ["apiKey"],
    });
    let mut registered = ask("POST", "tools", &node);
    let said = registered.text();
    assert_eq!(registered.status, 200, "{said}");
    let session = json!({"run": "r", "node": "agent", "nodes": ["abuseipdb"]});
    let session: Value = serde_json::from_str(&ask("POST", "sessions", &session).text()).unwrap();
    let header = format!("Authorization: Bearer {}", session["token"].as_str().unwrap());
    let url = format!("http://127.0.0.1:{}/mcp/gateway", stage.ports[0]);
    let called = mcp(folder, &["call", "--header", &header, &url, "check_address", "ip=8.8.8.8"]);
    assert_eq!(called, "8.8.8.8: 0 reports of abuse\n");
}

/// The services of docs/deploy/compose.yaml. A document of YAML is read with `PyYAML`, which the tests install anyway.
fn compose(stage: &Stage) -> Value {
    let script = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)";
    let python = installed::installed("fastmcp").join("bin/python");
    let file = stage.folder().join("deploy/compose.yaml");
    let output = Command::new(python).args(["-c", script]).arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_services_of_the_compose_file_work_together() {
    let stage = Stage::new();
    let secrets = secrets(&stage);
    let file = compose(&stage);
    for (name, secret) in file["secrets"].as_object().unwrap() {
        let path = stage.folder().join("deploy").join(secret["file"].as_str().unwrap());
        assert!(path.exists(), "docs/gateway.md does not make {name}");
    }
    let keys = stage.folder().join("compose-state");
    let replaced = [
        ("0.0.0.0:8080", format!("127.0.0.1:{}", stage.ports[0])),
        ("0.0.0.0:8081", format!("127.0.0.1:{}", stage.ports[1])),
        ("/var/lib/toolwright", keys.display().to_string()),
        ("/run/secrets", secrets.display().to_string()),
        ("/data", stage.folder().join("redis-data").display().to_string()),
        ("/etc/redis/redis.conf", stage.folder().join("deploy/redis.conf").display().to_string()),
    ];
    let command = |name: &str| {
        let service = &file["services"][name];
        assert_eq!(service["read_only"], true, "{name}");
        assert_eq!(service["security_opt"], json!(["no-new-privileges:true"]), "{name}");
        let words = service["command"].as_array().unwrap().iter();
        CommandLine::new(words.map(|word| word.as_str().unwrap().to_owned()).collect(), &replaced)
    };
    let redis = command("redis").words;
    assert_eq!(redis[0], "redis-server");
    let _redis = start_redis(stage.folder(), stage.ports[2], &redis[1..]);
    let gateway = command("gateway");
    assert!(gateway.words.contains(&format!("--url={URL}")) && !gateway.words.concat().contains("password"));
    let gateway = gateway.start();
    let environment = file["services"]["worker"]["env_file"].as_str().unwrap();
    let worker = command("worker").with_file(&stage.folder().join("deploy").join(environment)).start();
    check(&stage, &keys);
    worker.end();
    gateway.end();
}

/// The settings of a unit file, by name. A line that ends with `\` goes on.
fn unit(name: &str) -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(repository().join("docs/deploy").join(name)).unwrap();
    let mut settings: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for line in text.replace("\\\n", " ").lines().filter(|line| !line.starts_with('#')) {
        if let Some((setting, value)) = line.split_once('=') {
            settings.entry(setting.to_owned()).or_default().push(value.to_owned());
        }
    }
    settings
}

fn exec_start(unit: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    unit["ExecStart"][0].split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_systemd_units_are_valid_and_hardened() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["toolwright-gateway.service", "toolwright-worker.service"] {
        let text = fs::read_to_string(repository().join("docs/deploy").join(name)).unwrap();
        let programs = format!("{}/", cargo_mcp().parent().unwrap().display());
        let file = folder.path().join(name);
        fs::write(&file, text.replace("/usr/local/bin/", &programs)).unwrap();
        let verified = Command::new("systemd-analyze").arg("verify").arg(&file).output().unwrap();
        assert!(verified.status.success() && verified.stderr.is_empty(), "{verified:?}");
        let words = ["security", "--offline=yes", "--threshold=20"];
        let security = Command::new("systemd-analyze").args(words).arg(&file).output().unwrap();
        assert!(security.status.success(), "{name}: {}", String::from_utf8_lossy(&security.stdout));
    }
}

#[test]
fn the_systemd_units_work_together() {
    let stage = Stage::new();
    let secrets = secrets(&stage);
    let (gateway, worker) = (unit("toolwright-gateway.service"), unit("toolwright-worker.service"));
    let acl = secrets.join("users.acl").display().to_string();
    let conf = stage.folder().join("deploy/redis.conf").display().to_string();
    let _redis = start_redis(stage.folder(), stage.ports[2], &[conf, "--aclfile".to_owned(), acl]);

    // As systemd shows the credentials of a service to its user.
    let credentials = stage.folder().join("credentials");
    fs::create_dir(&credentials).unwrap();
    for credential in &gateway["LoadCredential"] {
        let (name, source) = credential.split_once(':').unwrap();
        let secret = Path::new(source.strip_prefix("/etc/toolwright/").unwrap());
        fs::copy(secrets.join(secret), credentials.join(name)).unwrap();
        fs::set_permissions(credentials.join(name), fs::Permissions::from_mode(0o440)).unwrap();
    }
    let logs = stage.folder().join("logs");
    fs::create_dir_all(logs.join(&gateway["LogsDirectory"][0])).unwrap();
    let replaced = [
        ("127.0.0.1:8080", format!("127.0.0.1:{}", stage.ports[0])),
        ("127.0.0.1:8081", format!("127.0.0.1:{}", stage.ports[1])),
        ("%S", stage.folder().join("state").display().to_string()),
        ("%L", logs.display().to_string()),
        ("%d", credentials.display().to_string()),
    ];
    let mut command = CommandLine::new(exec_start(&gateway), &replaced);
    assert!(!command.words.concat().contains("password"));
    command.variables.push(("CREDENTIALS_DIRECTORY".to_owned(), credentials.display().to_string()));
    let gateway_process = command.start();
    let environment = worker["EnvironmentFile"][0].strip_prefix("/etc/toolwright/").unwrap();
    let worker =
        CommandLine::new(exec_start(&worker), &replaced).with_file(&secrets.join(environment)).start();
    check(&stage, &stage.folder().join("state").join(&gateway["StateDirectory"][0]));
    worker.end();
    gateway_process.end();
    let audit = fs::read_to_string(logs.join("toolwright-gateway/audit.jsonl")).unwrap();
    assert!(audit.contains("\"check_address\"") && audit.contains("\"ok\""), "{audit}");
}
