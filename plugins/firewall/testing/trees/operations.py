"""Changes directory trees by operations: JSON on the standard input, [[root, [operation, …]], …]."""
import errno
import json, os, shutil, subprocess, sys


def write(path, text, mode="wb"):
    with open(path, mode) as file:
        file.write(text.encode())


def replace(path, text):
    write(path + "~", text)
    os.rename(path + "~", path)


def sparse(path, size):
    with open(path, "wb") as file:
        file.seek(size)
        file.write(b"end")


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def move(path, to):
    if os.path.isdir(to):
        to = os.path.join(to, os.path.basename(path))
    try:
        os.rename(path, to)
    except OSError as error:
        # A directory of the layer below; a failure is an error in both trees.
        if error.errno != errno.EXDEV:
            raise
        subprocess.run(["mv", "-T", path, to], check=True, capture_output=True)


def again(path):
    """Removes a directory and makes it again."""
    shutil.rmtree(path)
    os.mkdir(path)


def truncate(path, size):
    os.truncate(path, size)


def mark(path, name, value):
    os.setxattr(path, "user." + name, value.encode(), follow_symlinks=False)


operations = {
    "write": write,
    "append": lambda path, text: write(path, text, "ab"),
    "replace": replace,
    "truncate": truncate,
    "sparse": sparse,
    "remove": remove,
    "again": again,
    "make": os.mkdir,
    "move": move,
    "link": lambda path, to: os.link(path, to, follow_symlinks=False),
    "symlink": lambda path, to: os.symlink(to, path),
    "mode": lambda path, mode: os.chmod(path, mode),
    "time": lambda path, time: os.utime(path, (time, time), follow_symlinks=False),
    "mark": mark,
}

results = []
for root, steps in json.load(sys.stdin):
    os.chdir(root)
    done = []
    for name, *words in steps:
        try:
            operations[name](*words)
            done.append("")
        except (OSError, shutil.Error) as error:
            done.append(error.__class__.__name__ + str(getattr(error, "errno", "")))
    results.append(done)
json.dump(results, sys.stdout)
