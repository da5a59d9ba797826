// Takes every port and socket that an example or a page names, as a daemon of the person who runs the tests would have them: no
// test may need one of them.
import { globSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";

const PAGES = [
  "README.md",
  "docs/**/*.md",
  "examples/**/*.{reeve,md,json,yaml}",
  "cli/starter/*.reeve",
  "plugins/**/README.md",
];

/** What pages and examples name: ports that a user may listen on, and sockets of the daemon. */
export function namedAddresses() {
  const text = globSync(PAGES)
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const ports = [
    ...text.matchAll(
      /(?:127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1?\]|listen = ")(?::|\\:)(\d{4,5})\b/g,
    ),
  ]
    .map(([, port]) => Number(port))
    .filter((port) => port > 1023 && port < 32_768);
  const sockets = [...text.matchAll(/\/run\/reeve\/[\w.-]+\.sock\b/g)].map(([path]) => path);
  return {
    ports: [...new Set(ports)].sort((a, b) => a - b),
    sockets: [...new Set(sockets)].sort(),
  };
}

/** Takes what is free; others have the rest. Keeps in `record` which paths it made, for `vacate`; returns what closes all. */
export async function occupy({ ports, sockets }, record) {
  let made = [];
  const keep = (entries) => {
    made = entries;
    writeFileSync(record, JSON.stringify(made));
  };
  const held = async (path) => {
    const directory = mkdirSync(dirname(path), { recursive: true });
    if (directory) keep([{ directory }, ...made]);
    const server = await taken({ path });
    if (server) keep([{ path }, ...made]);
    return server;
  };
  const servers = await Promise.all([
    ...ports.map((port) => taken({ port, host: "127.0.0.1" })),
    ...(process.getuid?.() === 0 ? sockets : []).map(held),
  ]);
  return () => {
    for (const server of servers) server?.close();
    keep(made.filter(({ directory }) => directory));
  };
}

/** Removes what `occupy` made: its process may have been killed. */
export function vacate(record) {
  for (const { path, directory } of read(record))
    try {
      if (path) rmSync(path, { force: true });
      else rmdirSync(directory);
    } catch {
      // It is in use, or gone.
    }
}

function read(record) {
  try {
    return JSON.parse(readFileSync(record, "utf8"));
  } catch {
    // Nothing was taken yet.
    return [];
  }
}

const taken = (address) =>
  new Promise((resolve) => {
    const server = createServer((connection) => connection.destroy());
    server.unref();
    server.once("error", () => resolve(undefined));
    server.listen(address, () => resolve(server));
  });
