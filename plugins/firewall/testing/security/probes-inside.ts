/** Attempts against the file system, other processes and the kernel; see `probes.ts`. */
import { denied, type Probe, python, refused } from "./probes.js";

const readOnly = /Read-only file system|Permission denied/;

export const isolation: readonly Probe[] = [
  { name: "a new user namespace", line: "unshare --user true", gets: denied },
  { name: "a new network namespace", line: "unshare --net true", gets: denied },
  { name: "the namespace of process 1", line: "nsenter --target 1 --net true", gets: denied },
  {
    name: "a mount",
    line: "mount -t tmpfs none /mnt",
    gets: /permission denied|Operation not permitted|must be superuser/,
  },
  {
    name: "unmounting a mask",
    line: "umount /etc/hosts",
    gets: /not permitted|must be superuser|denied/,
  },
  { name: "a new root", line: "/usr/sbin/chroot / true", gets: denied },
  {
    name: "ptrace",
    line: python(
      "import ctypes as c; l=c.CDLL(None,use_errno=True); print(l.ptrace(16,1,0,0), c.get_errno())",
    ),
    gets: "-1 1",
  },
  {
    name: "a kernel key ring",
    line: python(
      'import ctypes as c; l=c.CDLL(None,use_errno=True); print(l.syscall(250 if __import__("platform").machine()=="x86_64" else 219,0,0), c.get_errno())',
    ),
    gets: "-1 1",
  },
  {
    name: "becoming another user",
    line: "su -c id nobody </dev/null",
    gets: /cannot set groups|Authentication|not permitted|failure|must be run/i,
  },
  {
    name: "capabilities",
    line: "grep -h Cap /proc/self/status | tr -d '[:space:]'",
    gets: "CapInh:0000000000000000CapPrm:0000000000000000CapEff:0000000000000000CapBnd:0000000000000000CapAmb:0000000000000000",
  },
  {
    name: "new privileges",
    line: "grep -h NoNewPrivs /proc/self/status | tr -d '[:space:]'",
    gets: "NoNewPrivs:1",
  },
  {
    name: "processes of others",
    line: "ls -d /proc/[0-9]* | wc -l | awk '{print ($1 < 12)}'",
    gets: "1",
  },
  { name: "descriptors of others", line: "ls /proc/self/fd | tr '\\n' ' '", gets: "0 1 2 3" },
  {
    name: "abstract sockets of the host",
    line: python(
      'import socket as s; c=s.socket(1); c.connect(chr(0)+"awf-test-host"); print(c.recv(9))',
    ),
    gets: refused,
  },
  {
    name: "sockets of the host with a path",
    line: python(
      'import socket as s,os; c=s.socket(1); c.connect(os.environ["HOME"]+"/agent.sock"); print(c.recv(9))',
    ),
    gets: /refused|denied|No such file/i,
  },
  {
    name: "the same below /host",
    line: python(
      'import socket as s,os; c=s.socket(1); c.connect("/host"+os.environ["HOME"]+"/agent.sock"); print(c.recv(9))',
    ),
    gets: /refused|denied|No such file/i,
  },
  {
    name: "the engine's socket",
    line: "ls /run/docker.sock /var/run/docker.sock",
    gets: /No such file/,
  },
];

export const files: readonly Probe[] = [
  { name: "/etc/shadow", line: "cat /etc/shadow /host/etc/shadow; echo .", gets: "." },
  {
    name: "an ssh key",
    line: "cat ~/.ssh/id_rsa /host$HOME/.ssh/id_rsa 2>/dev/null; ls ~/.ssh | wc -l",
    gets: "0",
  },
  { name: "a registry token", line: "cat ~/.npmrc; base64 ~/.npmrc; wc -c < ~/.npmrc", gets: "0" },
  { name: "a secret behind a link", line: "cat ~/.netrc; cat ~/kept/netrc; echo .", gets: "." },
  {
    name: "what was in a file over which it writes",
    line: "echo x >> ~/.npmrc; cat ~/.npmrc; mkdir -p ~/.ssh; echo y >> ~/.ssh/id_rsa; cat ~/.ssh/id_rsa",
    gets: "x\ny",
  },
  {
    name: "what appears when a hidden directory is removed",
    line: "rm -rf ~/.ssh; mkdir ~/.ssh; ls -A ~/.ssh | wc -l",
    gets: "0",
  },
  { name: "persisting by a git hook", line: "echo x > .git/hooks/pre-commit", gets: readOnly },
  {
    name: "writing the system",
    line: "for d in / /usr /etc /var /opt /sys /host /host/etc; do touch $d/x 2>/dev/null && echo $d; done; echo .",
    gets: ".",
  },
  { name: "kernel settings", line: "echo x > /proc/sys/kernel/core_pattern", gets: readOnly },
  { name: "devices", line: "ls /dev | grep -cE '^(sd|vd|nvme|kmsg|mem|kvm|fuse)'", gets: "0" },
  {
    name: "the host's temporary files",
    line: "ls -a /tmp | grep -c host-secret; ls -a /dev/shm | wc -l",
    gets: "0\n2",
  },
  {
    name: "the run's own files",
    line: "find / -name seccomp.bpf -not -path '/proc/*' 2>/dev/null | grep -c .",
    gets: "0",
  },
  { name: "the workspace can be written", line: "echo work > made && cat made", gets: "work" },
  {
    name: "the home directory can be written",
    line: "echo home > ~/made && cat ~/made",
    gets: "home",
  },
  {
    name: "a temporary file can be written",
    line: "echo tmp > /tmp/made && cat /tmp/made",
    gets: "tmp",
  },
];
