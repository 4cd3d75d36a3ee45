/** Log probabilities of tokens: Gemini's two parallel lists, and OpenAI's list of tokens with alternatives. */

import { isRecord, type JsonRecord, parsed, recordsIn, textIn } from '../json/parsed.ts'
import { type JsonOut, jsonText, RawJson } from '../json/text.ts'

const encoder = new TextEncoder()

/** `logprobsResult` → OpenAI's `content` array; null where there is nothing in it. */
export function contentLogprobs(result: unknown): RawJson | null {
  if (!isRecord(result)) return null
  const alternatives = recordsIn(result, 'topCandidates')
  const content = recordsIn(result, 'chosenCandidates').map((chosen, at) => ({
    ...tokenOf(chosen),
    top_logprobs: recordsIn(alternatives[at] ?? {}, 'candidates').map(tokenOf),
  }))
  return content.length === 0 ? null : new RawJson(jsonText(content))
}

function tokenOf(candidate: JsonRecord): { readonly [name: string]: JsonOut } {
  const token = textIn(candidate, 'token')
  const logprob = typeof candidate.logProbability === 'number' ? candidate.logProbability : 0
  return { token, logprob, bytes: [...encoder.encode(token)] }
}

/** OpenAI's `content` array → `logprobsResult`; undefined for anything else. */
export function logprobsResult(content: RawJson): JsonOut | undefined {
  const tokens = parsed(content.text)
  if (!Array.isArray(tokens)) return undefined
  const chosen = tokens.filter(isRecord)
  return {
    chosenCandidates: chosen.map(candidateOf),
    topCandidates: chosen.map((token) => ({ candidates: recordsIn(token, 'top_logprobs').map(candidateOf) })),
  }
}

function candidateOf(token: JsonRecord): JsonOut {
  const { logprob } = token
  return { token: textIn(token, 'token'), logProbability: typeof logprob === 'number' ? logprob : 0 }
}
