/**
 * Requests as their senders make them. Those marked with * are published by the vendor; the others were computed apart
 * from this code, with Python's `hmac`.
 */
import type { KindName, VerifyRule } from "../decide/verify/kinds.js";

export interface Vector {
  readonly title: string;
  readonly kind: KindName;
  readonly secret: string | readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Unix seconds. */
  readonly now?: number;
  readonly rule?: Partial<VerifyRule>;
  readonly holds?: false;
}

const EVERYBODY = "It's a Secret to Everybody";
const GITHUB = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
const github = {
  kind: "github",
  secret: EVERYBODY,
  headers: { "x-hub-signature-256": GITHUB },
  body: "Hello, World!",
} as const;

const SLACK_TIME = 1531420618;
const slack = {
  kind: "slack",
  secret: "8f742231b10e8888abcd99yyyzzz85a5",
  headers: {
    "x-slack-request-timestamp": String(SLACK_TIME),
    "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
  },
  body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
  now: SLACK_TIME,
} as const;

const STRIPE_TIME = 1614556800;
const STRIPE = "4b84b790795620969b08a42ba000110ae8bf58a5784f16c215b248752ce65404";
const STRIPE_OLD = "e1befe134c013c75f5d792b8ce3d5c79145f96388530b5da05b25312fb897acd";
const stripe = {
  kind: "stripe",
  secret: "whsec_test_secret",
  headers: { "stripe-signature": `t=${STRIPE_TIME},v1=${STRIPE}` },
  body: '{"id":"evt_1"}',
  now: STRIPE_TIME,
} as const;
const stripeHeader = (text: string) => ({ headers: { "stripe-signature": text } });

const STANDARD_TIME = 1614265330;
const STANDARD_KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const STANDARD = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const standardHeaders = (family: string, signature = STANDARD) => ({
  [`${family}-id`]: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  [`${family}-timestamp`]: String(STANDARD_TIME),
  [`${family}-signature`]: signature,
});
const standard = {
  kind: "standard_webhooks",
  secret: STANDARD_KEY,
  headers: standardHeaders("webhook"),
  body: '{"test": 2432232314}',
  now: STANDARD_TIME,
} as const;

const GITEA = "2e3f2e1bf037f1803448bf6a2144f3e320c786871701d541c2556650be5dba8e";
const gitea = {
  kind: "gitea",
  secret: "hunter22",
  headers: { "x-gitea-signature": GITEA },
  body: '{"ref":"main"}',
} as const;
const gitlabSigned = {
  kind: "gitlab",
  secret: STANDARD_KEY,
  headers: {
    "webhook-id": "gl-1",
    "webhook-timestamp": String(STANDARD_TIME),
    "webhook-signature": "v1,zFlDyg8+cNHOpvsCYeLW7jcJWwPXfKNHVzJKfY3IltU=",
  },
  body: '{"object_kind":"push"}',
  now: STANDARD_TIME,
} as const;
const basic = (credentials: string) => ({
  kind: "basic" as const,
  secret: "open:sesame",
  rule: { user: "ci" },
  headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
});

export const vectors: readonly Vector[] = [
  { title: "GitHub's example*", ...github },
  { title: "GitHub's example, another body", ...github, body: "Hello, World?", holds: false },
  {
    title: "GitHub, the older of two secrets in use",
    ...github,
    secret: ["a-new-one", EVERYBODY],
  },
  { title: "GitHub, neither of two secrets", ...github, secret: ["a", "b"], holds: false },
  {
    title: "GitHub without `sha256=`",
    ...github,
    headers: { "x-hub-signature-256": GITHUB.slice(7) },
    holds: false,
  },
  {
    title: "GitHub, two signatures in one header",
    ...github,
    headers: { "x-hub-signature-256": `${GITHUB}, ${GITHUB}` },
    holds: false,
  },
  { title: "GitHub without a header", ...github, headers: {}, holds: false },
  {
    title: "Bitbucket's example*",
    kind: "bitbucket",
    secret: EVERYBODY,
    headers: {
      "x-hub-signature": "sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9",
    },
    body: "Hello World!",
  },
  { title: "Gitea", ...gitea },
  { title: "Gitea, another secret", ...gitea, secret: "hunter23", holds: false },
  { title: "Forgejo", ...gitea, kind: "forgejo", headers: { "x-forgejo-signature": GITEA } },
  { title: "Forgejo under Gitea's name", ...gitea, kind: "forgejo" },
  {
    title: "Gitea under Forgejo's name",
    ...gitea,
    headers: { "x-forgejo-signature": GITEA },
    holds: false,
  },
  { title: "Slack's example*", ...slack },
  { title: "Slack, five minutes later", ...slack, now: SLACK_TIME + 300 },
  { title: "Slack, more than five minutes later", ...slack, now: SLACK_TIME + 301, holds: false },
  { title: "Slack, from the future", ...slack, now: SLACK_TIME - 301, holds: false },
  {
    title: "Slack, within a tolerance of its own",
    ...slack,
    now: SLACK_TIME + 900,
    rule: { tolerance: 900_000 },
  },
  {
    title: "Slack, the time changed and the signature kept",
    ...slack,
    headers: { ...slack.headers, "x-slack-request-timestamp": String(SLACK_TIME + 1) },
    holds: false,
  },
  {
    title: "Slack without a time",
    ...slack,
    headers: { "x-slack-signature": slack.headers["x-slack-signature"] },
    holds: false,
  },
  { title: "Stripe", ...stripe },
  { title: "Stripe, ten minutes later", ...stripe, now: STRIPE_TIME + 600, holds: false },
  {
    title: "Stripe, signed with two secrets while one is changed",
    ...stripe,
    ...stripeHeader(`t=${STRIPE_TIME},v1=${STRIPE_OLD},v1=${STRIPE},v0=${"0".repeat(64)}`),
  },
  {
    title: "Stripe, the right signature under the name of another scheme",
    ...stripe,
    ...stripeHeader(`t=${STRIPE_TIME},v0=${STRIPE}`),
    holds: false,
  },
  {
    title: "Stripe, two times",
    ...stripe,
    ...stripeHeader(`t=${STRIPE_TIME},t=${STRIPE_TIME},v1=${STRIPE}`),
    holds: false,
  },
  { title: "Stripe without a time", ...stripe, ...stripeHeader(`v1=${STRIPE}`), holds: false },
  {
    title: "Shopify",
    kind: "shopify",
    secret: "hush",
    headers: { "x-shopify-hmac-sha256": "jTGzr08AJvcgtbIkUddSD0iSWB5b7q7u865iNwjRcKI=" },
    body: '{"id":820982911946154500}',
  },
  { title: "the example of Standard Webhooks*", ...standard },
  {
    title: "Standard Webhooks under the names of Svix",
    ...standard,
    headers: standardHeaders("svix"),
  },
  {
    title: "Standard Webhooks, one of several signatures",
    ...standard,
    headers: standardHeaders("webhook", `v1,${"A".repeat(43)}= v1a,xyz ${STANDARD}`),
  },
  {
    title: "Standard Webhooks, the key without `whsec_`",
    ...standard,
    secret: STANDARD_KEY.slice(6),
  },
  {
    title: "Standard Webhooks, another id",
    ...standard,
    headers: { ...standardHeaders("webhook"), "webhook-id": "msg_2" },
    holds: false,
  },
  {
    title: "Standard Webhooks, ten minutes later",
    ...standard,
    now: STANDARD_TIME + 600,
    holds: false,
  },
  {
    title: "GitLab's token",
    kind: "gitlab",
    secret: "glpat",
    headers: { "x-gitlab-token": "glpat" },
  },
  {
    title: "GitLab, another token",
    kind: "gitlab",
    secret: "glpat",
    headers: { "x-gitlab-token": "glpat2" },
    holds: false,
  },
  { title: "GitLab's signing token", ...gitlabSigned },
  {
    title: "GitLab's signing token sent as it is",
    ...gitlabSigned,
    headers: { "x-gitlab-token": STANDARD_KEY },
    holds: false,
  },
  {
    title: "GitLab, from the token to the signing token",
    ...gitlabSigned,
    secret: ["glpat", STANDARD_KEY],
  },
  {
    title: "a bearer token",
    kind: "bearer",
    secret: "t0k3n",
    headers: { authorization: "bearer t0k3n" },
  },
  {
    title: "another bearer token",
    kind: "bearer",
    secret: "t0k3n",
    headers: { authorization: "Bearer t0k3n2" },
    holds: false,
  },
  {
    title: "a bearer token as the password without a user",
    kind: "bearer",
    secret: "t0k3n",
    headers: { authorization: "Basic t0k3n" },
    holds: false,
  },
  { title: "user and password, which has a colon", ...basic("ci:open:sesame") },
  { title: "another user", ...basic("root:open:sesame"), holds: false },
  { title: "another password", ...basic("ci:open"), holds: false },
  { title: "a user alone", ...basic("ci"), holds: false },
  {
    title: "credentials that are not Base64",
    ...basic(""),
    headers: { authorization: "Basic ci:open:sesame" },
    holds: false,
  },
];
