import test from "ava";
import { isIssuer } from "./issuer.js";

for (const [text, holds] of [
  ["https://token.example", true],
  ["https://token.example/realms/a", true],
  ["http://localhost:8080", true],
  ["http://127.0.0.1:8080", true],
  ["http://127.1.2.3", true],
  ["http://[::1]:8080", true],
  ["http://token.example", false],
  ["http://localhost.example", false],
  ["http://x127.0.0.1.example", false],
  ["https://ada@token.example", false],
  ["https://ada:pw@token.example", false],
  ["https://:pw@token.example", false],
  ["https://token.example/#a", false],
  ["ftp://token.example", false],
  ["token.example", false],
  ["", false],
] as const)
  test(`${JSON.stringify(text)} is ${holds ? "an" : "no"} issuer`, (t) => {
    t.is(isIssuer(text), holds);
  });
