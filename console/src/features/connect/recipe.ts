/** A recipe configures a client, as a function of base URL, model and key. Pure. */
export type Language =
  | 'sh'
  | 'toml'
  | 'json'
  | 'yaml'
  | 'xml'
  | 'typescript'
  | 'python'
  | 'go'
  | 'java'
  | 'rust'
  | 'text'

export interface Facts {
  /** Where clients reach the server, without a trailing slash. */
  readonly address: string
  readonly model: RecipeModel
  /** The key, right after it was created; null later. */
  readonly key: string | null
}

export interface RecipeModel {
  readonly name: string
  /** The wire formats of its provider. */
  readonly formats: readonly string[]
}

export interface Snippet {
  readonly language: Language
  /** The file it is written to; left out: it is run, or typed into a form. */
  readonly file?: string
  readonly text: string
}

export interface Step {
  readonly title: string
  readonly text?: string
  readonly snippet?: Snippet
  /** True if the step needs a key that is not known: a page may offer to create one. */
  readonly lacksKey?: true
  /** The name of its tab: steps that follow one another and have one are alternatives. */
  readonly alternative?: string
}

export interface Recipe {
  readonly id: string
  readonly name: string
  readonly group: 'Agents' | 'Editors' | 'Libraries' | 'Frameworks' | 'Command line'
  readonly about: string
  /** Why it cannot work at all with this base URL; null: it can. */
  readonly blocker?: (facts: Facts) => string | null
  /** The format it can use untranslated: models with that format are offered first. */
  readonly prefers: 'anthropic' | 'openai-responses' | 'openai-chat' | 'gemini'
  readonly steps: (facts: Facts) => readonly Step[]
  /** Notes on it for this base URL and model. */
  readonly notes: (facts: Facts) => readonly string[]
}

/** The placeholder for an unknown key. */
export const keyPlaceholder = 'YOUR_API_KEY'
export const hello = 'Say hello in one sentence.'

/** The only place of a recipe that may contain the key itself. */
export function keyStep({ key }: Pick<Facts, 'key'>): Step {
  return {
    title: 'Set your API key',
    text:
      key === null
        ? `Replace ${keyPlaceholder} with one of your API keys. A key is shown only once, when you create it.`
        : 'This is the key you just created. It is not shown again after you reload this page.',
    snippet: { language: 'sh', text: `export TOLLGATE_KEY=${key ?? keyPlaceholder}` },
    ...(key === null ? { lacksKey: true } : {}),
  }
}

/** For forms and files of programs that do not read environment variables. */
export function keyField(title: string, { key }: Facts): Step {
  const snippet = { language: 'text', text: key ?? keyPlaceholder } as const
  return key === null
    ? { title, text: `Replace ${keyPlaceholder} with the key itself.`, snippet, lacksKey: true }
    : { title, snippet }
}

export const run = (title: string, text: string): Step => ({ title, snippet: { language: 'sh', text } })
export const file = (title: string, language: Language, name: string, text: string): Step => ({
  title,
  snippet: { language, file: name, text },
})
/** A settings file. */
export const jsonFile = (title: string, name: string, value: object): Step =>
  file(title, 'json', name, JSON.stringify(value, null, 2))
/** Environment variables, and the command that reads them. */
export const pointed = (variables: Readonly<Record<string, string>>, command: string): Step =>
  run(
    'Configure and start it',
    [...Object.entries(variables).map(([name, value]) => `export ${name}=${value}`), command].join('\n'),
  )
/** The provider entry of agents that use a Vercel AI SDK package. */
export const packageProvider = ({ address, model }: Facts) => ({
  tollgate: {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: `${address}/v1`, apiKey: '{env:TOLLGATE_KEY}' },
    models: { [model.name]: { name: model.name } },
  },
})
const howToRun = {
  typescript: 'Save it as ask.mjs and run it with node ask.mjs.',
  python: 'Save it as ask.py and run it with python ask.py.',
} as const
export const program = (title: string, language: 'typescript' | 'python', text: string): Step => ({
  title,
  text: howToRun[language],
  snippet: { language, text },
})
/** Marks a step as one of several alternatives. */
export const alternative = (name: string, step: Step): Step => ({ ...step, alternative: name })
export const speaks = ({ model }: Facts, format: string) => model.formats.includes(format)

/** Whether an address is reachable from the internet: not loopback or private, with TLS. */
export function isPublic(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  const isPrivate =
    /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[::1\]|\[f[cde])/.test(
      hostname,
    ) || /\.(local|internal|lan)$/.test(hostname)
  return protocol === 'https:' && !isPrivate
}
