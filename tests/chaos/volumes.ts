/** Disks for a state directory that can be struck. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { output } from "../support/child.js";
import { eventually } from "../support/eventually.js";

export interface StateVolume {
  /** From now on nothing reaches the disk. */
  cut(): void;
  /** Takes all free space. */
  fill(): void;
  free(): void;
  /** With what is on the disk. Called when nothing uses it. */
  remount(): Promise<void>;
  close(): Promise<void>;
}

/** Makes one at an empty directory. @throws Error with the reason where this machine cannot */
export type OpenVolume = (state: string) => Promise<StateVolume>;

const nothing = (): void => undefined;
const command = (name: string, ...args: string[]): void => void output(name, args);

/** The disk that the directory is on. */
export const plain: OpenVolume = async () => ({
  ...{ cut: nothing, fill: nothing, free: nothing },
  remount: async () => undefined,
  close: async () => undefined,
});

/** A file system of 64 MiB in a file; `EXT4_IOC_SHUTDOWN` without a flush of its log is what a power cut leaves. */
export const ext4: OpenVolume = (state) => {
  const image = `${state}.img`;
  command("truncate", "-s", "64M", image);
  command("mkfs.ext4", "-q", "-F", image);
  return mounted(state, {
    mount: () => command("mount", "-o", "loop", image, state),
    cut: () =>
      command(
        "perl",
        "-e",
        'open(my $f, "<", $ARGV[0]) or die $!; my $flag = pack("L", 2); ioctl($f, 0x8004587d, $flag) or die $!;',
        state,
      ),
    // Without its old device, the next mount reads the image and not what a killed process still holds of it.
    isFree: () => output("losetup", ["--associated", image]) === "",
  });
};

/** 32 MiB of memory. */
export const small: OpenVolume = (state) =>
  mounted(state, {
    mount: () => command("mount", "-t", "tmpfs", "-o", "size=32m,mode=700", "tmpfs", state),
    cut: nothing,
    isFree: () => true,
  });

interface Mount {
  mount(): void;
  cut(): void;
  /** Whether nothing of the unmounted volume is in use. */
  isFree(): boolean;
}

async function mounted(state: string, { mount, cut, isFree }: Mount): Promise<StateVolume> {
  const full = join(state, "full");
  const unmount = async (): Promise<void> => {
    await eventually("the unmount", () => {
      command("umount", state);
      return true;
    });
    await eventually("a volume that is free", isFree);
  };
  mount();
  return {
    cut,
    fill() {
      try {
        for (;;) writeFileSync(full, Buffer.alloc(256 * 1024), { flag: "a" });
      } catch {
        // It is full.
      }
    },
    free: () => rmSync(full, { force: true }),
    async remount() {
      await unmount();
      mount();
    },
    close: unmount,
  };
}
