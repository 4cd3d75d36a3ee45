/**
 * A checkout as text: its files by path, and the imports of each source. Reads the disk once, judges nothing.
 */
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { splitSource } from './source-text.ts'

/** Text by path relative to the root, with forward slashes. */
export type Tree = ReadonlyMap<string, string>

export interface Import {
  /** A path of the tree for a file of ours, without its extension where the source omits it; else the package name. */
  readonly target: string
  readonly isOurs: boolean
  readonly isTypeOnly: boolean
  /** A dynamic import. */
  readonly isLater: boolean
  /** The imported names, as they are exported; null: all. */
  readonly names: readonly string[] | null
}

/** A build that was killed half-way leaves `dist-<process id>`. */
const ignored = /^(?:node_modules|\.git|dist(?:-.*)?|data|coverage)$/
const textNames =
  /(?:\.(?:ts|tsx|js|mjs|json|md|yml|yaml|sh|sql|css|html|service|tpl)|\/run|Dockerfile|LICENSE|\.npmrc|ignore)$/

/** Links reference them; they contain no text. */
const pictureNames = /\.(?:png|svg)$/

/** Every text file below the root that is neither installed nor generated; images as empty texts. */
export function readTree(root: string): Tree {
  const paths = globSync('**/*', {
    cwd: root,
    withFileTypes: true,
    exclude: (entry) => ignored.test(entry.name),
  })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.join(posix.relative(root, entry.parentPath), entry.name))
    .filter((path) => textNames.test(`/${path}`) || pictureNames.test(path))
    .sort()
  const textOf = (path: string): string =>
    pictureNames.test(path) ? '' : readFileSync(posix.join(root, path), 'utf8')
  return new Map(paths.map((path) => [path, textOf(path)]))
}

const importForm =
  /\b(import|export)\b(\s+type\b)?([^;'"`()=]*?\bfrom)?\s*(['"])( *)\4|\bimport\(\s*(['"])( *)\6/g

/** How console sources name each other. */
const consoleRoot = '@/'

function pathOf(name: string, folder: string): string {
  return name.startsWith(consoleRoot)
    ? posix.join('console/src', name.slice(consoleRoot.length))
    : posix.join(folder, name)
}

/** The imports and re-exports of one source, in their order. */
export function importsOf(path: string, text: string): readonly Import[] {
  const { code, bare } = splitSource(text)
  return [...bare.matchAll(importForm)].map((match) => {
    const end = match.index + match[0].length - 1
    const length = (match[5] ?? match[7] ?? '').length
    const name = code.slice(end - length, end)
    const isOurs = name.startsWith('.') || name.startsWith(consoleRoot)
    const target = isOurs ? pathOf(name, posix.dirname(path)) : name
    const names = namesIn(match[3] ?? '')
    return { target, isOurs, isTypeOnly: match[2] !== undefined, isLater: match[1] === undefined, names }
  })
}

/** `{ a, type B as C } from` → a, B */
function namesIn(clause: string): readonly string[] | null {
  const listed = /^\s*\{([^}]*)\}\s*from$/.exec(clause)?.[1]
  return listed?.split(',').flatMap((part) => /^\s*(?:type\s+)?(\w+)/.exec(part)?.[1] ?? []) ?? null
}
