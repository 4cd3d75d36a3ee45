/** What the rules share. */
import type { Tree } from '../support/source-tree.ts'

export interface Rule {
  readonly name: string
  /** A tree that violates the rule. */
  readonly bad: Readonly<Record<string, string>>
  /** One line for each violation: the path, and what to do instead. */
  readonly check: (tree: Tree) => readonly string[]
}

const isTest = (path: string) => path.endsWith('.test.ts') || path.startsWith('test/')
export const isSource = (path: string) => /^(src|sandbox|contract)\/.*\.ts$/.test(path) && !isTest(path)

export const anySource = /^(src|sandbox|contract)\/.*(?<!\.test)\.ts$/
export const anyCode = /^(src|sandbox|contract|console|test|bench|scripts|bin)\/.*\.(tsx?|js)$/
export const anyConsole = /^console\/src\/.*(?<!\.test)\.tsx?$/

export const sources = (tree: Tree) => [...tree].filter(([path]) => isSource(path))
export const code = (tree: Tree) => [...tree].filter(([path]) => anyCode.test(path))

export function isAllowed(name: string, lines: readonly string[], line: number): boolean {
  const allowance = new RegExp(`tidy-allow ${name}: \\S`)
  return [lines[line - 1], lines[line - 2]].some((text) => text !== undefined && allowance.test(text))
}

export const packageName = (target: string) =>
  target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/')

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export function manifest(tree: Tree, path = 'package.json'): Manifest {
  return JSON.parse(tree.get(path) ?? '{}') as Manifest
}
