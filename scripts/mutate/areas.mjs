// What is mutated, and the tests that use it through a child process or from another folder.
export const AREAS = {
  reload: {
    files: "daemon/reload/*.js",
    further: "daemon/{host/host,http/reload-under-load}{,.sys,.tool}.test.js",
  },
  runs: {
    files: "{daemon/services/runs,plugins/hooks/runs}/*.js",
    further: "plugins/hooks/{edits,retries,crowds,limits,http,answers,shown}{,.sys,.tool}.test.js",
  },
  verify: {
    files: "plugins/hooks/decide/verify/*.js",
    further: "plugins/hooks/{checks,oidc,tokens}{,.sys,.tool}.test.js",
  },
  policy: {
    files: "plugins/firewall/policy/*.js",
    further: "plugins/firewall/command/run.sys.test.js",
  },
  versions: {
    files: "plugins/updates/versions/*.js",
    further: "plugins/updates/decide/*.test.js",
  },
  shared: {
    files: "daemon/services/shared/*.js",
    further: "{tests/late-daemon,daemon/services/{jobs,store}/*}{,.sys,.tool}.test.js",
  },
};
