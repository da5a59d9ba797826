/** Places for a state directory that can be struck. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { output } from "../support/child.js";
import { eventually } from "../support/eventually.js";

export interface StateVolume {
  /** A new state directory. */
  fresh(): Promise<string>;
  /** From now on nothing reaches the disk. */
  cut(): void;
  /** Takes all free space. */
  fill(): void;
  /** Makes the volume usable again, with what is on the disk. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

const nothing = (): void => undefined;
const temporary = (): string => mkdtempSync(join(tmpdir(), "reeve-chaos-state-"));
const command = (name: string, ...args: string[]): void => void output(name, args);

export async function plain(): Promise<StateVolume> {
  const made: string[] = [];
  return {
    async fresh() {
      const directory = temporary();
      made.push(directory);
      return directory;
    },
    cut: nothing,
    fill: nothing,
    heal: async () => undefined,
    async close() {
      for (const directory of made) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A file system of 64 MiB in a file; `EXT4_IOC_SHUTDOWN` without a flush of its log is what a power cut leaves. */
export const ext4 = (): Promise<StateVolume | string> => {
  const image = join(tmpdir(), `reeve-chaos-${process.pid}.img`);
  return mounted({
    prepare() {
      command("truncate", "-s", "64M", image);
      command("mkfs.ext4", "-q", "-F", image);
    },
    mount: (directory) => command("mount", "-o", "loop", image, directory),
    cut: (directory) =>
      command(
        "perl",
        "-e",
        'open(my $f, "<", $ARGV[0]) or die $!; my $flag = pack("L", 2); ioctl($f, 0x8004587d, $flag) or die $!;',
        directory,
      ),
    remounts: true,
    // Without its old device, the next mount reads the image and not what a killed process still holds of it.
    isFree: () => output("losetup", ["--associated", image]) === "",
    clean: () => rmSync(image, { force: true }),
  });
};

/** 32 MiB of memory. */
export const small = (): Promise<StateVolume | string> =>
  mounted({
    prepare: nothing,
    mount: (directory) => command("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", directory),
    cut: nothing,
    remounts: false,
    isFree: () => true,
    clean: nothing,
  });

interface Mount {
  prepare(): void;
  mount(directory: string): void;
  cut(directory: string): void;
  readonly remounts: boolean;
  /** Whether nothing of the unmounted volume is in use. */
  isFree(): boolean;
  clean(): void;
}

async function mounted({
  prepare,
  mount,
  cut,
  remounts,
  isFree,
  clean,
}: Mount): Promise<StateVolume | string> {
  if (process.getuid?.() !== 0) return "needs root to mount a file system";
  const directory = temporary();
  let isMounted = false;
  const unmount = async (): Promise<void> => {
    if (!isMounted) return;
    await eventually("the unmount", () => {
      command("umount", directory);
      return true;
    });
    isMounted = false;
    await eventually("a volume that is free", isFree);
  };
  const open = (): void => {
    mount(directory);
    isMounted = true;
  };
  const close = async (): Promise<void> => {
    await unmount();
    rmSync(directory, { recursive: true });
    clean();
  };
  try {
    prepare();
    open();
  } catch (thrown) {
    await close();
    return (thrown as Error).message.split("\n").slice(-2).join(" ").trim();
  }
  const full = join(directory, "full");
  let count = 0;
  return {
    async fresh() {
      count += 1;
      rmSync(join(directory, `state-${count - 1}`), { recursive: true, force: true });
      return join(directory, `state-${count}`);
    },
    cut: () => cut(directory),
    fill() {
      try {
        for (;;) writeFileSync(full, Buffer.alloc(256 * 1024), { flag: "a" });
      } catch {
        // It is full.
      }
    },
    async heal() {
      if (remounts) {
        await unmount();
        open();
      }
      rmSync(full, { force: true });
    },
    close,
  };
}
