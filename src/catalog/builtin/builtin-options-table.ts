/**
 * Price options of the built-in models, as each provider publishes them: factors by option, and fees
 * for tools that run at the provider. Everything else is rejected. One table of facts with its sources.
 */

export interface BuiltinOptionRow {
  readonly models: readonly string[]
  /** Option name → factor on every rate. */
  readonly options: Readonly<Record<string, string>>
  readonly source: string
}

const openaiFast = 'openai.com/api-fast-mode, 2026-10'
const openaiFlex = 'developers.openai.com/api/docs/pricing (flex), 2026-07'

/** `priority` and `fast` are two names of one tier at OpenAI. */
function fast(factor: string, models: readonly string[]): BuiltinOptionRow {
  return {
    models,
    options: { 'service_tier:priority': factor, 'service_tier:fast': factor },
    source: openaiFast,
  }
}

export const builtinOptions: readonly BuiltinOptionRow[] = [
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
      'claude-fable-5-1',
      'claude-fable-5-2',
      'claude-haiku-5-5',
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
    'gpt-5.6',
    'gpt-5.6-sol',
    'gpt-5.6-terra',
    'gpt-5.6-luna',
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
  readonly provider: string
  /** Which of the provider's models. */
  readonly models: RegExp
  /** Meter of a tool that runs at the provider → USD per use; 0 if only its tokens cost. */
  readonly fees: Readonly<Record<string, string>>
  readonly source: string
}

const everyModel = /^/
const gemini2 = /^gemini-[12][.-]/

/**
 * Fees for tools that run at the provider, the first row that fits; a tool without a fee here is rejected.
 * Free allowances of the operator's own contract are not passed on.
 */
export const builtinFees: readonly FeeRow[] = [
  {
    provider: 'anthropic',
    models: everyModel,
    // A container costs 0.05 an hour and at least five minutes.
    fees: { web_search: '0.01', web_fetch: '0', tool_search: '0', code_execution: '0.004166667', mcp: '0' },
    source:
      'platform.claude.com/docs/en/about-claude/pricing (web search, web fetch, code execution), 2026-10',
  },
  {
    provider: 'openai',
    models: everyModel,
    // A container of 1 GB; larger ones are an option without a price.
    fees: { web_search: '0.01', code_interpreter: '0.03', mcp: '0' },
    source: 'developers.openai.com/api/docs/pricing (built-in tools), 2026-10',
  },
  {
    provider: 'google',
    models: gemini2,
    // By the prompt that searched, however often.
    fees: {
      web_search: '0.035',
      google_maps: '0.025',
      web_fetch: '0',
      code_execution: '0',
      computer_use: '0',
    },
    source: 'ai.google.dev/gemini-api/docs/pricing (grounding), 2026-10',
  },
  {
    provider: 'google',
    models: everyModel,
    fees: {
      web_search: '0.014',
      google_maps: '0.014',
      web_fetch: '0',
      code_execution: '0',
      computer_use: '0',
    },
    source: 'ai.google.dev/gemini-api/docs/pricing (grounding), 2026-10',
  },
]
