/** Headers by which callers switch on betas: which of them have a price, and which are unknown. */
import type { BetaHeader, PricedOption } from './dialect.ts'

export interface HeaderFacts {
  readonly options: readonly PricedOption[]
  /** `anthropic-beta: name`, each once. */
  readonly unknown: readonly string[]
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

const nothing: HeaderFacts = { options: [], unknown: [] }
const nameCharactersMax = 64
const unknownMax = 8

/** What the betas of a request switch on. */
export function readBetas(betas: BetaHeader | null, headers: Headers): HeaderFacts {
  const written = betas === null ? undefined : headers[betas.header]
  if (betas === null || written === undefined) return nothing
  const { header, known, priced } = betas
  const names = [written].flat().flatMap((value) => value.toLowerCase().split(','))
  const options: PricedOption[] = []
  const unknown = new Set<string>()
  for (const name of names.map((one) => one.trim())) {
    const found = priced.find(({ prefix }) => name.startsWith(prefix))
    if (found !== undefined) options.push({ name: found.option, pointer: header })
    else if (name !== '' && !known.has(undated(name)) && unknown.size < unknownMax)
      unknown.add(`${header}: ${name.slice(0, nameCharactersMax)}`)
  }
  return { options, unknown: [...unknown] }
}

/** `context-1m-2025-08-07` → `context-1m`, `responses_websockets=2026-02-06` → `responses_websockets`. */
function undated(name: string): string {
  return name.replace(/(?:[-=]\d{4}-?\d{2}-?\d{2}|=\w+)$/, '')
}

/** Of OpenAI's formats: none costs anything by itself. https://developers.openai.com/api/docs/guides/responses-multi-agent */
export const openaiBetas: BetaHeader = {
  header: 'openai-beta',
  known: new Set([
    'assistants',
    'chatkit_beta',
    'realtime',
    'responses',
    'responses_websockets',
    'responses_multi_agent',
  ]),
  priced: [],
}
