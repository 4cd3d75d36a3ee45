/**
 * Default messages of schemas, for rows without their own: the end of a sentence that begins with the name of
 * the field. Importing this module applies them to every schema of the program.
 */
import { z } from 'zod'

type Issue = z.core.$ZodRawIssue
type Size = Issue & { readonly code: 'too_small' | 'too_big' }

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const formatNames: Readonly<Record<string, string>> = {
  email: 'an email address',
  url: 'a URL',
  datetime: 'an ISO 8601 time such as 2026-07-01T12:00:00Z',
  date: 'a date such as 2026-07-01',
}

const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
  record: ['entry', 'entries'],
}

const quoted = (value: unknown): string => (typeof value === 'string' ? `"${value}"` : String(value))

function sizeMessage(issue: Size): string {
  const isMin = issue.code === 'too_small'
  const bound = issue.code === 'too_small' ? issue.minimum : issue.maximum
  const unit = units[issue.origin]
  if (unit === undefined) {
    if (issue.inclusive === false) return `must be ${isMin ? 'more' : 'less'} than ${bound}`
    return `must be ${isMin ? 'at least' : 'at most'} ${bound}`
  }
  if (isMin && Number(bound) === 1) return 'must not be empty'
  return `must have ${isMin ? 'at least' : 'at most'} ${bound} ${unit[Number(bound) === 1 ? 0 : 1]}`
}

/** For the codes that this product's schemas produce; others keep the library's words. */
export function schemaMessage(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? `of type ${issue.expected}`}`
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${quoted(issue.values[0])}`
        : `must be one of ${issue.values.map(quoted).join(', ')}`
    case 'too_small':
    case 'too_big':
      return sizeMessage(issue as Size)
    case 'invalid_format':
      return `must be ${formatNames[issue.format] ?? 'in the documented format'}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_union':
      return 'has none of the forms that are allowed here'
    default:
      return undefined
  }
}

z.config({ localeError: schemaMessage })
