/** What the plugin reports about a configuration: what each code means, and files that have it. */
const free = 'hook_server "main" {\n  listen = "127.0.0.1:0"\n}\n';
const hook = 'hook "deploy" {\n  run = ["/bin/true"]\n}\n';
const signed = (secret: string) =>
  `${free}hook "deploy" {\n  run = ["/bin/true"]\n  verify "standard_webhooks" { secret = secret("file:${secret}") }\n}\n`;
const server = (name: string, more = "") =>
  `hook_server "${name}" {\n  listen = "127.0.0.1:0"${more}\n}\n`;
const tls = '\n  tls {\n    cert = "./cert.pem"\n    key = "./key.pem"\n  }';

export const codes = {
  invalid: {
    title: "invalid combination",
    explanation: "Attributes of the block are valid by themselves and not together.",
    example: 'hook "deploy" {\n  run = ["/bin/true"]\n  args = ["fast"]\n}\n',
  },
  no_server: {
    title: "hook without a server",
    explanation:
      "There are several hook servers. The hook names one, or one of them is named `default`.",
    example: `${server("a")}${server("b")}${hook}`,
  },
  same_path: {
    title: "two hooks on one path",
    explanation:
      "A request runs one hook. On one path, hooks accept different methods, or each has a `when` and a `priority`.",
    example: `${free}${hook}hook "again" {\n  run = ["/bin/true"]\n  path = "/deploy"\n}\n`,
  },
  same_priority: {
    title: "two hooks on one path without an order",
    explanation:
      "Hooks with the same path and method are tried in the order of `priority`, the lowest number first. Each needs its own.",
    example: `${free}${["push", "ping"].map((name) => `hook "${name}" {\n  path = "/github"\n  priority = 1\n  when = header["x-github-event"] == "${name}"\n  run = ["/bin/true"]\n}\n`).join("")}`,
  },
  same_address: {
    title: "two servers on one address and prefix",
    explanation: "Servers share an address if their prefixes differ.",
    example:
      'hook_server "a" {\n  listen = "unix:/tmp/reeve-example.sock"\n}\nhook_server "b" {\n  listen = "unix:/tmp/reeve-example.sock"\n}\n',
  },
  other_tls: {
    title: "two certificates on one address",
    explanation: "Servers on one address have the same `tls`.",
    example:
      'hook_server "a" {\n  listen = "unix:/tmp/reeve-example.sock"\n  prefix = "a"\n}\nhook_server "b" {\n  listen = "unix:/tmp/reeve-example.sock"\n  tls {\n    cert = "./b.pem"\n    key = "./b.pem"\n  }\n}\n',
  },
  no_client_ca: {
    title: "client certificates are not requested",
    explanation: '`verify "mtls"` needs a server with `tls { client_ca = … }`.',
    example: `${free}hook "deploy" {\n  run = ["/bin/true"]\n  verify "mtls" { names = ["ci.example.org"] }\n}\n`,
  },
  no_parameter: {
    title: "unknown path parameter",
    explanation:
      "The hook's path has no parameter of that name, so the value is missing in every request.",
    example: `${free}hook "deploy" {\n  run = ["/bin/echo", path.branch]\n  path = "/deploy/:name"\n}\n`,
  },
  open_to_all: {
    title: "hook open to all",
    explanation:
      "The server listens beyond this machine, and no proof or condition restricts its clients.",
    example: `hook_server "main" {\n  listen = "0.0.0.0:0"\n}\n${hook}`,
  },
  task_cycle: {
    title: "task that follows itself",
    explanation: "The runs of such tasks would never end; the message shows the way round.",
    example:
      'task "a" {\n  after = [task.b]\n  run = ["/bin/true"]\n}\ntask "b" {\n  after = [task.a]\n  run = ["/bin/true"]\n}\n',
  },
  task_depth: {
    title: "chain of tasks too long",
    explanation: "At most 16 runs follow one another.",
    example: `task "t0" {\n  run = ["/bin/true"]\n}\n${Array.from({ length: 16 }, (_, index) => `task "t${index + 1}" {\n  after = [task.t${index}]\n  run = ["/bin/true"]\n}\n`).join("")}`,
  },
  task_parameter: {
    title: "parameter without a value",
    explanation: "A task with `after` starts without parameters, so each of them needs a default.",
    example: `${free}${hook}task "smoke" {\n  after = [hook.deploy]\n  param "env" {}\n  run = ["/bin/echo", param.env]\n}\n`,
  },
  secret_argument: {
    title: "secret parameter in an argument",
    explanation:
      "Other users of the machine can read arguments, and run records contain them. Use `env` or `stdin`.",
    example:
      'task "login" {\n  param "token" { type = "secret" }\n  run = ["/bin/echo", param.token]\n}\n',
  },
  bad_certificate: {
    title: "unusable certificate",
    explanation:
      "A file of the certificate is missing, unreadable, not PEM, or does not match the key.",
    example: server("main", tls),
  },
  exposed_key: {
    title: "private key readable by others",
    explanation: "Every user of the host can read the key, and so pretend to be this server.",
    reason: "It is about the permissions of a file: `tests/hooks/tls.sys.test.ts` has it.",
  },
  unescaped_output: {
    title: "output in HTML without `html()`",
    explanation:
      "The command's output becomes part of an HTML page as it is. If a sender decides a part of it, the page can contain the sender's scripts. Write `html(output)`.",
    example: `${free}hook "deploy" {\n  run = ["/bin/true"]\n  when = payload.ok\n  response {\n    headers = { "Content-Type" = "text/html" }\n    result_body = "<pre>\${output}</pre>"\n  }\n}\n`,
  },
  bad_hooks_file: {
    title: "unusable hooks file",
    explanation:
      "The file is missing, or is not a valid file of hooks; the message has line and column.",
    example: () => ({
      "main.reeve": 'hooks_file "legacy" {\n  path = "./hooks.json"\n}\n',
      "hooks.json": '[\n  { "id": "a", "execute-comand": "/bin/true" }\n]\n',
    }),
  },
  empty_secret: {
    title: "empty secret",
    explanation: "Any sender can sign with an empty secret.",
    example: () => ({ "main.reeve": signed("./secret.txt"), "secret.txt": "whsec_" }),
  },
  bad_secret: {
    title: "unusable secret",
    explanation:
      "The sender's format of secrets is `whsec_` and Base64; the secret of tokens has 32 bytes or more.",
    example: () => ({ "main.reeve": signed("./secret.txt"), "secret.txt": "whsec_?" }),
  },
  bad_run_as: {
    title: "unknown user",
    explanation:
      "This machine lacks the user or the group of `run_as`, or the daemon may not change to it.",
    example: `${free}hook "deploy" {\n  run = ["/bin/true"]\n  run_as = "no-such-user"\n}\n`,
  },
  no_program: {
    title: "missing program",
    explanation:
      "The program of the hook is missing or not executable. Its runs fail until it is there.",
    example: `${free}hook "deploy" {\n  run = ["./deploy.sh"]\n}\n`,
  },
} as const;
