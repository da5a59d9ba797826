/** What only the plugin can say about a configuration: each is refused with a sentence, and nothing changes. */
import test from "ava";
import { startFixture } from "./testing/fixture.js";
import { hook, SERVER } from "./testing/pieces.js";

const verify = (kind: string, attributes: string) =>
  hook("x", `run = ["true"]\nverify "${kind}" {\n${attributes}\n}`);
const SECRET = 'secret = secret("env:S")';
const TOKEN = 'issuer = "https://issuer.example"\naudience = "deploy"';

const refused: ReadonlyArray<readonly [config: string, ...complaints: readonly string[]]> = [
  [verify("github", ""), '`verify "github"` needs `secret`'],
  [verify("hmac", SECRET), '`verify "hmac"` needs `header`'],
  [verify("basic", SECRET), '`verify "basic"` needs `user`'],
  [
    verify("github", `${SECRET}\nheader = "X-Signature"\ntolerance = 1m`),
    '`verify "github"` has no `header`',
    '`verify "github"` has no `tolerance`',
  ],
  [verify("jwt", `${TOKEN}\n`), '`verify "jwt"` needs `keys` or `secret`'],
  [
    verify("jwt", `${TOKEN}\nkeys = "{}"`),
    'this is neither PEM nor a JSON Web Key Set: `{"keys": […]}`',
  ],
  [verify("jwt", `${TOKEN}\nkeys = "{\\"keys\\": []}"`), "this set has no keys"],
  [
    verify("jwt", `${TOKEN}\nkeys = "{\\"keys\\": [{\\"kty\\": \\"oct\\", \\"k\\": \\"AA\\"}]}"`),
    "key 1 of the set is a shared secret",
  ],
  [
    verify("jwt", `${TOKEN}\nkeys = "-----BEGIN PRIVATE KEY-----"`),
    "this contains a private key, which only the issuer may have",
  ],
  [
    verify("jwt", `${TOKEN}\n${SECRET}`),
    "this secret is shorter than 32 bytes, so it can be guessed",
  ],
  [
    verify("jwt", `${TOKEN}\n${SECRET}\nalgorithms = ["HS256", "RS256"]`),
    "`RS256` needs public keys, not a secret",
  ],
  [verify("oidc", TOKEN), '`verify "oidc"` needs `require`'],
  [
    verify("oidc", `${TOKEN}\nrequire = claim.sub == "x"\nalgorithms = ["HS256"]`),
    "`HS256` needs a secret, not public keys",
  ],
  [
    verify("oidc", 'issuer = "http://issuer.example"\naudience = "x"\nrequire = claim.sub == "x"'),
    "the issuer is not an `https` address without query",
  ],
  [
    hook("x", 'run = ["true"]\ncors {\norigins = ["*"]\ncredentials = true\n}'),
    "`*` with `credentials` would let every page act with the user's cookies",
  ],
  [
    hook("x", 'run = ["true"]\ncors { origins = ["https://a.example", "*"] }'),
    "`*` includes the other origins",
  ],
  [
    hook("x", 'run = ["true"]\ncors { origins = ["https://A.example/", "a.example", "null"] }'),
    "`https://A.example/` is not an origin; browsers send `https://a.example`",
    "`a.example` is not an origin, such as `https://app.example.com`",
    "`null` is not an origin, such as `https://app.example.com`",
  ],
  [verify("mtls", ""), "this admits every certificate"],
  [
    verify("hmac", `${SECRET}\nheader = "X-S"\ntimestamp = header["X-T"]`),
    "a time that is not signed can be forged",
  ],
  [verify("hmac", `${SECRET}\nheader = "X-S"\ntolerance = 1m`), "this needs `timestamp`"],
  [
    verify("slack", 'secret = [secret("env:S"), trim(secret("env:BLANK"))]'),
    "this secret is empty, so any sender can sign",
  ],
  [
    verify("standard_webhooks", 'secret = secret("env:CUT")'),
    "the text after `whsec_` in this secret is not Base64",
  ],
  [hook("x", 'run = ["true"]\npath = "/a/:b/:b"'), "`:b` stands for two segments"],
  [
    hook("x", 'run = ["true"]\npath = "/a/:b"') + hook("y", 'run = ["true"]\npath = "a/:c"'),
    "`hook.x` has the same path and method",
  ],
  [
    hook("x", 'run = ["true", path.evn, payload.path]\npath = "/a/:env"\nwhen = path.env != "x"'),
    "the hook's path `a/:env` has no `path.evn`",
  ],
  [
    hook("x", 'run = ["true"]\nresponse { headers = { A = "${path.a}" } }'),
    "the hook's path `x` has no `path.a`",
  ],
  [
    hook("x", 'run = ["true"]\npath = "/y"') + hook("y", 'run = ["true"]'),
    "`hook.y` has the same path and method",
  ],
];

test("an invalid hook is refused with a message", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", 'run = ["true"]'), {
    environment: { CUT: "whsec_a" },
  });
  for (const [config, ...complaints] of refused) {
    t.deepEqual(
      (await at.edit(SERVER + config)).map((text) => text.replace(/^`[^`]*` (?=`)/, "")),
      complaints,
    );
    t.is((await at.post("x")).status, 202, config);
  }
});
