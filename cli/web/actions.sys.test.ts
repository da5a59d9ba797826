/** The actions of the page over real sockets: what is asked, what reaches the daemon, and what does not. */
import test from "ava";
import type { ActionAnswer, MenuEntry, PageData } from "./page/wire.js";
import { type ActionCase, actionAnswers, actionCases, screens } from "./testing/actions.js";
import { type Sent, served, viewOf } from "./testing/served.js";

type Headers = Readonly<Record<string, string>>;
type Fixture = Awaited<ReturnType<typeof served>>;

/** A view that stays open, and requests in it. */
async function opened(
  at: Fixture,
  { screen, tab = 0 }: Pick<ActionCase, "screen" | "tab">,
  own?: Headers,
) {
  const headers = own ?? (await at.enter());
  const stream = await at.open(`/-/stream?screen=${screen}&tab=${tab}`, { headers });
  const data = await viewOf<PageData>(stream.iterator({ destroyOnReturn: false }));
  stream.resume();
  const sent = (body: object): Sent => ({
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ view: data.view, ...body }),
  });
  const post = async <Answer = ActionAnswer>(path: string, body: object): Promise<Answer> => {
    const { status, body: text } = await at.send(path, sent(body));
    if (status !== 200) throw new Error(`${status}: ${text}`);
    return JSON.parse(text);
  };
  return { headers, data, stream, sent, post };
}

const writes = ({ daemon }: Pick<Fixture, "daemon">) =>
  daemon.requests.filter(({ request }) => /^POST (?!\/v1\/plan$)/.test(request));
const textOf = (answer: ActionAnswer): string =>
  answer.kind === "page"
    ? `${answer.title}\n${answer.text}`
    : answer.kind === "question"
      ? answer.question
      : answer.text;

test.serial("every action of every screen has a row here", (t) => {
  const all = screens.flatMap(({ id, keys = [] }) => keys.map(({ action }) => `${id} ${action}`));
  const rows = actionCases.map(({ screen, action }) => `${screen} ${action}`);
  t.deepEqual([...new Set(rows)].sort(), all.sort());
});

for (const own of actionCases) {
  const { screen, action, row, question, request, body, result, offer } = own;
  test.serial(`${screen}, ${action}: asked, performed once, said`, async (t) => {
    const at = await served(t, actionAnswers(t), { screens });
    const { post } = await opened(at, own);
    let answer = await post("/-/action", { action, ...(row !== undefined && { id: row }) });
    if (question) {
      t.is(answer.kind, "question");
      t.regex(textOf(answer), question);
      t.deepEqual(writes(at), []);
      const { confirmation } = answer as ActionAnswer & { readonly confirmation: string };
      answer = await post("/-/confirm", { confirmation });
      t.like(await post("/-/confirm", { confirmation }), { kind: "notice", bad: true });
    }
    t.regex(textOf(answer), result);
    t.false(textOf(answer).includes("\u001b"));
    const received = at.daemon.requests.filter((each) => each.request === request);
    if (request !== undefined) t.true(received.length > 0, request);
    if (request !== "POST /v1/plan") t.is(received.length, request === undefined ? 0 : 1);
    if (body) t.deepEqual(received[0]?.body, body);
    if (!offer) return;
    t.is(answer.kind, "page");
    if (answer.kind !== "page") return;
    t.deepEqual(writes(at), []);
    t.regex(answer.question ?? "", offer.question);
    t.regex(textOf(await post("/-/confirm", { confirmation: answer.confirmation })), offer.result);
  });
}

test.serial("the menu of a row says why an action cannot be done to it", async (t) => {
  const at = await served(t, actionAnswers(t));
  const { post } = await opened(at, { screen: "hooks", tab: 1 });
  const [replay, cancel, copy] = await post<readonly MenuEntry[]>("/-/menu", { id: "r-0001" });
  t.like(replay, { action: "replay", key: "r", why: undefined });
  t.like(cancel, { action: "cancel", why: "This run has finished." });
  t.is(copy?.action, "copy");
  t.regex(
    textOf(await post("/-/action", { action: "copy", id: "r-0001" })),
    /^failed +hook\.deploy .* r-0001$/,
  );
});

test.serial("a plugin that cannot do it is quoted, and nothing else happens", async (t) => {
  const at = await served(t, actionAnswers(t));
  const { post } = await opened(at, { screen: "plugins" });
  const release = await post("/-/action", { action: "release", id: "hooks" });
  t.deepEqual(release, { kind: "notice", text: "hooks is not quarantined", bad: true });
  t.deepEqual(await post("/-/action", { action: "restart" }), {
    ...{ kind: "notice", text: "Choose a row first.", bad: true },
  });
  t.regex(textOf(await post("/-/action", { action: "quit" })), /no such action/);
  t.deepEqual(writes(at), []);
});

test.serial("a daemon that refuses is quoted", async (t) => {
  const refusal = {
    ...{ type: "urn:reeve:conflict", title: "Conflict", status: 409, code: "conflict" },
    detail: "The run has ended",
  };
  const answers = { ...actionAnswers(t), "POST /v1/hooks/cancel": () => refusal };
  const at = await served(t, answers);
  const { post } = await opened(at, { screen: "hooks", tab: 1 });
  const proposed = await post("/-/action", { action: "cancel", id: "r-0003" });
  const { confirmation } = proposed as ActionAnswer & { readonly confirmation: string };
  const said = await post("/-/confirm", { confirmation });
  t.deepEqual(said, { kind: "notice", text: "The run has ended", bad: true });
});

test.serial("with --read-only only what changes nothing is offered and performed", async (t) => {
  const at = await served(t, actionAnswers(t), { screens, readOnly: true });
  const headers = await at.enter();
  for (const own of actionCases) {
    const { data, post, stream } = await opened(at, own, headers);
    const changes = own.action !== "plan";
    t.is(
      data.actions.some(({ action }) => action === own.action),
      !changes,
    );
    const { action, row } = own;
    const said = await post("/-/action", { action, ...(row !== undefined && { id: row }) });
    if (changes) t.is(textOf(said), "The page is read-only.", action);
    stream.destroy();
  }
  t.deepEqual(writes(at), []);
});

type Change = (sent: Sent) => Sent;
const header =
  (name: string, value?: string): Change =>
  ({ headers: { [name]: _, ...rest } = {}, ...sent }) => ({
    ...sent,
    headers: value === undefined ? rest : { ...rest, [name]: value },
  });
const text =
  (body: string): Change =>
  (sent) => ({ ...sent, body });

const refused: Readonly<Record<string, readonly [Change, number]>> = {
  "without Origin": [header("origin"), 403],
  "of another origin": [header("origin", "http://evil.test"), 403],
  "of another site": [header("sec-fetch-site", "cross-site"), 403],
  "of another port": [header("sec-fetch-site", "same-site"), 403],
  "without Sec-Fetch-Site": [header("sec-fetch-site"), 403],
  "as a form": [header("content-type", "text/plain"), 403],
  "without the secret of the page": [header("x-reeve-session"), 401],
  "without the cookie": [header("cookie"), 401],
  "for another host": [header("host", "evil.test"), 421],
  "with GET": [({ headers = {} }) => ({ method: "GET", headers }), 404],
  "without a view": [text("{}"), 400],
  "of a view that is not open": [text('{"view":"x","action":"restart","id":"hooks"}'), 409],
  "with something else than texts": [text('{"view":"x","id":{}}'), 400],
  "that is no JSON": [text("{"), 400],
  "that is null": [text("null"), 400],
  "that is too long": [text(JSON.stringify({ view: "x".repeat(5000) })), 400],
};
for (const [about, [change, status]] of Object.entries(refused)) {
  test.serial(`an action ${about}: ${status}`, async (t) => {
    const at = await served(t, actionAnswers(t));
    const { post, sent } = await opened(at, { screen: "plugins" });
    const proposed = await post("/-/action", { action: "restart", id: "hooks" });
    const { confirmation } = proposed as ActionAnswer & { readonly confirmation: string };
    for (const path of ["/-/menu", "/-/action", "/-/confirm"]) {
      t.is((await at.send(path, change(sent({ confirmation })))).status, status, path);
    }
    t.deepEqual(writes(at), []);
  });
}

test.serial(
  "a question is confirmed only in the view that asked it, and only while it is open",
  async (t) => {
    const at = await served(t, actionAnswers(t));
    const first = await opened(at, { screen: "plugins" });
    const second = await opened(at, { screen: "plugins" }, first.headers);
    const other = await opened(at, { screen: "plugins" });
    const proposed = await first.post("/-/action", { action: "restart", id: "hooks" });
    const { confirmation } = proposed as ActionAnswer & { readonly confirmation: string };
    t.like(await second.post("/-/confirm", { confirmation }), { kind: "notice", bad: true });
    t.like(await other.post("/-/confirm", { confirmation }), { kind: "notice", bad: true });
    // The view of one session is not there for another.
    const { status } = await at.send(
      "/-/confirm",
      other.sent({ view: first.data.view, confirmation }),
    );
    t.is(status, 409);
    t.deepEqual(writes(at), []);
  },
);
