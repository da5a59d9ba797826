import test from "ava";
import { CredentialInjector } from "../proxy/credentials.js";
import { createCredential, isCredentialHeader, withPlaceholders } from "./credentials.js";

const destination = { protocol: "https", host: "api.example", port: 443 } as const;
const spec = { name: "TOKEN", destinations: [destination], variable: "TOKEN" };

const placeholders: ReadonlyArray<readonly [value: string, shape: RegExp]> = [
  [`ghp_${"a".repeat(36)}`, /^ghp_[A-Za-z0-9]{36}$/],
  [`github_pat_${"a".repeat(60)}`, /^github_pat_[A-Za-z0-9]{60}$/],
  [`sk-ant-${"a".repeat(50)}`, /^sk-ant-[A-Za-z0-9]{50}$/],
  [`sk-${"a".repeat(48)}`, /^sk-[A-Za-z0-9]{48}$/],
  ["my-secret-password", /^[A-Za-z0-9]{24}$/],
  ["short", /^[A-Za-z0-9]{24}$/],
];
for (const [value, shape] of placeholders) {
  test(`the placeholder of ${value.slice(0, 12)}… has its shape, and nothing else of it`, (t) => {
    const first = createCredential(spec, value).placeholder ?? "";
    t.regex(first, shape);
    t.not(first, value);
    t.not(first, createCredential(spec, value).placeholder);
  });
}

for (const value of ["", "two\nlines", "tab\there", " space", "space ", "ä", "\0"]) {
  test(`the value ${JSON.stringify(value)} is refused without showing it`, (t) => {
    const { message } = t.throws(() => createCredential(spec, value));
    t.regex(message, /^The value of the credential TOKEN cannot be sent: it (is empty|has)/);
    t.true(value.trim() === "" || !message.includes(value));
  });
}

test("variables with the value get the placeholder, and the credential's own is set", (t) => {
  const credential = createCredential(spec, "p$&ssword-$1");
  const environment = { COPY: "p$&ssword-$1", URL: "https://u:p$&ssword-$1@a.example", OTHER: "x" };
  const own = credential.placeholder ?? "";
  t.deepEqual(withPlaceholders(environment, [{ spec, credential }]), {
    COPY: own,
    URL: `https://u:${own}@a.example`,
    OTHER: "x",
    TOKEN: own,
  });
});

test("a value with signs of replacement patterns arrives as it is", (t) => {
  const credential = createCredential(spec, "p$&ssword-$1");
  const own = credential.placeholder ?? "";
  const injector = new CredentialInjector([credential]);
  const raw = ["Authorization", `Bearer ${own}`, "authorization", `Basic ${btoa(`u:${own}`)}`];
  t.deepEqual(injector.inRawHeaders(destination, raw), [
    ...["Authorization", "Bearer p$&ssword-$1"],
    ...["authorization", `Basic ${btoa("u:p$&ssword-$1")}`],
  ]);
  t.deepEqual(injector.inRawHeaders({ ...destination, port: 8443 }, raw), raw);
});

test("headers of the connection and of the body cannot contain a credential", (t) => {
  const names = ["Host", "content-length", "Connection", "Proxy-Authorization", "bad name", ""];
  t.deepEqual(names.filter(isCredentialHeader), []);
  t.true(isCredentialHeader("X-Api-Key"));
});
