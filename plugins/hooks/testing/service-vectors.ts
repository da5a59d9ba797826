/** Requests of Linear, Sentry, PagerDuty, Microsoft Teams and Drone, computed apart from this code, with Python's `hmac`. */
import type { Vector } from "./vectors.js";

const PAGERDUTY =
  "v1=955eb58c065489429d2020f99f23cc443b5cd01b5282ca35be30a95f0a8b2969,v1=206df7be627fa2478e48f00247d419647c2acc501c2e37c9f03e0e1d73895a6a";
const pagerduty = {
  kind: "pagerduty",
  secret: "pd-secret",
  headers: { "x-pagerduty-signature": PAGERDUTY },
  body: '{"event":{"id":"01"}}',
} as const;
const teams = {
  kind: "microsoft_teams",
  secret: "YSBzZWN1cml0eSB0b2tlbiBvZiBUZWFtcywgMzIgYnk=",
  headers: { authorization: "HMAC WAWDv6m/fDjC/avnEK9sU0mpN8HEojdv3H9K/Hf0RbA=" },
  body: '{"text":"deploy"}',
} as const;
const droneSignature = (signature: string, headers: string): string =>
  `keyId="hmac-key",algorithm="hmac-sha256",signature="${signature}",headers="${headers}"`;
const drone = {
  kind: "drone",
  secret: "drone-secret",
  headers: {
    date: "Tue, 24 Nov 2026 03:00:00 GMT",
    digest: "SHA-256=BsRS7q4yFvSnNVElaYtVHbqlOTZ6nzOBgiQE4L7+1Nw=",
    signature: droneSignature("O7bo8k5DQlnRtoQYLM2HnXfBtw4HSYVuhTMYie2SrLY=", "date digest"),
  },
  body: '{"event":"build"}',
  now: 1795489200,
} as const;

export const serviceVectors: readonly Vector[] = [
  {
    title: "Linear",
    kind: "linear",
    secret: "lin_wh_secret",
    headers: {
      "linear-signature": "a7bba58b65016c49731160ce8b989d0ca1f59132af4325a869c25a5740179f91",
    },
    body: '{"action":"create","type":"Issue"}',
  },
  {
    title: "Sentry",
    kind: "sentry",
    secret: "client-secret",
    headers: {
      "sentry-hook-signature": "1c20166a5a6576f55b72d626aefc22c6e73a252e1f4cc8e87dc0ede1cdf4b5bc",
    },
    body: '{"action":"created"}',
  },
  { title: "PagerDuty", ...pagerduty },
  { title: "PagerDuty, the older of two secrets", ...pagerduty, secret: ["new", "old"] },
  { title: "PagerDuty, another body", ...pagerduty, body: "{}", holds: false },
  {
    title: "PagerDuty without `v1=`",
    ...pagerduty,
    headers: { "x-pagerduty-signature": PAGERDUTY.slice(3) },
    holds: false,
  },
  { title: "Microsoft Teams", ...teams },
  { title: "Microsoft Teams, another body", ...teams, body: "{}", holds: false },
  { title: "Microsoft Teams, an empty token", ...teams, secret: "", holds: false },
  { title: "Drone", ...drone },
  { title: "Drone, another body", ...drone, body: "{}", holds: false },
  { title: "Drone, ten minutes later", ...drone, now: drone.now + 600, holds: false },
  {
    title: "Drone, a signature that leaves the digest out",
    ...drone,
    headers: {
      ...drone.headers,
      signature: droneSignature("M1sUic0nRFTQDmsnAQFWtIGhDhK9GiTcXPNorC8XLI0=", "date"),
    },
    holds: false,
  },
  {
    title: "Drone, a parameter twice",
    ...drone,
    headers: { ...drone.headers, signature: `${drone.headers.signature},headers="date"` },
    holds: false,
  },
];
