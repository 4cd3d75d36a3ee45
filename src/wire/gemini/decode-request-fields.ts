/**
 * The fields of a Gemini request, by their names in the policy table, with their positions. Values that
 * equal the default are not listed.
 */

import type { View } from '../json/view.ts'
import type { RequestField } from '../translation/neutral.ts'
import { camelCase, enumWord, list, member } from './extract-request-fields.ts'
import { callerTool } from './request-price-table.ts'

/** The conversation itself; the contents of the last two are listed separately. */
const structural = new Set(['model', 'contents', 'generationConfig', 'toolConfig'])
const structuralSettings = new Set(['toolConfig.functionCallingConfig'])
/** Members that every declared function may have. */
const functionMembers = new Set(['name', 'description', 'parameters', 'parametersJsonSchema'])
const callingMembers = new Set(['mode', 'allowedFunctionNames'])

type IsDefault = (value: View) => boolean

const isFalse: IsDefault = (value) => value.kind === 'false'
const isWord =
  (prefix: string, ...words: readonly string[]): IsDefault =>
  (value) =>
    value.isText && words.includes(enumWord(value.text(), prefix))

const meaningless: Readonly<Record<string, IsDefault>> = {
  serviceTier: isWord('service_tier_', 'standard', 'unspecified'),
  store: isFalse,
  'generationConfig.candidateCount': (value) => value.written === '1',
  'generationConfig.responseLogprobs': isFalse,
  'generationConfig.responseMimeType': isWord('', 'text/plain'),
  'generationConfig.mediaResolution': isWord('media_resolution_', 'unspecified'),
  'generationConfig.responseModalities': (value) =>
    (value.isList ? value.items() : [value]).every(isWord('modality_', 'text', 'unspecified')),
  'generationConfig.audioTimestamp': isFalse,
  'generationConfig.enableEnhancedCivicAnswers': isFalse,
  'generationConfig.enableAffectiveDialog': isFalse,
  'toolConfig.includeServerSideToolInvocations': isFalse,
  'toolConfig.functionCallingConfig.mode': isWord('mode_', 'unspecified'),
  'toolConfig.functionCallingConfig.streamFunctionCallArguments': isFalse,
}

export function requestFields(body: View): readonly RequestField[] {
  const config = member(body, 'toolConfig')
  return [
    ...membersOf(body, '', structural),
    ...membersOf(member(body, 'generationConfig'), 'generationConfig.', structuralSettings),
    ...membersOf(config, 'toolConfig.', structuralSettings),
    ...callingOf(member(config, 'functionCallingConfig')),
    ...functionsOf(body),
  ]
}

function membersOf(
  view: View | undefined,
  prefix: string,
  left: ReadonlySet<string>,
): readonly RequestField[] {
  if (view === undefined) return []
  const fields: RequestField[] = []
  for (const [written, value] of view.members()) {
    const name = `${prefix}${camelCase(written)}`
    const saysNothing = value.isNull || isEmpty(value) || meaningless[name]?.(value) === true
    if (!saysNothing && !left.has(name)) fields.push({ name, pointer: value.pointer })
  }
  return fields
}

/** Mode and names are one choice. */
function callingOf(calling: View | undefined): readonly RequestField[] {
  const prefix = 'toolConfig.functionCallingConfig.'
  const fields = membersOf(calling, prefix, new Set())
  const [choice] = fields.filter(({ name }) => callingMembers.has(name.slice(prefix.length)))
  const others = fields.filter(({ name }) => !callingMembers.has(name.slice(prefix.length)))
  if (choice === undefined || calling === undefined) return others
  return [{ name: 'toolConfig.functionCallingConfig', pointer: calling.pointer }, ...others]
}

/** Members of declared functions besides name, description and input. */
function functionsOf(body: View): readonly RequestField[] {
  const declarations = list(body.get('tools')).flatMap((tool) => list(member(tool, callerTool)))
  return declarations.flatMap((declaration) =>
    declaration
      .members()
      .filter(([name, value]) => !value.isNull && !functionMembers.has(camelCase(name)))
      .map(([name, value]) => ({
        name: `tools[].functionDeclarations[].${camelCase(name)}`,
        pointer: value.pointer,
      })),
  )
}

function isEmpty(value: View): boolean {
  return (value.isList || value.kind === 'object') && /^[[{]\s*[\]}]$/.test(value.written.slice(0, 256))
}
