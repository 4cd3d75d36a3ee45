/**
 * Members of a request as the types of a vendor's library know them: paths through its declaration files, each with an
 * example of the objects around it. Reads declarations as they are generated, one member a line; no type checker.
 */
import { readFileSync } from 'node:fs'

/** An object on the path to a member. */
interface Step {
  readonly name: string
  readonly isList: boolean
  /** Members that tell this object from others in the same place: `type: 'function'`. */
  readonly marks: Readonly<Record<string, string>>
}

export interface SdkMember {
  /** The path in error messages, without positions: `tools[].name`. */
  readonly path: string
  readonly name: string
  readonly steps: readonly Step[]
}

interface Declared {
  readonly members: Map<string, string>
  /** Types that it extends or is one of. */
  readonly others: string[]
}

/** Every type of the files, by its full name, with dots between namespaces. */
function declarationsIn(files: readonly string[]): Map<string, Declared> {
  const found = new Map<string, Declared>()
  for (const file of files) {
    const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
    const scope: string[] = []
    for (const line of text.split('\n')) readLine(line.trim(), scope, found)
  }
  return found
}

function readLine(line: string, scope: string[], found: Map<string, Declared>): void {
  const opened = /^(?:export )?(?:declare )?(interface|namespace) (\w+)(?: extends ([^{]+))? \{(\})?$/.exec(
    line,
  )
  if (opened !== null) {
    const [, kind, name = '', parents, isClosed] = opened
    const full = [...scope, name].join('.')
    if (kind === 'interface') found.set(full, { members: new Map(), others: names(parents ?? '') })
    if (isClosed === undefined) scope.push(name)
    return
  }
  const alias = /^(?:export )?(?:declare )?type (\w+) = (.+);$/.exec(line)
  if (alias !== null) {
    found.set([...scope, alias[1]!].join('.'), { members: new Map(), others: names(alias[2]!) })
    return
  }
  if (line.startsWith('}')) scope.pop()
  if (line.endsWith('{')) scope.push('')
  const member = /^['"]?([\w$]+)['"]?\??: (.+?);?$/.exec(line)
  if (member !== null) found.get(scope.join('.'))?.members.set(member[1]!, member[2]!)
}

const names = (type: string): string[] =>
  type
    .replace(/'[^']*'/g, '')
    .match(/[A-Z]\w*(?:\.\w+)*/g)
    ?.filter((name) => name !== 'Array') ?? []

/** Every member of the request type `root`, in the given declaration files. */
export function sdkMembers(files: readonly string[], root: string): readonly SdkMember[] {
  const declared = declarationsIn(files)
  const paths = new Map<string, SdkMember>()
  const lookUp = (name: string, scope: string): string | undefined => {
    for (let at = scope; ; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const full = at === '' ? name : `${at}.${name}`
      if (declared.has(full)) return full
      if (at === '') break
    }
    const [, ...rest] = name.split('.')
    return rest.length === 0 ? undefined : lookUp(rest.join('.'), scope)
  }
  const visit = (type: string, steps: readonly Step[], within: readonly string[]): void => {
    const { members, others } = declared.get(type) ?? { members: new Map<string, string>(), others: [] }
    if (within.includes(type) || steps.length > 5) return
    for (const other of others) {
      const next = lookUp(other, type)
      if (next !== undefined) visit(next, steps, [...within, type])
    }
    const marks: Record<string, string> = {}
    for (const [name, text] of members) {
      const literal = /^'([^']*)'$/.exec(text)?.[1]
      if (literal !== undefined) marks[name] = literal
    }
    const last = steps.at(-1)
    const marked = last === undefined ? steps : [...steps.slice(0, -1), { ...last, marks }]
    for (const [name, text] of members) {
      const path = [...steps.map((step) => step.name + (step.isList ? '[]' : '')), name].join('.')
      if (!paths.has(path)) paths.set(path, { path, name, steps: marked })
      for (const next of new Set(names(text).map((one) => lookUp(one, type)))) {
        const isList = text.includes('Array<')
        if (next !== undefined) visit(next, [...marked, { name, isList, marks: {} }], [...within, type])
      }
    }
  }
  visit(root, [], [])
  return [...paths.values()]
}

/** The body of a request with this member, in the objects that it belongs into. */
export function bodyWith(member: SdkMember, value: unknown): Record<string, unknown> {
  let body: Record<string, unknown> = { [member.name]: value }
  for (const { name, isList, marks } of member.steps.toReversed()) {
    const object = { ...marks, ...body }
    body = { [name]: isList ? [object] : object }
  }
  return body
}
