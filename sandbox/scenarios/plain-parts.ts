/**
 * Parts of responses that are derived from the conversation: a text, a call, the results of tools, and the calls that a
 * message asks for in plain words. Pure.
 */

import { isObject, type NormalizedRequest } from '../request/normalized-request.ts'
import { sandboxPieces } from '../request/tokens.ts'
import type { AnswerPart } from '../script/answer.ts'
import type { CallIdPresence } from './parameters.ts'

export function text(words: string): AnswerPart {
  return { kind: 'text', pieces: sandboxPieces(words) }
}

/** `given`: the arguments, as JSON. */
export function callOf(tool: string, input: string, ids: CallIdPresence): AnswerPart {
  return { kind: 'call', tool, pieces: sandboxPieces(input), identified: ids === 'yes' }
}

export function quotedResults(results: readonly string[]): AnswerPart {
  return text(`The tool answered: ${results.join(' | ')}`)
}

/** Pattern of a message that requests a call; the arguments begin where the match ends. */
const usePattern = /(?<![\w-])use\s+([\w.:-]+)\s*(?=\{)/g
const callsMax = 16
/** The rest of a longer message is not searched. */
const searchedMax = 1_048_576

/** The JSON object at the beginning of `words`, verbatim; undefined: none. */
function objectAt(words: string): string | undefined {
  let depth = 0
  let isQuoted = false
  for (let index = 0; index < words.length; index += 1) {
    const character = words[index]
    if (isQuoted && character === '\\') index += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && character === '{') depth += 1
    else if (!isQuoted && character === '}') depth -= 1
    if (depth === 0) return parsedObject(words.slice(0, index + 1))
  }
  return undefined
}

function parsedObject(json: string): string | undefined {
  try {
    return isObject(JSON.parse(json)) ? json : undefined
  } catch {
    return undefined
  }
}

/** A call requested by a message; `given` is verbatim. */
interface RequestedCall {
  readonly tool: string
  readonly input: string
}

function requestedCalls(words: string): readonly RequestedCall[] {
  const searched = words.slice(0, searchedMax)
  return [...searched.matchAll(usePattern)].slice(0, callsMax).flatMap((match) => {
    const input = objectAt(searched.slice(match.index + match[0].length))
    return input === undefined ? [] : [{ tool: match[1] ?? '', input }]
  })
}

/**
 * The calls that the last message or the results of the last calls ask for, else those results quoted, or an echo.
 * Where a schema binds the answer, the input of a call that cannot be made is its text.
 */
export function partsFromMessage(
  { lastText, toolResults, tools, hasSchema }: NormalizedRequest,
  ids: CallIdPresence,
): readonly AnswerPart[] {
  const isAnswered = toolResults.length > 0
  const calls = requestedCalls(isAnswered ? toolResults.join('\n') : lastText)
  if (calls.length === 0) return [isAnswered ? quotedResults(toolResults) : text(lastText)]
  const names = tools.map(({ name }) => name)
  const missing = calls.find(({ tool }) => !names.includes(tool))
  if (missing !== undefined && hasSchema) return [text(missing.input)]
  if (missing !== undefined) {
    return [text(`Unknown tool ${missing.tool}. Tools: ${names.join(', ')}`)]
  }
  return calls.map(({ tool, input }) => callOf(tool, input, ids))
}
