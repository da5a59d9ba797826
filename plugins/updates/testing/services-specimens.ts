/** Manifests of managers that find images, charts and repositories, for `managers/edits.sys.test.ts`. */
import { managerOf } from "../managers/index.js";

export const SHA = "8e5e7e5ab8b370d6c329ec480221332ada57f0ab";
export const DIGEST = `sha256:${"ab".repeat(32)}`;

/** Of `Specimen`. */
export const servicesSpecimens = {
  "hooks of pre-commit": {
    manager: await managerOf("pre_commit"),
    to: { version: "99.0.0", pin: "f".repeat(40) },
    names: [
      ...["https://github.com/acme/a", "https://github.com/acme/b", "https://gitlab.com/acme/c"],
      ...["https://git.example.test/acme/d", "black", "types-requests", "@acme/x", "rubocop"],
    ],
    files: {
      ".pre-commit-config.yaml": `# größer 🎉
default_language_version: { python: python3 }
repos:
  - repo: https://github.com/acme/a
    rev: 'v1.2.0'   # keep
    hooks:
      - id: a
        additional_dependencies: [black==22.1.0, "types-requests==2.31.0.1", local/, 'flake8>=3']
  - {repo: git@github.com:acme/b.git, rev: 1.10, hooks: [{id: b, additional_dependencies: ["@acme/x@1.0.0"]}]}
  - repo: "https://gitlab.com/acme/c.git"
    hooks:
      - id: c
        language: ruby
        additional_dependencies:
          - rubocop:1.2.3
    rev: ${SHA}  # frozen: v1.2.3
  - repo: https://git.example.test/acme/d
    rev: "${SHA.replace("8", "9")}"
    hooks: []
  - repo: https://git.example.test/acme/e
    rev: main
    hooks: []
  - repo: local
    hooks: [{ id: x, language: system, entry: x }]
  - repo: meta
    hooks: [{ id: check-hooks-apply }]
`,
    },
  },
  "pipelines of GitLab": {
    manager: await managerOf("gitlab_ci"),
    to: { version: "99.0.0", pin: DIGEST },
    names: [
      ...["ruby", "postgres", "docker", "node", "alpine", "acme/templates", "components/sast"],
      ...["other.example/acme/build", "ghcr.io/acme/lint", "acme/more"],
    ],
    files: {
      ".gitlab-ci.yml": `# größer 🎉
include:
  - local: /ci/*.yml
  - remote: https://example.test/x.yml
  - template: Auto-DevOps.gitlab-ci.yml
  - project: "acme/templates"
    ref: 'v1.2.0' # keep
    file: [/a.yml, /b.yml]
  - project: acme/templates
    file: /c.yml
  - component: $CI_SERVER_FQDN/components/sast/sast@1.0.0
    inputs: { stage: test }
  - component: "other.example/acme/build/full@2.1.3"
  - component: gitlab.com/components/lint/lint@~latest
variables:
  NODE_VERSION: "20.1"
  ALPINE: { value: '3.18', description: "größer" }
image: &ruby "ruby:3.2-slim"
default:
  services: [ "postgres:15.2", { name: docker:24.0.5-dind, alias: d } ]
test:
  image: node:$NODE_VERSION
  script: [echo "image: fake:1"]
lint:
  image:
    name: ghcr.io/acme/lint:1.0@${DIGEST.replaceAll("ab", "cd")}
    entrypoint: [""]
deploy: { image: "alpine:$\{ALPINE}", trigger: { include: [ { project: acme/more, ref: v3.1.0, file: x.yml } ] } }
odd: { image: "$CI_REGISTRY_IMAGE/x:1.0", script: !reference [test, script] }
`,
      "ci/build.yml": `spec:\n  inputs: {}\n---\nbuild:\n  image: ruby:3.2-slim\n`,
    },
  },
  "dependencies of a Helm chart": {
    manager: await managerOf("helm"),
    to: { version: "99.1.2" },
    names: ["redis", "postgresql", "common", "wide"],
    files: {
      "Chart.yaml": `# größer 🎉
apiVersion: v2
name: app
version: 1.0.0
dependencies:
  - name: redis # cache
    version: "18.x.x"
    repository: https://charts.example.test/stable/
    condition: redis.enabled
  - { name: postgresql, version: '>=12.1.0, <13.0.0', repository: "oci://registry-1.docker.io/charts" }
  - repository: oci://ghcr.io/acme
    version: v2.13.3
    name: common
  - name: wide
    version: ~1.2
    repository: https://charts.example.test/stable
  - name: local
    version: 1.0.0
    repository: file://../local
  - name: named
    version: 1.0.0
    repository: "@acme"
  - name: inside
    version: 1.0.0
`,
    },
  },
  "development containers": {
    manager: await managerOf("devcontainers"),
    to: { version: "99.1.2", pin: DIGEST },
    names: [
      ...["mcr.example.test/node", "ghcr.io/acme/features/node", "ghcr.io/acme/features/go"],
      ...["ghcr.io/acme/features/git", "alpine"],
    ],
    files: {
      ".devcontainer/devcontainer.json": `// größer 🎉
{
  "image": "mcr.example.test/node:20", /* "image": "a:1" */
  "features": {
    "ghcr.io/acme/features/node:1": { "version": "20" },
    "ghcr.io/acme/features/go:1.2": {},
    "ghcr.io/acme/features/git:1.0.4@${DIGEST.replaceAll("ab", "cd")}": {}, // keep
    "./local": {},
    "https://example.test/feature.tgz": {},
    "docker-in-docker": "latest",
    "ghcr.io/acme/features/latest": {},
  },
}
`,
      ".devcontainer/small/devcontainer.json": `{ "image": "alpine:3.18@${DIGEST.replaceAll("ab", "cd")}", "features": { "ghcr.io/acme/features/go:1.2": {} } }\n`,
    },
  },
  kustomizations: {
    manager: await managerOf("kustomize"),
    to: { version: "99.1.2", pin: DIGEST },
    names: [
      ...["nginx", "ghcr.io/acme/app", "redis", "https://github.com/acme/base", "grafana"],
      ...["https://git.example.test/acme/more", "https://gitlab.com/acme/group/deep"],
    ],
    files: {
      "base/kustomization.yaml": `# größer 🎉
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - deployment.yaml
  - ../other?ref=v1.0.0
  - "https://github.com/acme/base//config/default?ref=1.2.0"
  - github.com/acme/base/config/crd?ref=1.2.0 # keep
  - https://gitlab.com/acme/group/deep.git//x?timeout=90s&ref=2.0.0
bases: [ 'git@git.example.test:acme/more//y?ref=1.0.0' ]
images:
  - name: nginx
    newTag: "1.25.0"
  - newTag: 2.0.0
    digest: ${DIGEST.replaceAll("ab", "cd")}
    newName: ghcr.io/acme/app
    name: app
  - { name: only-digest, digest: "${DIGEST}" }
helmCharts:
  - { name: grafana, repo: "https://charts.example.test", version: 6.1.0 }
`,
      "overlays/prod/kustomization.yml": `resources: [../../base]\nimages:\n  - name: nginx\n    newTag: "1.25.0"\n`,
      Kustomization: `images:\n  - name: redis\n    newTag: 7.2.1\n`,
    },
  },
  "global.json with an SDK": {
    manager: await managerOf("nuget"),
    to: { version: "9.9.999" },
    names: ["dotnet-sdk", "acme.build"],
    files: {
      "global.json": `{ // größer 🎉\n  "sdk": { "version": "8.0.404", "rollForward": "latestPatch", },\n  "msbuild-sdks": { "Acme.Build": "1.2.3" }\n}\n`,
    },
  },
  "charts in Terraform": {
    manager: await managerOf("terraform"),
    to: { version: "99.1.2" },
    names: ["grafana", "common", "cert-manager", "shared"],
    files: {
      "main.tf": `# größer 🎉
resource "helm_release" "a" {
  name       = "a"
  repository = "https://charts.example.test/stable/"
  chart      = "grafana"
  version    = "6.1.0" # keep
}
resource "helm_release" "b" {
  chart   = "oci://ghcr.io/acme/charts/common"
  version = "2.13.3"
}
resource "helm_release" "c" {
  repository = local.jetstack
  chart      = "cert-manager"
  version    = "v1.12.0"
}
resource "helm_release" "d" {
  repository = local.jetstack
  chart      = "shared"
  version    = local.shared_version
}
resource "helm_release" "local" {
  chart = "./charts/x"
}
resource "helm_release" "repo" {
  chart   = "stable/redis"
  version = "1.0.0"
}
resource "other" "e" {
  repository = "https://charts.example.test"
  chart      = "e"
  version    = "1.0.0"
}
`,
      "locals.tf": `locals {\n  jetstack       = "https://charts.jetstack.example"\n  shared_version = "3.0.0"\n}\n`,
    },
  },
};
