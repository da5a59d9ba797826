/** One configuration of about 1 MB, written in three languages: the same blocks, values, expressions and comments. */

export interface Corpus {
  readonly reeve: string;
  readonly json5: string;
  readonly hcl: string;
}

/** Grows by whole groups of blocks until the text in our language is as long as asked for. */
export function corpus(length: number): Corpus {
  const parts: Record<keyof Corpus, string[]> = { reeve: [], json5: ["{\n"], hcl: [] };
  let size = 0;
  for (let index = 0; ; index++) {
    const group = writeGroup(index);
    size += group.reeve.length;
    if (size > length) break;
    parts.reeve.push(group.reeve);
    parts.json5.push(group.json5);
    parts.hcl.push(group.hcl);
  }
  parts.json5.push("}\n");
  return {
    reeve: parts.reeve.join(""),
    json5: parts.json5.join(""),
    hcl: parts.hcl.join(""),
  };
}

const TEAMS = ["payments", "search", "mobile", "platform", "billing", "identity", "storage"];

function writeGroup(index: number): Corpus {
  const team = `${TEAMS[index % TEAMS.length]}-${index}`;
  const port = 10_000 + (index % 50_000);
  return { reeve: reeve(team, port), json5: json5(team, port), hcl: hcl(team, port) };
}

const reeve = (team: string, port: number) => `
# ${team}: deploys on every push to main or a release branch
hook "deploy-${team}" {
  methods = ["POST"]
  timeout = 10m
  concurrency = 1
  enabled = true
  # only pushes of this repository
  when = payload.ref =~ re"^refs/heads/(main|release/.+)$"
    && payload.repository.full_name == "example/${team}"
  run = ["./deploy.sh", "--sha", payload.after, header["X-Env"] ?? "prod"]
  verify "hmac" {
    algorithm = "sha256"
    header = "X-Hub-Signature-256"
    secret = secret("env:DEPLOY_SECRET")
  }
}

sandbox "build-${team}" {
  allow = ["*.example.org", "registry.example.org", "${team}.example.org"]
  block = ["*.tracker.example"]
  memory = 512MiB
  cpu = 50%
  retries = ${(port % 7) + 1}
  env = { CI = "true", PORT = "${port}", URL = "https://\${let.host}/${team}" }
  mount "/src" { source = "./checkouts/${team}"; mode = "rw" }
}
`;

const json5 = (team: string, port: number) => `
  // ${team}: deploys on every push to main or a release branch
  "hook deploy-${team}": {
    methods: ["POST"],
    timeout: "10m",
    concurrency: 1,
    enabled: true,
    // only pushes of this repository
    when: 'payload.ref =~ "^refs/heads/(main|release/.+)$" && payload.repository.full_name == "example/${team}"',
    run: ["./deploy.sh", "--sha", "\${payload.after}", "\${header[\\"X-Env\\"] ?? \\"prod\\"}"],
    verify: {
      hmac: {
        algorithm: "sha256",
        header: "X-Hub-Signature-256",
        secret: 'secret("env:DEPLOY_SECRET")',
      },
    },
  },
  "sandbox build-${team}": {
    allow: ["*.example.org", "registry.example.org", "${team}.example.org"],
    block: ["*.tracker.example"],
    memory: "512MiB",
    cpu: 0.5,
    retries: ${(port % 7) + 1},
    env: { CI: "true", PORT: "${port}", URL: "https://\${let.host}/${team}" },
    mount: { "/src": { source: "./checkouts/${team}", mode: "rw" } },
  },
`;

const hcl = (team: string, port: number) => `
# ${team}: deploys on every push to main or a release branch
hook "deploy-${team}" {
  methods     = ["POST"]
  timeout     = "10m"
  concurrency = 1
  enabled     = true
  # only pushes of this repository
  when = (can(regex("^refs/heads/(main|release/.+)$", payload.ref))
    && payload.repository.full_name == "example/${team}")
  run = ["./deploy.sh", "--sha", payload.after, coalesce(header["X-Env"], "prod")]
  verify "hmac" {
    algorithm = "sha256"
    header    = "X-Hub-Signature-256"
    secret    = secret("env:DEPLOY_SECRET")
  }
}

sandbox "build-${team}" {
  allow   = ["*.example.org", "registry.example.org", "${team}.example.org"]
  block   = ["*.tracker.example"]
  memory  = "512MiB"
  cpu     = 0.5
  retries = ${(port % 7) + 1}
  env     = { CI = "true", PORT = "${port}", URL = "https://\${local.host}/${team}" }
  mount "/src" {
    source = "./checkouts/${team}"
    mode   = "rw"
  }
}
`;
