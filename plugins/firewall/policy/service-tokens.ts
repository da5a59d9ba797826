/** Tokens of well-known services, which have a fixed start. Data only. */

export interface ServiceToken {
  readonly name: string;
  /** The fixed start; the rest is secret. */
  readonly prefix: string;
  /** The rest, without anchors. */
  readonly rest: string;
}

export const serviceTokens: readonly ServiceToken[] = [
  { name: "GitHub token", prefix: "ghp_", rest: "[A-Za-z0-9]{36,}" },
  { name: "GitHub OAuth token", prefix: "gho_", rest: "[A-Za-z0-9]{36,}" },
  { name: "GitHub user token", prefix: "ghu_", rest: "[A-Za-z0-9]{36,}" },
  { name: "GitHub installation token", prefix: "ghs_", rest: "[A-Za-z0-9]{36,}" },
  { name: "GitHub refresh token", prefix: "ghr_", rest: "[A-Za-z0-9]{36,}" },
  { name: "GitHub fine-grained token", prefix: "github_pat_", rest: "[A-Za-z0-9_]{50,}" },
  { name: "GitLab token", prefix: "glpat-", rest: "[A-Za-z0-9_-]{20,}" },
  { name: "npm token", prefix: "npm_", rest: "[A-Za-z0-9]{36,}" },
  { name: "PyPI token", prefix: "pypi-AgE", rest: "[A-Za-z0-9_-]{50,}" },
  { name: "Anthropic key", prefix: "sk-ant-", rest: "[A-Za-z0-9_-]{40,}" },
  { name: "OpenAI project key", prefix: "sk-proj-", rest: "[A-Za-z0-9_-]{40,}" },
  { name: "OpenAI key", prefix: "sk-", rest: "[A-Za-z0-9]{40,}" },
  { name: "Stripe key", prefix: "sk_live_", rest: "[A-Za-z0-9]{24,}" },
  { name: "Slack bot token", prefix: "xoxb-", rest: "[0-9A-Za-z-]{20,}" },
  { name: "Slack user token", prefix: "xoxp-", rest: "[0-9A-Za-z-]{20,}" },
  { name: "AWS access key", prefix: "AKIA", rest: "[0-9A-Z]{16}" },
  { name: "AWS temporary access key", prefix: "ASIA", rest: "[0-9A-Z]{16}" },
  { name: "Google API key", prefix: "AIza", rest: "[0-9A-Za-z_-]{35}" },
  { name: "DigitalOcean token", prefix: "dop_v1_", rest: "[a-f0-9]{64}" },
  { name: "Hugging Face token", prefix: "hf_", rest: "[A-Za-z0-9]{34,}" },
  { name: "SendGrid key", prefix: "SG.", rest: "[\\w-]{20,}\\.[\\w-]{20,}" },
  { name: "private key", prefix: "-----BEGIN ", rest: "(?:[A-Z]+ )?PRIVATE KEY-----" },
];
