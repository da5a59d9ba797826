/**
 * What hostile code inside a sandbox tries, and the result that it must get. A row is one attempt: a shell line and
 * its output. Rows are grouped by target.
 */
export interface Probe {
  readonly name: string;
  readonly line: string;
  /** The whole output (stdout and stderr, trimmed), or its pattern. */
  readonly gets: string | RegExp;
}

/** Prints the status of a request; 000 without a response. */
const status = "curl -sk -m 10 -o /dev/null -w '%{http_code}'";
const unaware = `${status} --noproxy '*'`;
const tcp = (address: string, port: number) =>
  `timeout 10 bash -c 'exec 3<>/dev/tcp/${address}/${port}' 2>&1 && echo open`;
/** A Python program without single quotes. */
export const python = (code: string) => `/usr/bin/python3 -c '${code}'`;
const udp = (address: string, port: number) =>
  python(
    `import socket as s; u=s.socket(2,2); u.settimeout(5); u.connect(("${address}",${port})); u.send(b"x"); print(u.recv(9))`,
  );
const raw = (port: number, bytes: string) =>
  python(
    `import socket as s; c=s.create_connection(("127.0.0.1",${port})); c.settimeout(10); c.sendall(${bytes}); print(c.recv(100)[:12])`,
  );
export const refused = /Connection refused/;
export const denied = /Operation not permitted|Permission denied/;

export const addresses: readonly Probe[] = [
  {
    name: "an address of an allowed name, as such",
    line: `${status} http://93.184.216.34/`,
    gets: "403",
  },
  { name: "the same past the proxy", line: `${unaware} http://93.184.216.34/`, gets: "403" },
  { name: "an address as one decimal number", line: `${status} http://1572395042/`, gets: "403" },
  { name: "an address in hexadecimal", line: `${status} http://0x5db8d822/`, gets: "403" },
  { name: "an address in octal", line: `${status} http://0135.0270.0330.042/`, gets: "403" },
  {
    name: "an address mapped into IPv6",
    line: `${status} -g 'http://[::ffff:93.184.216.34]/'`,
    gets: "403",
  },
  {
    name: "IPv6 through the proxy",
    line: `${status} -g 'http://[2606:2800:220:1::1]/'`,
    gets: "403",
  },
  {
    name: "IPv6 past the proxy",
    line: `${unaware} -g 'http://[2606:2800:220:1::1]/'`,
    gets: "403",
  },
  {
    name: "CONNECT to an address",
    line: `curl -sk -m 10 -o /dev/null -w '%{http_connect}' https://93.184.216.34/`,
    gets: "403",
  },
  {
    name: "the metadata service",
    line: `${status} http://169.254.169.254/latest/meta-data/`,
    gets: "403",
  },
  {
    name: "the metadata service past the proxy",
    line: `${unaware} http://169.254.169.254/`,
    gets: "403",
  },
  {
    name: "the metadata service of another cloud",
    line: `${status} http://168.63.129.16/metadata/`,
    gets: "403",
  },
];

export const names: readonly Probe[] = [
  {
    name: "the metadata service by its name",
    line: `${status} http://metadata.google.internal/`,
    gets: "403",
  },
  { name: "an unlisted name through the proxy", line: `${status} http://evil.test/`, gets: "403" },
  {
    name: "an unlisted name with NO_PROXY for all",
    line: `NO_PROXY='*' no_proxy='*' ${status} http://evil.test/`,
    gets: "000",
  },
  {
    name: "an unlisted name with the proxy variables emptied",
    line: `http_proxy= HTTP_PROXY= ALL_PROXY= all_proxy= ${status} http://evil.test/`,
    gets: "000",
  },
  {
    name: "a name that ends like an allowed one",
    line: `${status} http://notallowed.test/`,
    gets: "403",
  },
  {
    name: "an allowed name with another behind it",
    line: `${status} http://allowed.test.evil.test/`,
    gets: "403",
  },
  {
    name: "a name that resolves to a private address",
    line: `${status} http://private.allowed.test/`,
    gets: "403",
  },
  {
    name: "a name that resolves to loopback",
    line: `${status} http://loopback.allowed.test/`,
    gets: "403",
  },
  {
    name: "a name that resolves to loopback over IPv6",
    line: `${status} http://six.allowed.test/`,
    gets: "403",
  },
  {
    name: "a name that resolves to the metadata service",
    line: `${status} http://metadata.allowed.test/`,
    gets: "403",
  },
  {
    name: "the same past the proxy",
    line: `${unaware} http://metadata.allowed.test/`,
    gets: "403",
  },
  {
    name: "a name that changes its address between two look-ups",
    line: `getent hosts rebinding.allowed.test >/dev/null; ${status} http://rebinding.allowed.test/`,
    gets: "403",
  },
  {
    name: "an allowed name pinned to a foreign address",
    line: `curl -s -m 10 --noproxy '*' --resolve allowed.test:80:203.0.113.66 http://allowed.test/ | grep -o '"address":"[^"]*"'`,
    gets: '"address":"::ffff:93.184.216.34"',
  },
];

const crlf = "\\r\\n";
const connect = (target: string, inner: string) =>
  python(
    `import socket as s; c=s.create_connection(("127.0.0.1",3128)); c.settimeout(10); c.sendall(b"CONNECT ${target} HTTP/1.1${crlf}Host: ${target}${crlf}${crlf}"); r=c.recv(999); c.sendall(${inner}); d=c.recv(999); print(r[9:12], d[9:12])`,
  );

export const alignment: readonly Probe[] = [
  {
    name: "Host: of an allowed name on an unlisted URL",
    line: `${status} -H 'Host: allowed.test' http://evil.test/`,
    gets: "403",
  },
  {
    name: "Host: of an unlisted name on an allowed URL",
    line: `${status} -H 'Host: evil.test' http://allowed.test/`,
    gets: "403",
  },
  {
    name: "CONNECT to port 80, another Host inside",
    line: connect("allowed.test:80", `b"GET / HTTP/1.1${crlf}Host: evil.test${crlf}${crlf}"`),
    gets: "b'200' b'403'",
  },
  {
    name: "CONNECT to port 80, the same Host inside",
    line: connect("allowed.test:80", `b"GET / HTTP/1.1${crlf}Host: allowed.test${crlf}${crlf}"`),
    gets: "b'200' b'200'",
  },
  {
    name: "CONNECT to 443, no TLS inside",
    line: connect("allowed.test:443", `b"GET / HTTP/1.1${crlf}Host: allowed.test${crlf}${crlf}"`),
    gets: "b'200' b''",
  },
  {
    name: "CONNECT to an allowed name, SNI of another",
    line: `curl -sk -m 10 -o /dev/null -w '%{http_connect} %{http_code}' --connect-to evil.test:443:allowed.test:443 https://evil.test/`,
    gets: "200 000",
  },
  {
    name: "SNI of an unlisted name at an allowed address",
    line: `${unaware} --resolve evil.test:443:93.184.216.34 https://evil.test/`,
    gets: "000",
  },
  { name: "TLS without a name", line: `${unaware} https://93.184.216.34/`, gets: "000" },
  {
    name: "CONNECT to another port of an allowed name",
    line: connect("allowed.test:22", 'b"x"'),
    gets: /^b'403'/,
  },
  {
    name: "leaving HTTP for a protocol that the proxy does not parse",
    line: raw(
      80,
      `b"GET / HTTP/1.1${crlf}Host: allowed.test${crlf}Connection: Upgrade${crlf}Upgrade: h2c${crlf}${crlf}"`,
    ),
    gets: "b'HTTP/1.1 200'",
  },
  {
    name: "two Host headers",
    line: raw(80, `b"GET / HTTP/1.1${crlf}Host: allowed.test${crlf}Host: evil.test${crlf}${crlf}"`),
    gets: "b'HTTP/1.1 400'",
  },
  {
    name: "both lengths in one request",
    line: raw(
      80,
      `b"POST / HTTP/1.1${crlf}Host: allowed.test${crlf}Content-Length: 5${crlf}Transfer-Encoding: chunked${crlf}${crlf}0${crlf}${crlf}"`,
    ),
    gets: "b'HTTP/1.1 400'",
  },
  {
    name: "noise on port 80",
    line: raw(80, 'b"\\x16\\x03\\x01\\x00\\x05hello"'),
    gets: "b'HTTP/1.1 400'",
  },
];

export const otherTraffic: readonly Probe[] = [
  { name: "ssh to an allowed address", line: tcp("93.184.216.34", 22), gets: refused },
  { name: "TCP to an unlisted DNS server", line: tcp("9.9.9.9", 53), gets: refused },
  { name: "UDP to an unlisted DNS server", line: udp("9.9.9.9", 53), gets: refused },
  { name: "QUIC", line: udp("93.184.216.34", 443), gets: refused },
  { name: "any other UDP", line: udp("93.184.216.34", 9999), gets: refused },
  { name: "a service on the host's loopback", line: tcp("127.0.0.1", 7777), gets: refused },
  {
    name: "the host's alias without host access",
    line: `${status} http://host.docker.internal:7777/`,
    gets: "403",
  },
  { name: "a raw socket", line: python("import socket; socket.socket(2,3,1)"), gets: denied },
  {
    name: "a packet socket",
    line: python("import socket; socket.socket(17,3)"),
    gets: /Address family not supported/,
  },
  {
    name: "a socket to the hypervisor",
    line: python("import socket; socket.socket(40,1)"),
    gets: /Address family not supported/,
  },
  {
    name: "DNS over HTTPS at a public resolver",
    line: `${status} https://8.8.8.8/dns-query`,
    gets: "000",
  },
  { name: "a new device", line: "ip link add dummy0 type dummy", gets: denied },
];
