// Debian systems to try packages in: roots made by mmdebstrap, booted by systemd-nspawn with a network of their own.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A Debian with systemd, curl and what Node needs, in the empty directory `root`. */
export function makeRoot(suite, root) {
  const packages = "systemd,systemd-sysv,dbus,procps,curl,libatomic1,libstdc++6";
  execFileSync(
    "mmdebstrap",
    ["--quiet", "--variant=minbase", `--include=${packages}`, suite, root, mirror()],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
}

/** The mirror that this machine uses. */
function mirror() {
  const targets = execFileSync("apt-get", ["indextargets", "--format", "$(SITE)"], {
    encoding: "utf8",
  });
  return targets.split("\n")[0];
}

/** Boots the root and calls `use` with a function that runs a command in it. `options` are those of systemd-nspawn. */
export async function withSystem(root, use, options = []) {
  const container = spawn(
    "systemd-nspawn",
    [
      ...[
        "-D",
        root,
        "--boot",
        "--register=no",
        "--keep-unit",
        "--console=pipe",
        "--link-journal=no",
      ],
      ...["--private-network", "--quiet", ...options],
    ],
    { stdio: "ignore", env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1" } },
  );
  const ended = once(container, "exit");
  const leader = await until("the system starts", () => {
    const path = `/proc/${container.pid}/task/${container.pid}/children`;
    return existsSync(path) && readFileSync(path, "utf8").trim().split(" ")[0];
  });
  const machine = (command) => {
    const argv = ["-t", leader, "-m", "-u", "-i", "-p", "-n", "-C", "sh", "-c", command];
    const { status, stdout, stderr } = spawnSync("nsenter", argv, {
      encoding: "utf8",
      env: {
        PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        DEBIAN_FRONTEND: "noninteractive",
      },
    });
    return { status, text: `${stdout}${stderr}`.trim() };
  };
  try {
    await until("systemd answers", () =>
      /running|degraded/.test(machine("systemctl is-system-running").text),
    );
    await use(machine);
  } finally {
    machine("systemctl poweroff");
    const late = setTimeout(() => container.kill("SIGKILL"), 20_000);
    await ended;
    clearTimeout(late);
  }
}

/** Waits for two minutes at most. */
export async function until(what, holds) {
  for (let tries = 0; tries < 1200; tries += 1) {
    const found = holds();
    if (found) return found;
    await sleep(100);
  }
  throw new Error(`${what}: not within two minutes`);
}
