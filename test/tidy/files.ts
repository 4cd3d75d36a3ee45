/** Files: names, lengths, unused ones and unused exports, cycles, the files of a format. */
import { posix } from 'node:path'
import { importsOf, type Tree } from '../support/source-tree.ts'
import { anyConsole, code, isSource, type Rule } from './rule.ts'

const linesMax = 400
/** Tests, migrations and files that are one table: errors, models, presets, price catalogs, prepared texts. */
const mayBeLong =
  /\.test\.ts$|^test\/|\/migrations\/|^contract\/errors\.ts$|(^|[/-])(table|models|presets|words)\.ts$/
const emptyFileNames = /(^|[/-])(utils?|helpers?|common|misc|manager|service|handler|data|info|ctx)(?=[/.-])/

export const fileRules: readonly Rule[] = [
  {
    name: `no file is longer than ${linesMax} lines`,
    bad: { 'src/http/a.ts': 'x\n'.repeat(linesMax + 1) },
    check: (tree) =>
      code(tree)
        .filter(([path, whole]) => !mayBeLong.test(path) && whole.split('\n').length - 1 > linesMax)
        .map(([path]) => `${path}: split it by what varies`),
  },
  {
    name: 'files are named in kebab-case, for the one thing they export',
    bad: { 'src/http/fileUtils.ts': '// x', 'src/http/utils.ts': '// x' },
    check: (tree) =>
      code(tree)
        .map(([path]) => path)
        .filter((path) => /[^a-z0-9/.-]/.test(path) || emptyFileNames.test(path))
        .map((path) => `${path}: rename it`),
  },
  {
    name: 'every file begins with a comment that says what it is for',
    bad: { 'src/http/a.ts': 'export const a = 1' },
    check: (tree) =>
      code(tree)
        .filter(([, whole]) => !/^(#!.*\n)?\s*\/[/*]/.test(whole))
        .map(([path]) => path),
  },
  {
    name: 'every source is reached from an entry: main.ts, a worker thread, the bench, the console',
    bad: { 'src/main.ts': '// x', 'src/http/dead.ts': '// x', 'src/http/dead.test.ts': "import './dead.ts'" },
    check: deadFiles,
  },
  {
    name: "what a source exports, beside types, another file imports: without that it is nobody else's",
    bad: { 'src/http/a.ts': 'export const dead = 1', 'src/http/b.ts': "import { alive } from './a.ts'" },
    check: unusedExports,
  },
  {
    name: 'no import cycles, imports of types included',
    bad: {
      'src/http/a.ts': "import type { B } from './b.ts'",
      'src/http/b.ts': "import { c } from './c.ts'",
      'src/http/c.ts': "import { a } from './a.ts'",
    },
    check: importCycles,
  },
  {
    name: 'files of a wire format say direction and function, alike in all formats',
    bad: { 'src/wire/gemini/decode-request.ts': '// x', 'src/wire/gemini/parts.ts': '// x' },
    check: unevenFormats,
  },
]

export const entries =
  /^(src\/main\.ts|sandbox\/main\.ts|src\/.*thread\.ts|bench\/.*|console\/vite\.config\.ts|console\/build\.js|console\/src\/main\.tsx)$/
/** Read by the build or the types, imported by no file. */
const standsAlone = /\.d\.ts$|^console\/src\/lib\/remove-scroll\.tsx$/

function deadFiles(tree: Tree): string[] {
  // Before there is a main, nothing is reachable from it.
  if (!tree.has('src/main.ts')) return []
  const reached = new Set<string>()
  const waiting = [...tree.keys()].filter((path) => entries.test(path))
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue
    reached.add(path)
    const whole = tree.get(path) ?? ''
    waiting.push(...importsOf(path, whole).flatMap(({ target }) => [target, `${target}.ts`, `${target}.tsx`]))
  }
  return [...tree.keys()]
    .filter((path) => isSource(path) || anyConsole.test(path))
    .filter((path) => !reached.has(path) && !standsAlone.test(path))
}

function unusedExports(tree: Tree): string[] {
  const used = new Set<string>()
  for (const [path, whole] of code(tree)) {
    for (const { target, names } of importsOf(path, whole))
      for (const name of names ?? ['*'])
        for (const ending of ['', '.ts', '.tsx']) used.add(`${target}${ending} ${name}`)
  }
  return [...tree]
    .filter(([path]) => (isSource(path) || anyConsole.test(path)) && !standsAlone.test(path))
    .filter(([path]) => !used.has(`${path} *`))
    .flatMap(([path, whole]) => [...whole.matchAll(exportedValue)].map((found) => `${path} ${found[1]}`))
    .filter((exported) => !used.has(exported))
}

const exportedValue = /^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm

/** Imports of types count: what two files share belongs in a third that imports neither. */
function importCycles(tree: Tree): string[] {
  const edges = new Map(
    code(tree).map(([path, whole]) => [
      path,
      importsOf(path, whole).flatMap(({ target }) => fileAt(tree, target) ?? []),
    ]),
  )
  return stronglyConnected(edges)
    .filter((files) => files.length > 1 || edges.get(files[0] ?? '')?.includes(files[0] ?? ''))
    .map((files) => `${files.sort().join(', ')}: move what they share to a file that imports none of them`)
}

function fileAt(tree: Tree, target: string): string | undefined {
  return ['', '.ts', '.tsx'].map((ending) => `${target}${ending}`).find((name) => tree.has(name))
}

/** The groups of files that reach each other, by Tarjan's algorithm. */
function stronglyConnected(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = []
  const open: string[] = []
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const visit = (path: string): number => {
    const own = order.size
    order.set(path, own)
    lowest.set(path, own)
    open.push(path)
    for (const next of edges.get(path) ?? []) {
      const reached = order.has(next) ? (open.includes(next) ? (order.get(next) ?? own) : own) : visit(next)
      lowest.set(path, Math.min(lowest.get(path) ?? own, reached))
    }
    const least = lowest.get(path) ?? own
    if (least === own) found.push(open.splice(open.indexOf(path)))
    return least
  }
  for (const path of edges.keys()) if (!order.has(path)) visit(path)
  return found
}

/**
 * The names of a format's files: direction and function. A format that fills one side alone may omit the other's
 * names, but none of its own: a folder with one file of a row has all files of that row.
 */
const formatFiles: readonly (readonly string[])[] = [
  ['index', 'extract-request'],
  ['request-price-table'],
  ['extract-response', 'extract-usage'],
  ['encode-error'],
  ['tap-stream'],
  ['decode-request', 'encode-response', 'encode-stream', 'request-policy-table'],
  ['encode-request', 'decode-response', 'decode-stream', 'tap-stream'],
  ['strip-carriers'],
  ['encrypted-reasoning'],
]

/** Folders of `wire` that are not formats. */
const sharedByFormats = new Set(['json', 'stream', 'translation'])

/** A part of a file is next to it: `decode-request-tools.ts`. */
function unevenFormats(tree: Tree): string[] {
  const files = [...tree.keys()].filter((path) => /^src\/wire\/[^/]+\//.test(path) && isSource(path))
  const folders = [...new Set(files.map((path) => posix.dirname(path)))].filter(
    (folder) => !sharedByFormats.has(posix.basename(folder)),
  )
  const names = formatFiles.flat()
  return folders.flatMap((folder) => {
    const found = files
      .filter((path) => posix.dirname(path) === folder)
      .map((path) => posix.basename(path, '.ts'))
    const missing = formatFiles
      .filter(
        (row, place) => place === 0 || row.some((name) => found.includes(name) && name !== 'tap-stream'),
      )
      .flat()
      .filter((name) => !found.includes(name))
    const surplus = found.filter(
      (file) => !names.some((name) => file === name || file.startsWith(`${name}-`)),
    )
    return [
      ...missing.map((name) => `${folder}/${name}.ts is missing`),
      ...surplus.map((name) => `${folder}/${name}.ts does not say direction and function`),
    ]
  })
}
