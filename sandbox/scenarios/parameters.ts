/**
 * The parameters that a behavior may read, from the model's name (`sandbox-stream:tokens=200:rate=50`) or
 * from the last user message (`tokens=200 rate=50`); the name wins. A table and its reader. Pure.
 */

/** How a cut answer ends: in mid-chunk, by reset, as a proper end, short of its length, or by closing alone. */
const cuts = ['fin', 'rst', 'clean', 'short', 'until_close'] as const
export type StreamCut = (typeof cuts)[number]

/** Whether Gemini's calls carry an id: older models give none. */
const idHabits = ['yes', 'no'] as const
export type CallIdPresence = (typeof idHabits)[number]

export interface BehaviorSettings {
  readonly tokens: number
  readonly rate: number
  readonly delay: number
  readonly events: number
  readonly thinking: number
  readonly extra: number
  readonly calls: number
  readonly bytes: number
  readonly how: StreamCut
  readonly ids: CallIdPresence
  readonly retry: string
  readonly value: string
}

export type ParameterName = keyof BehaviorSettings

interface BehaviorParameter<Value> {
  readonly does: string
  readonly usual: Value
  /** The value, or undefined where the text is none. */
  readonly read: (text: string) => Value | undefined
  /** Accepted values, in words. */
  readonly accepts: string
}

function count(usual: number, max: number, does: string): BehaviorParameter<number> {
  return {
    does,
    usual,
    accepts: `an integer from 0 to ${max}`,
    read: (text) => (/^\d{1,15}$/.test(text) && Number(text) <= max ? Number(text) : undefined),
  }
}

function literal(usual: string, pattern: RegExp, does: string): BehaviorParameter<string> {
  return {
    does,
    usual,
    accepts: `text like ${pattern.source}`,
    read: (text) => (pattern.test(text) ? text : undefined),
  }
}

const tokensMax = 200_000
const minutesMs = 60_000

export const parameters: { readonly [Name in ParameterName]: BehaviorParameter<BehaviorSettings[Name]> } = {
  tokens: count(64, tokensMax, 'words in the answer, each one token'),
  rate: count(0, 1_000_000, 'tokens a second; 0 is as fast as the client reads'),
  delay: count(0, 60 * minutesMs, 'milliseconds of waiting'),
  events: count(3, tokensMax, 'content events before the fault'),
  thinking: count(32, tokensMax, 'tokens of reasoning'),
  extra: count(1_000, tokensMax, 'tokens beyond the limit'),
  calls: count(1, 16, 'tool calls in the answer'),
  bytes: count(32 * 2 ** 20, 2 ** 30, 'length of the line'),
  how: {
    does: 'how the connection ends',
    usual: 'fin',
    accepts: cuts.join(', '),
    read: (text) => cuts.find((cut) => cut === text),
  },
  ids: {
    does: 'whether calls carry an id in Gemini, where they need none',
    usual: 'yes',
    accepts: idHabits.join(', '),
    read: (text) => idHabits.find((habit) => habit === text),
  },
  retry: literal('2', /^[!-~]{1,64}$/, 'the retry-after header, `_` standing for a space'),
  value: literal('-5', /^[\w".+-]{1,64}$/, 'the output count, as it shall stand in the JSON'),
}

const settingPattern = /(?:^|\s)([a-z]+)=(\S+)/g
/** Settings are at the beginning of a message; the rest of a long one is not searched. */
const searchedMax = 4_096

type SettingsReading =
  | { readonly kind: 'settings'; readonly settings: BehaviorSettings }
  | { readonly kind: 'invalid'; readonly message: string }

const usualSettings = Object.fromEntries(
  Object.entries(parameters).map(([name, { usual }]) => [name, usual]),
) as unknown as BehaviorSettings

/** `key=value` pairs of a message, only of the names that are read. */
export function settingsInMessage(
  text: string,
  names: readonly ParameterName[],
): ReadonlyMap<ParameterName, string> {
  const found = new Map<ParameterName, string>()
  for (const [, key = '', value = ''] of text.slice(0, searchedMax).matchAll(settingPattern)) {
    const name = names.find((known) => known === key)
    if (name !== undefined) found.set(name, value)
  }
  return found
}

/** The given texts over the row's own defaults over the usual ones; the first that cannot be read is reported. */
export function readSettings(
  settings: ReadonlyMap<ParameterName, string>,
  defaults: Partial<BehaviorSettings>,
): SettingsReading {
  const read: Record<string, unknown> = {}
  for (const [name, text] of settings) {
    const value = parameters[name].read(text)
    if (value === undefined) {
      return { kind: 'invalid', message: `sandbox: ${name}=${text} must be ${parameters[name].accepts}` }
    }
    read[name] = value
  }
  return { kind: 'settings', settings: { ...usualSettings, ...defaults, ...read } }
}
