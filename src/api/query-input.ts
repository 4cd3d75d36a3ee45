/**
 * The texts of a URL as the input of an operation: numbers, booleans and lists by the operation's schema. Other
 * texts are passed on unchanged, for the schema to reject.
 */
import type { z } from 'zod'
import { TollgateError } from '../base/errors.ts'

/** Query parameters: a text, or an array if one is repeated. */
export type Texts = Readonly<Record<string, string | readonly string[] | undefined>>

/** Throws 400 for a parameter that came more than once and is not a list. */
export function inputOfTexts(schema: z.ZodType, texts: Texts): Readonly<Record<string, unknown>> {
  const fields = fieldsOf(schema)
  const input: [string, unknown][] = []
  for (const [name, text] of Object.entries(texts)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (text !== undefined) input.push([name, readTexts(name, field, text)])
  }
  return Object.fromEntries(input)
}

type SchemaFields = Readonly<Record<string, z.core.$ZodType | undefined>>

/** The fields of an operation's input. */
export function fieldsOf(schema: z.ZodType): SchemaFields {
  const { def } = (schema as z.core.$ZodType as z.core.$ZodObject)._zod
  return def.type === 'object' ? def.shape : {}
}

function readTexts(
  name: string,
  field: z.core.$ZodType | undefined,
  text: string | readonly string[],
): unknown {
  const kind = field === undefined ? 'string' : kindOf(field)
  if (kind === 'array') return typeof text === 'string' ? [text] : text
  if (typeof text !== 'string') {
    throw new TollgateError('invalid_value', { message: `${name} was sent more than once.`, param: name })
  }
  if (kind === 'number' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Type of a field when present: `number`, `boolean`, `array`, or another one that is written as text. */
export function kindOf(field: z.core.$ZodType): string {
  const { def } = field._zod as z.core.$ZodTypeInternals & { def: { readonly innerType?: z.core.$ZodType } }
  return def.innerType === undefined ? def.type : kindOf(def.innerType)
}
