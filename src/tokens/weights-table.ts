/**
 * Estimates of the tokens that a vendor adds to a request's plain text, by model generation; never used for billing. Fitted to
 * recorded requests and their reported input, so that the largest relative error over all of them is minimal; figures that a vendor
 * publishes have priority.
 *
 * Text is counted in o200k, which is OpenAI's own tokenizer; the factors describe other tokenizers relative to it.
 */

/** How pictures are charged; see `media.ts`. */
export type PictureRule =
  | { readonly kind: 'area'; readonly sideMax: number; readonly tokensMax: number }
  | { readonly kind: 'tiles' }
  | { readonly kind: 'patches'; readonly factor: number }
  | { readonly kind: 'squares' }
  | { readonly kind: 'flat'; readonly tokens: number }

export interface Weights {
  /** Names of models as their provider calls them. */
  readonly models: RegExp
  /** Tokens per o200k token of messages, tool calls and tool results. */
  readonly text: number
  /** Every digit is one token. */
  readonly digitsApart: boolean
  readonly perRequest: number
  /** For each turn with content. */
  readonly perTurn: number
  /** Tokens of the vendor's prompt before the first tool; `forcedPrompt`: added where a call is forced. */
  readonly toolPrompt: number
  readonly forcedPrompt: number
  /** Added where the model is called by Chat Completions. */
  readonly chatToolPrompt: number
  /** `json`: tools count as the JSON text of their definitions; `words`: names, descriptions and values, and `perNode`. */
  readonly declared: 'json' | 'words'
  readonly declaration: number
  readonly perTool: number
  readonly perDescription: number
  /** For each property, element or alternative of a schema. */
  readonly perNode: number
  readonly perCall: number
  readonly perResult: number
  /** Tokens for each character of an opaque thought that has no text. */
  readonly encryptedCharacter: number
  /** Thoughts of turns before the last user turn count too. */
  readonly keepsThoughts: boolean
  /** Thinking within a budget is switched on. */
  readonly thinkingPrompt: number
  /** A schema for the answer: once, and for each token of its JSON. */
  readonly formatPrompt: number
  readonly format: number
  readonly picture: PictureRule
}

/**
 * Prompts for tools: platform.claude.com/docs/en/agents-and-tools/tool-use/overview (read 2026-11). What is not
 * listed there is between the figures of the adjacent models.
 */
const claude: Omit<Weights, 'models'> = {
  text: 1.18,
  digitsApart: false,
  perRequest: 8,
  perTurn: 0,
  toolPrompt: 496,
  forcedPrompt: 92,
  chatToolPrompt: 0,
  declared: 'json',
  declaration: 1.35,
  perTool: 16,
  perDescription: 0,
  perNode: 0,
  perCall: 40,
  perResult: 14,
  encryptedCharacter: 0.1,
  keepsThoughts: false,
  thinkingPrompt: 28,
  formatPrompt: 128,
  format: 1.4,
  picture: { kind: 'area', sideMax: 1_568, tokensMax: 1_600 },
}

const newClaude: Omit<Weights, 'models'> = {
  ...claude,
  text: 1.25,
  declaration: 1.5,
  toolPrompt: 400,
  forcedPrompt: 120,
  keepsThoughts: true,
  picture: { kind: 'area', sideMax: 2_576, tokensMax: 4_784 },
}

const gpt: Omit<Weights, 'models'> = {
  text: 1,
  digitsApart: false,
  perRequest: 3,
  perTurn: 4,
  toolPrompt: 14,
  forcedPrompt: 0,
  chatToolPrompt: 0,
  declared: 'words',
  declaration: 1,
  perTool: 6,
  perDescription: 2,
  perNode: 4,
  perCall: 8,
  perResult: 7,
  encryptedCharacter: 0.092,
  keepsThoughts: false,
  thinkingPrompt: 0,
  formatPrompt: 12,
  format: 1,
  picture: { kind: 'tiles' },
}

const reasoningGpt: Omit<Weights, 'models'> = {
  ...gpt,
  chatToolPrompt: 82,
  picture: { kind: 'patches', factor: 1.2 },
}

const gemini: Omit<Weights, 'models'> = {
  text: 1,
  digitsApart: true,
  perRequest: 0,
  perTurn: 1,
  toolPrompt: 0,
  forcedPrompt: 0,
  chatToolPrompt: 0,
  declared: 'words',
  declaration: 1,
  perTool: 17,
  perDescription: 5,
  perNode: 10,
  perCall: 12,
  perResult: 8,
  encryptedCharacter: 0.15,
  keepsThoughts: false,
  thinkingPrompt: 0,
  formatPrompt: 0,
  format: 0,
  picture: { kind: 'flat', tokens: 1_120 },
}

const oldGemini: Omit<Weights, 'models'> = {
  ...gemini,
  perTool: 2,
  perDescription: 0,
  perNode: 3,
  perCall: 0,
  perResult: 0,
  encryptedCharacter: 0,
  picture: { kind: 'squares' },
}

/** The first row that fits a name counts. */
export const weightsTable: readonly Weights[] = [
  { ...claude, models: /^claude-[23]/, toolPrompt: 264, forcedPrompt: 91 },
  { ...claude, models: /^claude-(?:opus|sonnet)-4(?:-[01](?:-|$)|-20|$)/, toolPrompt: 313, forcedPrompt: 2 },
  { ...claude, models: /^claude-(?:opus|sonnet|haiku)-4-[56]/ },
  { ...newClaude, models: /^claude-opus-4-7/, toolPrompt: 675, forcedPrompt: 129 },
  { ...newClaude, models: /^claude-opus-4-8/, toolPrompt: 290, forcedPrompt: 120 },
  { ...newClaude, models: /^claude-/ },
  { ...oldGemini, models: /^gemini-(?:1|2\.0)/ },
  { ...gemini, models: /^gemini-2/, encryptedCharacter: 0.03, picture: { kind: 'squares' } },
  { ...gemini, models: /^gemini-|^gemma-/, perTool: 16, perNode: 12 },
  { ...reasoningGpt, models: /^gpt-5-nano/, picture: { kind: 'patches', factor: 2.46 } },
  { ...reasoningGpt, models: /^gpt-(?:5(?:-|$)|5\.[0-3])/ },
  { ...reasoningGpt, models: /^gpt-[5-9]/, toolPrompt: 120 },
  { ...gpt, models: /^(?:gpt-4\.1-|o4-)/, picture: { kind: 'patches', factor: 1.62 } },
  { ...gpt, models: /^(?:gpt-|chatgpt-|o\d)/ },
]

/** For makers that are not listed: most tokenizers of today fall much like o200k, a little shorter. */
export const otherWeights: Weights = { ...gpt, models: /^/, text: 1.1, declaration: 1.1 }
