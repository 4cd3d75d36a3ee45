/**
 * What changes the price of the built-in models, as each provider publishes it: factors by option, and fees
 * for tools that run at the provider. What is not here is refused. One table of facts with its sources.
 */

export interface OptionRow {
  readonly models: readonly string[]
  /** Option name → factor on every rate. */
  readonly options: Readonly<Record<string, string>>
  readonly source: string
}

const openaiFast = 'openai.com/api-fast-mode, 2026-10'
const openaiFlex = 'developers.openai.com/api/docs/pricing (flex), 2026-07'

/** `priority` and `fast` are two names of one tier at OpenAI. */
function fast(factor: string, models: readonly string[]): OptionRow {
  return {
    models,
    options: { 'service_tier:priority': factor, 'service_tier:fast': factor },
    source: openaiFast,
  }
}

export const builtinOptions: readonly OptionRow[] = [
  {
    models: [
      'claude-opus-4-6',
      'claude-sonnet-4-6',
      'claude-opus-4-7',
      'claude-opus-4-8',
      'claude-fable-5',
      'claude-sonnet-5',
      'claude-opus-5',
      'claude-opus-5-5',
      'claude-sonnet-5-5',
    ],
    options: { 'inference_geo:us': '1.1' },
    source: 'platform.claude.com/docs/en/about-claude/pricing (data residency), 2026-10',
  },
  {
    models: ['claude-opus-4-8', 'claude-opus-5', 'claude-opus-5-5'],
    options: { 'speed:fast': '2' },
    source: 'platform.claude.com/docs/en/build-with-claude/fast-mode, 2026-10',
  },
  fast('2.5', ['gpt-5.5']),
  fast('2', [
    'gpt-5',
    'gpt-5-codex',
    'gpt-5.1',
    'gpt-5.1-codex',
    'gpt-5.2',
    'gpt-5.4',
    'gpt-5.4-mini',
    'gpt-4.1-nano',
  ]),
  fast('1.8', ['gpt-5-mini']),
  fast('1.75', ['gpt-4.1', 'gpt-4.1-mini', 'gpt-4o-2024-05-13', 'o3']),
  fast('1.7', ['gpt-4o', 'gpt-4o-2024-08-06', 'gpt-4o-2024-11-20']),
  fast('5/3', ['gpt-4o-mini']),
  fast('20/11', ['o4-mini']),
  {
    models: [
      'gpt-5',
      'gpt-5-mini',
      'gpt-5-nano',
      'gpt-5.1',
      'gpt-5.2',
      'gpt-5.4',
      'gpt-5.4-mini',
      'gpt-5.4-nano',
      'gpt-5.5',
      'o3',
      'o4-mini',
    ],
    options: { 'service_tier:flex': '0.5' },
    source: openaiFlex,
  },
]

export interface FeeRow {
  /** Tool meter → USD per use. Tools that are charged by the hour or not at all by use have no row and are refused. */
  readonly fees: Readonly<Record<string, string>>
  readonly source: string
}

/**
 * By provider, the same for all of its models. Google's grounding is charged by the search (ai.google.dev/gemini-api/docs/pricing,
 * 2026-10), and a request cannot say how many searches it may make: what cannot be capped cannot be sold.
 */
export const builtinFees: Readonly<Record<string, FeeRow>> = {
  anthropic: {
    // A fetch costs only the tokens of what it fetched.
    fees: { web_search: '0.01', web_fetch: '0' },
    source: 'platform.claude.com/docs/en/about-claude/pricing (web search, web fetch), 2026-10',
  },
  openai: {
    fees: { web_search: '0.01' },
    source: 'developers.openai.com/api/docs/pricing (web search), 2026-10',
  },
}
