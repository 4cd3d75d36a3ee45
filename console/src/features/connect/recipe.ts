/** What a recipe is: how one client is pointed at this server, as a function of address, model and key. Pure. */
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
  /** Where clients reach the server, without a slash at the end. */
  readonly address: string
  readonly model: RecipeModel
  /** The key itself, right after it was made; null later. */
  readonly key: string | null
}

export interface RecipeModel {
  readonly name: string
  /** The wire formats in which its provider is spoken to. */
  readonly dialects: readonly string[]
}

export interface Snippet {
  readonly language: Language
  /** Where it is written to; left out: it is run, or typed into a form. */
  readonly file?: string
  readonly text: string
}

export interface Step {
  readonly title: string
  readonly text?: string
  readonly snippet?: Snippet
}

export interface Recipe {
  readonly id: string
  readonly name: string
  readonly group: 'Agents' | 'Editors' | 'Libraries' | 'Frameworks' | 'Command line'
  readonly about: string
  /** The format whose models it is asked with untranslated: their names are offered first. */
  readonly prefers: 'anthropic' | 'openai-responses' | 'openai-chat' | 'gemini'
  readonly steps: (facts: Facts) => readonly Step[]
  /** What to know about it with this address and model. */
  readonly notes: (facts: Facts) => readonly string[]
}

/** What stands for the key where it is not known. */
export const keyVariable = '$TOLLGATE_KEY'
export const hello = 'Say hello in one sentence.'

/** The only place of a recipe where the key itself may stand. */
export function keyStep({ key }: Pick<Facts, 'key'>): Step {
  return {
    title: 'Set your API key',
    text:
      key === null
        ? 'Replace the dots with one of your API keys. A key is shown only once, when you create it.'
        : 'This is the key you just created. It is not shown again after you reload this page.',
    snippet: { language: 'sh', text: `export TOLLGATE_KEY=${key ?? 'sk-tg-…'}` },
  }
}

/** For forms and files of programs that read no environment. */
export function keyField(title: string, { key }: Facts): Step {
  const snippet = { language: 'text', text: key ?? keyVariable } as const
  return key === null
    ? { title, text: `Replace ${keyVariable} with the key itself.`, snippet }
    : { title, snippet }
}

export const run = (title: string, text: string): Step => ({ title, snippet: { language: 'sh', text } })
export const file = (title: string, language: Language, name: string, text: string): Step => ({
  title,
  snippet: { language, file: name, text },
})
/** A file of settings. */
export const jsonFile = (title: string, name: string, value: object): Step =>
  file(title, 'json', name, JSON.stringify(value, null, 2))
/** Environment variables, and the command that reads them. */
export const pointed = (variables: Readonly<Record<string, string>>, command: string): Step =>
  run(
    'Configure and start it',
    [...Object.entries(variables).map(([name, value]) => `export ${name}=${value}`), command].join('\n'),
  )
/** The provider of agents that take a package of the Vercel AI SDK. */
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
export const speaks = ({ model }: Facts, dialect: string) => model.dialects.includes(dialect)

/** Whether the internet can reach an address: anything but loopback and private networks, with TLS. */
export function isPublic(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  const isPrivate =
    /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[::1\]|\[f[cde])/.test(
      hostname,
    ) || /\.(local|internal|lan)$/.test(hostname)
  return protocol === 'https:' && !isPrivate
}
