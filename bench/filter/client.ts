/** Runs inside a sandbox, as one file given to Python: times connections and a download from the command's side. */

/** Prints one JSON object: medians of new connections in milliseconds, and bytes per second of a tunnel. */
export const client = `
import json, socket, ssl, sys, time

def median(values):
    values.sort()
    return values[len(values) // 2]

def request(host):
    start = time.perf_counter()
    s = socket.create_connection(("127.0.0.1", 3128))
    s.sendall(("GET http://%s/ HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n" % (host, host)).encode())
    while s.recv(65536): pass
    s.close()
    return (time.perf_counter() - start) * 1000

def tunnel(size):
    context = ssl._create_unverified_context()
    raw = socket.create_connection(("127.0.0.1", 3128))
    raw.sendall(b"CONNECT allowed.test:443 HTTP/1.1\\r\\nHost: allowed.test:443\\r\\n\\r\\n")
    raw.recv(4096)
    return download(context.wrap_socket(raw, server_hostname="allowed.test"), size)

def direct(size):
    context = ssl._create_unverified_context()
    return download(context.wrap_socket(socket.create_connection(("93.184.216.34", 443)), server_hostname="allowed.test"), size)

def download(s, size):
    start = time.perf_counter()
    s.sendall(("GET /bytes/%d HTTP/1.1\\r\\nHost: allowed.test\\r\\nConnection: close\\r\\n\\r\\n" % size).encode())
    total = 0
    while True:
        part = s.recv(1 << 20)
        if not part: break
        total += len(part)
    return total / (time.perf_counter() - start)

def slow(counts):
    import resource
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    kept, steps = [], []
    for count in counts:
        start, before = time.perf_counter(), len(kept)
        while len(kept) < count:
            s = socket.create_connection(("127.0.0.1", 3128))
            s.sendall(b"GET http://allowed.test/ HTTP/1.1\\r\\nX: ")
            kept.append(s)
        request("allowed.test")
        took = (time.perf_counter() - start) * 1000
        opened = took / (count - before) if count > before else None
        next, denied = [median([request(host) for _ in range(21)]) for host in ("allowed.test", "denied.test")]
        steps.append({"count": count, "next": next, "denied": denied, "opened": opened})
    return steps

size = 200 * 1024 * 1024
if sys.argv[1] == "slow":
    print(json.dumps(slow([0, 1000, 2500, 5000])))
elif sys.argv[1] == "direct":
    print(json.dumps({"direct": direct(size)}))
else:
    for _ in range(50): request("allowed.test")
    allowed = median([request("allowed.test") for _ in range(500)])
    denied = median([request("denied.test") for _ in range(500)])
    print(json.dumps({"allowed": allowed, "denied": denied, "tunnel": tunnel(size)}))
`;
