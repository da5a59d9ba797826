import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { type ExecutionContext } from "ava";
import type { FileSystemView } from "./file-system-view.js";
import { layOutHomes } from "./home/layout.js";
import { boundNames } from "./host-sockets.js";
import { mountArguments } from "./mounts.js";

/** A home and a workspace with some files, and the view of them. */
function viewOf(t: ExecutionContext): FileSystemView {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "awf-mounts-")));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const [home, workspace] = [join(directory, "home"), join(directory, "workspace")];
  mkdirSync(join(home, ".ssh"), { recursive: true });
  mkdirSync(join(workspace, ".git", "hooks"), { recursive: true });
  writeFileSync(join(home, ".ssh", "id_rsa"), "secret");
  writeFileSync(join(home, ".npmrc"), "secret");
  writeFileSync(join(home, ".bashrc"), "");
  writeFileSync(join(directory, "real"), "secret");
  const root = join(directory, "home-0");
  const { homes } = layOutHomes(
    [
      {
        ...{
          home,
          name: "home-0",
          writable: true,
          opened: [],
          allowed: [],
          held: [],
          hidden: [],
          relocated: [],
        },
        ...{ uid: 0, gid: 0 },
      },
    ],
    root,
    join(root, "hiding.tar"),
  );
  return {
    home,
    workspaces: [workspace],
    otherHomes: [],
    homes,
    fallback: "/fallback",
    volumes: [],
    files: new Map(),
    emptyFile: "/empty",
    hidden: [],
    hostSockets: [],
    kept: [join(workspace, ".git", "hooks")],
  };
}

/** The options in order, each with its operands. */
function options(view: FileSystemView): string[] {
  return mountArguments(view)
    .join(" ")
    .split(/ (?=--)/);
}

test("the root is rebuilt from the host's entries, read-only, and sealed last", (t) => {
  const made = options(viewOf(t));
  t.true(made.includes("--ro-bind /usr /usr"));
  t.true(made.includes("--symlink ../usr /host/usr"));
  t.true(made.includes("--ro-bind /etc /host/etc"));
  t.deepEqual(made.slice(-2), ["--remount-ro /host", "--remount-ro /"]);
  for (const never of [
    "/proc /host/proc",
    "/dev /host/dev",
    "/run /run",
    "/tmp /tmp",
    "/run /host/run",
  ]) {
    t.false(
      made.some((option) => option.endsWith(`bind ${never}`)),
      never,
    );
  }
});

test("/host has the host's directory wherever the sandbox has another", (t) => {
  const view = viewOf(t);
  const made = options({
    ...view,
    volumes: [{ host: view.workspaces[0] ?? "", sandbox: "/usr/share", mode: "ro" }],
  });
  t.true(made.includes("--ro-bind /usr /host/usr"));
});

test("a host socket is masked once at every visible path", (t) => {
  const view = viewOf(t);
  const socket = join(view.workspaces[0] ?? "", "agent.sock");
  const inHome = join(view.home, "agent.sock");
  for (const path of [socket, inHome]) writeFileSync(path, "");
  const hidden = join(view.home, ".ssh", "agent");
  writeFileSync(hidden, "");
  const made = options({
    ...view,
    hostSockets: [socket, inHome, hidden, "/etc/passwd", "/usr/bin/env", "/run/x"],
  });
  const masks = made.filter((option) => option.startsWith("--ro-bind /empty "));
  for (const path of [socket, "/etc/passwd", "/host/etc/passwd", "/usr/bin/env"]) {
    t.true(masks.includes(`--ro-bind /empty ${path}`), path);
  }
  t.false(masks.includes("--ro-bind /empty /host/usr/bin/env"));
  t.false(masks.some((option) => option.endsWith("/run/x") || option.endsWith(hidden)));
  t.false(
    masks.some((option) => option.endsWith(inHome)),
    "a private directory has no sockets",
  );
});

test("home and workspace are writable, their secrets are hidden, what git runs is not writable", (t) => {
  const view = viewOf(t);
  const {
    home,
    workspaces: [workspace = ""],
  } = view;
  const made = options(view);
  t.true(made.includes(`--bind ${dirname(view.homes[0]?.root ?? "")}/hiding/home-0/shown ${home}`));
  t.true(made.includes(`--bind ${workspace} ${workspace}`));
  t.true(made.includes(`--ro-bind ${workspace}/.git/hooks ${workspace}/.git/hooks`));
  const atSecrets = made.filter((option) => option.includes(`${home}/.`));
  t.true(
    atSecrets.every((option) => option.startsWith("--ro-bind-try ")),
    "the layers hide what is secret",
  );
  t.true(made.some((option) => option.startsWith("--symlink ") && option.endsWith(`/host${home}`)));
});

test("where there is no overlay the home is read-only and its secrets are covered", (t) => {
  const view = viewOf(t);
  const { home } = view;
  const made = options(view);
  t.true(made.includes(`--ro-bind-try /fallback/home-0 ${home}`));
  t.true(made.includes(`--ro-bind-try /fallback/directory ${home}/.ssh`));
  t.true(made.includes(`--ro-bind-try /fallback/empty ${home}/.npmrc`));
});

test("with a list of writable paths everything else is read-only", (t) => {
  const view = viewOf(t);
  const {
    home,
    workspaces: [workspace = ""],
  } = view;
  const homes = view.homes.map((layout) => ({ ...layout, writable: false }));
  const made = options({ ...view, homes, allowWrite: [join(workspace, ".git")] });
  t.true(made.includes(`--ro-bind ${dirname(homes[0]?.root ?? "")}/hiding/home-0/shown ${home}`));
  t.true(made.includes(`--ro-bind ${workspace} ${workspace}`));
  t.true(made.includes(`--bind ${workspace}/.git ${workspace}/.git`));
});

const systemDirectories = [
  "/",
  "/etc",
  "/usr",
  "/usr/bin",
  "/var",
  "/home",
  "/tmp",
  "/root",
  "/proc",
  "/sys/kernel",
  "/boot",
];
for (const workspace of systemDirectories) {
  test(`started in ${workspace}, awf does not make it writable`, (t) => {
    t.false(
      options({ ...viewOf(t), workspaces: [workspace] }).some(
        (option) => option === `--bind ${workspace} ${workspace}`,
      ),
    );
  });
}

test("a mount point that the host lacks causes its directory to be rebuilt", (t) => {
  const view = viewOf(t);
  const made = options({
    ...view,
    volumes: [{ host: view.workspaces[0] ?? "", sandbox: "/var/awf/deep", mode: "rw" }],
  });
  t.true(made.includes("--tmpfs /var"));
  t.true(made.some((option) => option.startsWith("--ro-bind /var/lib ")));
  t.false(made.includes("--ro-bind /var /var"));
  t.true(
    made.indexOf("--remount-ro /var") >
      made.indexOf(`--bind ${view.workspaces[0] ?? ""} /var/awf/deep`),
  );
});

test("a file behind a link is mounted at the link's target", (t) => {
  const view = viewOf(t);
  const link = join(view.workspaces[0] ?? "", "resolv.conf");
  symlinkSync(join(view.workspaces[0] ?? "", "..", "real"), link);
  const made = options({ ...view, files: new Map([[link, "/own"]]) });
  t.true(made.includes(`--ro-bind /own ${join(view.workspaces[0] ?? "", "..", "real")}`));
});

test("sockets that listen or take datagrams are found by their path", (t) => {
  const table = [
    "Num       RefCount Protocol Flags    Type St Inode Path",
    "0000000000000000: 00000002 00000000 00010000 0001 01 11 /run/listening.sock",
    "0000000000000000: 00000002 00000000 00000000 0002 01 12 /run/datagrams",
    "0000000000000000: 00000003 00000000 00000000 0001 03 13 /run/connected.sock",
    "0000000000000000: 00000002 00000000 00010000 0001 01 14 @abstract",
    "0000000000000000: 00000002 00000000 00010000 0001 01 15",
    "0000000000000000: 00000002 00000000 00010000 0001 01 16 /with a blank",
    "",
  ].join("\n");
  t.deepEqual(boundNames(table), [
    "/run/listening.sock",
    "/run/datagrams",
    "/run/connected.sock",
    "/with a blank",
  ]);
});
