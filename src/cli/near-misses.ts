/** Environment variables that were probably meant for this program and are not read. Names only, pure. */
import { nearest } from '../base/nearest.ts'

export interface NearMiss {
  readonly variable: string
  readonly meant: string
}

/** Other names that people use for the key of a maker. */
const otherMakers: Readonly<Record<string, string>> = {
  CLAUDE: 'ANTHROPIC_API_KEY',
  GOOGLE: 'GEMINI_API_KEY',
  GOOGLE_AI: 'GEMINI_API_KEY',
  GOOGLE_GENERATIVE_AI: 'GEMINI_API_KEY',
}

/** In the order of `set`; a variable whose correct name is set too is not reported. */
export function nearMisses(set: readonly string[], known: readonly string[]): readonly NearMiss[] {
  return set.flatMap((variable) => {
    if (known.includes(variable) || variable.startsWith(ownPrefix)) return []
    const meant = misspeltPrefix(variable, known) ?? meantKey(variable, known)
    return meant === undefined || set.includes(meant) ? [] : [{ variable, meant }]
  })
}

const ownPrefix = 'TOLLGATE_'

/** `TOLGATE_PORT`. A wrong name with the right prefix is an error of the configuration. */
function misspeltPrefix(variable: string, known: readonly string[]): string | undefined {
  const [first = '', ...rest] = variable.toUpperCase().split('_')
  if (rest.length === 0 || nearest(first, [ownPrefix.slice(0, -1)], 1).length === 0) return undefined
  return nearest(`${ownPrefix}${rest.join('_')}`, known, 1)[0]
}

const keyWords: ReadonlySet<string> = new Set(['API', 'KEY', 'APIKEY', 'TOKEN', 'SECRET'])
/** Shorter names of makers resemble too many others. */
const resemblingCharactersMin = 5

/** `OPENAI_KEY`, `OPENAI_APIKEY`, `OPENIA_API_KEY`. */
function meantKey(variable: string, known: readonly string[]): string | undefined {
  const maker = makerOf(variable)
  if (maker === undefined) return undefined
  const keys = new Map(known.flatMap((name) => (name.startsWith(ownPrefix) ? [] : keyOf(name))))
  const exact = keys.get(maker) ?? otherMakers[maker]
  if (exact !== undefined || maker.length < resemblingCharactersMin) return exact
  const [resembling = ''] = nearest(maker, [...keys.keys()], 1)
  // A longer name with the same beginning is another variable of that maker.
  const isOther = maker.startsWith(resembling) || resembling.startsWith(maker)
  return isOther ? undefined : keys.get(resembling)
}

function keyOf(name: string): readonly (readonly [maker: string, name: string])[] {
  const maker = makerOf(name)
  return maker === undefined ? [] : [[maker, name]]
}

/** The part of a name without the words for a key; undefined if it names no key. */
function makerOf(variable: string): string | undefined {
  const words = variable.toUpperCase().split('_')
  const maker = words.filter((word) => !keyWords.has(word))
  return maker.length === 0 || maker.length === words.length ? undefined : maker.join('_')
}
