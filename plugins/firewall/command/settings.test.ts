import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { parseHostPorts } from "../sandbox/host-ports.js";
import type { SandboxSpec } from "../sandbox/spec.js";
import { readCommandLine } from "./options.js";
import { type AwfSettings, readSettings } from "./settings.js";

function settingsOf(...argv: string[]): AwfSettings {
  const read = readCommandLine([...argv, "--", "true"], "1.2.3");
  if ("exitCode" in read) throw new Error(read.text);
  return readSettings(read.options);
}

const specOf = (...argv: string[]): SandboxSpec => settingsOf(...argv).spec;

const tooBroad = [
  "is too broad and would bypass security controls",
  "URL patterns must include a specific domain and path, e.g., https://github.com/org/*",
];
const dangerous =
  "blocked for security reasons. Dangerous ports (SSH:22, MySQL:3306, PostgreSQL:5432, etc.) cannot be allowed even with --allow-host-ports.";
const mountFormat = "Mount must be in format host_path:container_path[:mode]";

const refused: ReadonlyArray<readonly [argv: string[], message: string | RegExp]> = [
  [
    ["--skip-pull", "--build-local"],
    "❌ --skip-pull cannot be used with --build-local. Building images requires pulling base images from the registry.",
  ],
  [
    ["--agent-image", "evil/image:1"],
    /^Invalid agent image: "evil\/image:1"\. For security, only approved images are allowed:\n[\s\S]*Use @sha256:\.\.\. suffix for digest-pinned versions\.$/,
  ],
  [["--build-local", "--agent-image", "ubuntu:latest"], /^Invalid agent image: "ubuntu:latest"/],
  [["--agent-image", "ubuntu:22.04"], /^❌ Custom agent images require --build-local flag\n/],
  [
    ["--engine", "native", "--agent-image", "act", "--skip-pull"],
    "--skip-pull, --agent-image needs containers; use --engine docker, or leave it out to use the native engine",
  ],
  [["--engine", "podman"], "Invalid engine: podman. Must be one of: native, docker"],
  [["-v", "/tmp"], `Invalid volume mount: /tmp\nReason: ${mountFormat}`],
  [["-v", "/tmp:/x:ro:z"], `Invalid volume mount: /tmp:/x:ro:z\nReason: ${mountFormat}`],
  [["-v", ":/x"], "Invalid volume mount: :/x\nReason: Host path cannot be empty"],
  [["-v", "/tmp:"], "Invalid volume mount: /tmp:\nReason: Container path cannot be empty"],
  [
    ["-v", "./rel:/x"],
    "Invalid volume mount: ./rel:/x\nReason: Host path must be absolute (start with /)",
  ],
  [
    ["-v", "/tmp:rel"],
    "Invalid volume mount: /tmp:rel\nReason: Container path must be absolute (start with /)",
  ],
  [
    ["-v", "/tmp:/x:rx"],
    'Invalid volume mount: /tmp:/x:rx\nReason: Mount mode must be either "ro" or "rw"',
  ],
  [
    ["-v", "/no/such/path:/x"],
    "Invalid volume mount: /no/such/path:/x\nReason: Host path does not exist: /no/such/path",
  ],
  [
    ["-v", "/tmp:/proc"],
    "Invalid volume mount: /tmp:/proc\nReason: Container path /proc belongs to the sandbox itself",
  ],
  [["--allow-urls", "https://a.test/x/*"], "--allow-urls requires --ssl-bump to be enabled"],
  [
    ["--ssl-bump", "--allow-urls", "http://a.test/x/*"],
    "URL patterns must start with https:// (got: http://a.test/x/*)\nUse --allow-domains for domain-level filtering without SSL Bump",
  ],
  [["--ssl-bump", "--allow-urls", "https://*"], `URL pattern "https://*" ${tooBroad.join("\n")}`],
  [
    ["--ssl-bump", "--allow-urls", "https://a.test"],
    'URL pattern "https://a.test" must include a path component\nFor domain-only filtering, use --allow-domains instead\nExample: https://github.com/myorg/* (includes path)',
  ],
  [
    ["--allow-domains", "*"],
    "Invalid domain or pattern: Pattern '*' matches all domains and is not allowed",
  ],
  [
    ["--allow-domains", "a.test,*.*"],
    "Invalid domain or pattern: Pattern '*.*' is too broad and is not allowed",
  ],
  [
    ["--allow-domains", "a.test\nb.test"],
    /^Invalid domain or pattern: .*contains invalid character/,
  ],
  [
    ["--block-domains", "*"],
    "Invalid blocked domain or pattern: Pattern '*' matches all domains and is not allowed",
  ],
  [
    ["--allow-domains", "a.test/x"],
    "Invalid domain or pattern: Invalid domain 'a.test/x': contains a path; to filter by path use --ssl-bump with --allow-urls \"https://a.test/x\"",
  ],
  [
    ["--allow-domains-file", "/no/such"],
    "Failed to read domains file: Domains file not found: /no/such",
  ],
  [
    ["--block-domains-file", "/no/such"],
    "Failed to read blocked domains file: Domains file not found: /no/such",
  ],
  [
    ["--dns-servers", "dns.google"],
    "Invalid DNS servers: Invalid DNS server IP address: dns.google",
  ],
  [
    ["--dns-servers", "8.8.8.8,256.1.1.1"],
    "Invalid DNS servers: Invalid DNS server IP address: 256.1.1.1",
  ],
  [
    ["--dns-servers", "2001:db8::zz"],
    "Invalid DNS servers: Invalid DNS server IP address: 2001:db8::zz",
  ],
  [["--dns-servers", ","], "Invalid DNS servers: At least one DNS server must be specified"],
  [["--allow-host-ports", "3000"], "❌ --allow-host-ports requires --enable-host-access to be set"],
  [["--enable-host-access", "--allow-host-ports", "22"], `Port 22 is ${dangerous}`],
  [
    ["--enable-host-access", "--allow-host-ports", "20-30"],
    `Port range 20-30 includes dangerous port 22 which is ${dangerous}`,
  ],
  [
    ["--enable-host-access", "--allow-host-ports", "0"],
    "Invalid port: 0. Must be a number between 1 and 65535",
  ],
  [
    ["--enable-host-access", "--allow-host-ports", "80,x"],
    "Invalid port: x. Must be a number between 1 and 65535",
  ],
  [
    ["--enable-host-access", "--allow-host-ports", "9-8"],
    "Invalid port range: 9-8. Must be in format START-END where 1 <= START <= END <= 65535",
  ],
  [["--log-level", "loud"], "Invalid log level: loud"],
  [["--timeout", "soon"], "Invalid duration: soon. Write 90s, 5m or 1h30m, up to 24 days"],
  [["--memory", "lots"], "Invalid memory size: lots. Write 512m or 4g, at least 1m"],
  [["--pids", "0"], "Invalid process count: 0. Must be a whole number from 1"],
  [
    ["--allow-write", "/no/such/path"],
    "--allow-write path does not exist: /no/such/path; make it first",
  ],
  [["--proxy-logs-dir", "/etc/hostname"], "--proxy-logs-dir is not a directory: /etc/hostname"],
];
for (const [argv, message] of refused) {
  test(`awf ${argv.join(" ")} is refused`, (t) => {
    const { message: said } = t.throws(() => settingsOf(...argv));
    if (typeof message === "string") t.is(said, message);
    else t.regex(said, message);
  });
}

const answered: ReadonlyArray<readonly [argv: string[], text: string, exitCode: number]> = [
  [["--nope", "--", "true"], "error: unknown option '--nope'", 1],
  [["--allow-domains"], "error: option '-d, --allow-domains <domains>' argument missing", 1],
  [["--log-level"], "error: option '--log-level <level>' argument missing", 1],
  [["-V"], "1.2.3", 0],
  [["--version"], "1.2.3", 0],
];
for (const [argv, text, exitCode] of answered) {
  test(`awf ${argv.join(" ")} answers "${text}"`, (t) => {
    t.deepEqual(readCommandLine(argv, "1.2.3"), { text, exitCode });
  });
}

test("help names every option", (t) => {
  const help = readCommandLine(["--help"], "1.2.3");
  const text = "exitCode" in help ? help.text : "";
  const names = [
    "allow-domains",
    "allow-domains-file",
    "block-domains",
    "block-domains-file",
    "ssl-bump",
    "allow-urls",
    "log-level",
    "keep-containers",
    "tty",
    "work-dir",
    "build-local",
    "image-registry",
    "image-tag",
    "skip-pull",
    "env",
    "env-all",
    "exclude-env",
    "mount",
    "container-workdir",
    "dns-servers",
    "proxy-logs-dir",
    "enable-host-access",
    "allow-host-ports",
    "agent-image",
    "version",
    "help",
  ];
  for (const name of names) t.true(text.includes(`--${name}`), name);
});

test("everything after -- and after the command's first word belongs to the command", (t) => {
  const command = (...argv: string[]) => {
    const read = readCommandLine(argv, "1.2.3");
    return "command" in read ? read.command : read.text;
  };
  t.deepEqual(command("--tty", "--", "logs", "--help"), ["logs", "--help"]);
  t.deepEqual(command("--tty", "curl", "-v", "--tty"), ["curl", "-v", "--tty"]);
  t.deepEqual(command("--", "--", "x"), ["--", "x"]);
});

test("without options nothing is allowed and the documented defaults hold", (t) => {
  const { spec, logLevel } = settingsOf();
  const { policy, dns, hostPorts, volumes } = spec;
  t.deepEqual(
    [policy.allow.patterns, policy.block.patterns, hostPorts, volumes],
    [[], [], undefined, []],
  );
  t.deepEqual(dns, { servers: ["8.8.8.8", "8.8.4.4"], chosen: false });
  t.is(logLevel, "info");
});

test("DNS servers may be of either family, each once", (t) => {
  t.deepEqual(specOf("--dns-servers", "2001:4860:4860::8888, 8.8.8.8,,fe80::1,8.8.8.8").dns, {
    servers: ["2001:4860:4860::8888", "8.8.8.8", "fe80::1"],
    chosen: true,
  });
});

const engines: ReadonlyArray<readonly [options: string[], engine: "native" | "docker"]> = [
  [[], "native"],
  [["--engine", "native", "--keep-containers"], "native"],
  [["--agent-image", "default", "--image-tag", "latest"], "native"],
  [["--engine", "docker"], "docker"],
  [["--agent-image", "act"], "docker"],
  [["--image-tag", "1.2"], "docker"],
  [["--image-registry", "registry.test"], "docker"],
  [["--skip-pull"], "docker"],
  [["--build-local"], "docker"],
  [["--build-local", "--agent-image", "ubuntu:22.04"], "docker"],
];
for (const [options, engine] of engines) {
  test(`the engine of awf ${options.join(" ")} is ${engine}`, (t) => {
    t.is(settingsOf(...options).engine, engine);
  });
}

test("options and files are joined into one list without comments and duplicates", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "awf-settings-"));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "list");
  writeFileSync(file, "# comment\r\nb.test # why\r\n\r\na.test, c.test\n");
  const { policy } = specOf("--allow-domains", " a.test ,, d.test", "--allow-domains-file", file);
  t.deepEqual(
    policy.allow.patterns.map(({ text }) => text),
    ["a.test", "d.test", "b.test", "c.test"],
  );
});

test("the keyword localhost becomes the host's alias and opens the usual ports", (t) => {
  const listed = specOf("--allow-domains", "http://localhost,a.test");
  t.deepEqual(
    listed.policy.allow.patterns.map(({ text }) => text),
    ["a.test", "http://host.docker.internal"],
  );
  t.true([80, 443, 3000, 8080, 9090].every((port) => listed.hostPorts?.includes(port)));
  t.deepEqual(
    specOf("--allow-domains", "localhost", "--allow-host-ports", "1234").hostPorts,
    [1234],
  );
});

test("host ports are 80 and 443, or the listed ones alone", (t) => {
  t.deepEqual(specOf("--enable-host-access").hostPorts, [80, 443]);
  t.deepEqual(parseHostPorts("3000-3003, 80,3001"), [80, 3000, 3001, 3002, 3003]);
});

test("flags add to the lists of a sandbox file and outweigh its values", (t) => {
  const file = { allow: ["a.example"], env: { A: "1" }, timeout: 300_000, host_access: [8080] };
  const options = { allowDomains: "b.example", timeout: "1m", allowHostPorts: "9090" };
  const { spec, environment } = readSettings(options, {
    attributes: file,
    files: ["/a"],
  });
  t.deepEqual(
    spec.policy.allow.patterns.map(({ text }) => text),
    ["a.example", "b.example"],
  );
  t.deepEqual([spec.timeoutMs, spec.hostPorts, environment], [60_000, [9090], { A: "1" }]);
});

const firsts: ReadonlyArray<readonly [argv: string[], message: RegExp]> = [
  [["--pids", "0", "--block-domains", "*", "--allow-domains", "*"], /^Invalid domain or pattern/],
  [["--dns-servers", "x", "--proxy-logs-dir", "/etc/hostname"], /^--proxy-logs-dir/],
  [["-v", "/tmp", "-v", "/no/such:/x"], /Mount must be in format/],
  [["-v", "/no/such:/x", "-v", "/tmp"], /Host path does not exist/],
];
for (const [argv, message] of firsts) {
  test(`of the issues of awf ${argv.join(" ")} the first check's issue is reported`, (t) => {
    t.throws(() => settingsOf(...argv), { message });
  });
}
