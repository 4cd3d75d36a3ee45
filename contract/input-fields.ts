/** The fields of an operation's input, by path, read from the contract's schema: what options can fill. Pure. */
import { z } from 'zod'

/** How a field is written on the command line. */
export type FieldType = 'text' | 'number' | 'list' | 'yes or no' | 'pairs' | 'models' | 'objects'

export interface InputField {
  /** `limits.concurrent` for a nested field. */
  readonly path: string
  readonly type: FieldType
  /** Placeholder of the value in help texts. */
  readonly value: string
  readonly isRequired: boolean
  /** The path that is null without a value: the field's path or that of its object; null: the field always has a value. */
  readonly nullPath: string | null
  readonly preset: unknown
}

/** In the order of the schema. */
export function inputFields(input: z.ZodType): readonly InputField[] {
  return input instanceof z.ZodObject ? fieldsOf(input, '', null) : []
}

function fieldsOf(object: z.ZodObject, prefix: string, nullPath: string | null): readonly InputField[] {
  return Object.entries(object.shape).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`
    const { inner, isNullable, isOptional, preset } = unwrapped(schema as z.ZodType)
    const nested = objectIn(inner)
    if (nested !== undefined) return fieldsOf(nested, `${path}.`, isNullable ? path : null)
    const isAmount = typeOf(inner) === 'text' && !(inner instanceof z.ZodEnum)
    return [
      {
        path,
        type: typeOf(inner),
        value: placeholder(inner),
        isRequired: prefix === '' && !isOptional && !isNullable,
        nullPath: isNullable ? path : isAmount ? nullPath : null,
        preset,
      },
    ]
  })
}

interface Unwrapped {
  readonly inner: z.ZodType
  readonly isNullable: boolean
  readonly isOptional: boolean
  readonly preset: unknown
}

function unwrapped(schema: z.ZodType): Unwrapped {
  if (schema instanceof z.ZodDefault)
    return { ...unwrapped(schema.unwrap() as z.ZodType), isOptional: true, preset: schema.def.defaultValue }
  if (schema instanceof z.ZodOptional) return { ...unwrapped(schema.unwrap() as z.ZodType), isOptional: true }
  if (schema instanceof z.ZodNullable) return { ...unwrapped(schema.unwrap() as z.ZodType), isNullable: true }
  return { inner: schema, isNullable: false, isOptional: false, preset: undefined }
}

const choices = (schema: z.ZodType) => (schema instanceof z.ZodUnion ? schema.options : [schema])
const objectIn = (schema: z.ZodType) => choices(schema).find((choice) => choice instanceof z.ZodObject)

function typeOf(schema: z.ZodType): FieldType {
  if (schema instanceof z.ZodNumber) return 'number'
  if (schema instanceof z.ZodBoolean) return 'yes or no'
  if (schema instanceof z.ZodRecord) return 'pairs'
  if (schema instanceof z.ZodArray) return schema.element instanceof z.ZodObject ? 'objects' : 'list'
  return choices(schema).some((choice) => choice instanceof z.ZodArray) ? 'models' : 'text'
}

const placeholders: Readonly<Record<FieldType, string>> = {
  text: 'TEXT',
  number: 'N',
  list: 'A,B',
  'yes or no': 'yes|no',
  pairs: 'NAME=VALUE',
  models: 'A,B=NAME',
  objects: 'A,B',
}

function placeholder(schema: z.ZodType): string {
  if (schema instanceof z.ZodEnum) return schema.options.join('|')
  return schema instanceof z.ZodISODateTime ? 'TIME' : placeholders[typeOf(schema)]
}
