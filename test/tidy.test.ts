/**
 * The rules of the project, executed. Each rule is a row: its name, a sample that violates it, and how it finds
 * violations. A line that must violate a rule says `tidy-allow <rule>: <reason>` on itself or on the line before.
 */
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { splitSource } from './support/source-text.ts'
import { importsOf, readTree, type Tree } from './support/source-tree.ts'

interface Rule {
  readonly name: string
  /** A tree that violates the rule. */
  readonly bad: Readonly<Record<string, string>>
  /** One line for each violation: the path, and what to do instead. */
  readonly check: (tree: Tree) => readonly string[]
}

const self = 'test/tidy.test.ts'
const isTest = (path: string) => path.endsWith('.test.ts') || path.startsWith('test/')
const isSource = (path: string) => /^(src|sandbox|contract)\/.*\.ts$/.test(path) && !isTest(path)

// Who may import whom, downward only.

/** The ledger's public side: its operations and its rules. */
const theLedger = 'ledger ledger/rules'

const belowPhases = `catalog access provider-keys ${theLedger} usage limits bodies tokens providers telemetry http wire base contract type:config`
/** What the phases share. */
const shared =
  'gateway/request gateway/targets gateway/bounds gateway/attempts gateway/responses gateway/observation'

/** What the folders of identity share. */
const belowIdentity =
  'identity/types identity/auth-messages identity/public-address store threads base contract limits type:config'
const identityParts = 'store sessions sign-in organizations people better-auth auth-gateway'.split(' ')
const identityFolders = identityParts.map((name) => `identity/${name}`).join(' ')

/**
 * Group → the groups, or files below src, that it may import; `type:` allows types alone; `*` is all. A group is a
 * folder of src, one of the parts of `gateway`, `identity` or `ledger`, `sandbox` or `contract`; only main.ts is outside
 * of them.
 */
const layers: Readonly<Record<string, string>> = {
  contract: '',
  wire: 'contract/meters type:contract',
  limits: 'base',
  base: 'contract',
  config: 'catalog limits base contract providers/clouds/clouds-table type:wire',
  threads: 'base',
  store: 'threads base type:contract type:config',
  catalog: 'store base contract limits type:wire type:config',
  access: 'store base contract limits type:wire type:config',
  'ledger/rules': 'base contract limits type:ledger type:catalog',
  'ledger/machine': 'ledger/rules base limits type:ledger type:wire',
  'ledger/sqlite':
    'ledger/machine ledger/rules ledger/verify store base contract limits type:ledger type:wire type:config',
  'ledger/postgres':
    'ledger/machine ledger/sqlite ledger/verify/kept-receipts store base contract limits type:ledger type:wire type:config',
  'ledger/verify': 'store base contract type:ledger type:config',
  ledger: 'ledger/rules ledger/sqlite store base contract limits type:ledger/verify type:wire type:config',
  audit: 'store base contract',
  'identity/store': belowIdentity,
  'identity/sessions': `identity/store ${belowIdentity}`,
  'identity/sign-in': `identity/sessions identity/store ${belowIdentity}`,
  'identity/organizations': belowIdentity,
  'identity/people': `identity/organizations identity/sign-in identity/store ${belowIdentity} type:mail`,
  'identity/better-auth': `identity/people identity/sign-in identity/sessions identity/store ${belowIdentity}`,
  'identity/auth-gateway': `identity/better-auth identity/organizations identity/sign-in identity/sessions identity/store ${belowIdentity}`,
  identity: `${identityFolders} mail ${belowIdentity}`,
  mail: 'base contract type:config',
  usage:
    'ledger/sqlite/rows ledger/postgres/tables store base contract limits type:ledger type:ledger/machine type:ledger/sqlite type:ledger/postgres type:config',
  payments: 'ledger mail store base contract limits type:config',
  api: 'control identity access http base contract limits type:config',
  providers: 'wire base contract/custom-hosts contract/hosts type:config',
  'provider-keys': 'catalog store base contract type:providers type:config',
  sandbox: 'wire base type:config',
  http: 'base type:config',
  telemetry: 'base contract type:providers type:config',
  tokens: 'threads wire base type:config',
  bodies: 'tokens threads wire base type:config',
  'gateway/observation': `${belowPhases} gateway/request`,
  'gateway/responses': `${belowPhases} gateway/request`,
  'gateway/attempts': `${belowPhases} gateway/request gateway/observation`,
  'gateway/targets': `${belowPhases} gateway/request gateway/attempts gateway/responses`,
  'gateway/bounds': `${belowPhases} gateway/request gateway/attempts gateway/observation`,
  'gateway/phases': `${belowPhases} ${shared}`,
  'gateway/files': `${belowPhases} ${shared}`,
  'gateway/background-responses': `${belowPhases} ${shared}`,
  gateway: `${belowPhases} ${shared} gateway/phases gateway/files gateway/background-responses`,
  control:
    'access audit catalog identity ledger limits payments provider-keys providers/health usage contract base type:ledger/verify/ledger-watch store/transaction type:store/settings type:config',
  cli: 'server/admin-socket control contract base type:config',
  server: '*',
}

const groupOf = (path: string) =>
  /^(contract|sandbox)\//.exec(path)?.[1] ??
  /^src\/(gateway\/(?:phases|targets|bounds|attempts|responses|observation|files|background-responses)|(?:identity|ledger)\/[^/]+(?=\/)|[^/]+)\//.exec(
    path,
  )?.[1] ??
  'outside'

/** A phase is a file of the folder, or a folder in it; none imports another. */
const phaseOf = (path: string) => /^src\/gateway\/phases\/([^/.]+)/.exec(path)?.[1]

function mayImport(path: string, target: string, isTypeOnly: boolean): boolean {
  const [from, to] = [groupOf(path), groupOf(target)]
  if (from === 'outside') return true
  if (from === to) return phaseOf(path) === phaseOf(target)
  if (to === 'outside') return false
  const allowed = layers[from]?.split(' ') ?? []
  const below = target.replace(/^src\/|\.ts$/g, '')
  return allowed.some((entry) => {
    const name = entry.replace('type:', '')
    const isOpen = isTypeOnly || !entry.startsWith('type:')
    return isOpen && (name === '*' || name === to || (name.includes('/') && below === name))
  })
}

function importedUpwards(tree: Tree): string[] {
  return sources(tree).flatMap(([path, text]) =>
    importsOf(path, text)
      .filter(({ target, isOurs, isTypeOnly }) => isOurs && !mayImport(path, target, isTypeOnly))
      .map(({ target }) => `${path} imports ${target}`),
  )
}

// Banned patterns and where they apply.

interface Ban {
  readonly name: string
  readonly pattern: RegExp
  /** Searched in: code without comments, code without strings too, or the text as it is. */
  readonly over: 'code' | 'bare' | 'text'
  readonly within: RegExp
  readonly except?: RegExp
  readonly instead: string
  /** Path and text that violate it. */
  readonly bad: readonly [path: string, text: string]
}

const anySource = /^(src|sandbox|contract)\/.*(?<!\.test)\.ts$/
const anyCode = /^(src|sandbox|contract|console|test|bench|scripts|bin)\/.*\.(tsx?|js)$/
const anyConsole = /^console\/src\/.*(?<!\.test)\.tsx?$/
const owners = /^src\/(access|audit|catalog|identity|ledger|payments|provider-keys|store|usage)\//
const text = (...parts: string[]) => parts.join('')

const bans: readonly Ban[] = [
  {
    name: 'environment',
    pattern: /\bprocess\s*\.\s*env\b|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/,
    over: 'bare',
    within: anySource,
    except: /^src\/config\/config\.ts$/,
    instead: 'config.ts alone reads the environment; take the value as a parameter',
    bad: ['src/http/a.ts', 'const port = process.env.PORT'],
  },
  {
    name: 'wall-clock',
    pattern:
      /\bDate\.now\b|\bnew Date(?:\(\s*\)|(?!\s*\())|(?<!new )\bDate\(|\bperformance\.(now|timeOrigin)\b|\bhrtime\b/,
    over: 'bare',
    within: /^(src|sandbox|contract)\/.*\.ts$/,
    except: /^src\/base\/clock\.ts$/,
    instead: 'take a Clock, so that a test owns time',
    bad: ['src/ledger/a.ts', 'const at = new Date()'],
  },
  {
    name: 'timer',
    pattern: /(?<![.\w])(?:globalThis\.)?set(?:Timeout|Interval)\s*\(|'node:timers/,
    over: 'code',
    within: /^(src|sandbox|contract|test)\/.*\.ts$/,
    except: /^src\/base\/clock\.ts$/,
    instead: 'Clock.after; a test waits for what happens, it does not sleep',
    bad: ['src/http/a.test.ts', 'await new Promise((done) => setTimeout(done, 50))'],
  },
  {
    name: 'suites that wait while they are built',
    pattern: /\b(?:describe|suite)\([^\n]*,\s*async\b/,
    over: 'code',
    within: /\.test\.ts$/,
    instead: 'an await before the suite: the runner would not know of its tests',
    bad: ['src/http/a.test.ts', 'describe("streams", async () => {'],
  },
  {
    name: 'randomness',
    pattern:
      /\bMath\.random\b|\b(?:randomBytes|randomUUID|randomInt|randomFill|randomFillSync|getRandomValues)\b/,
    over: 'bare',
    within: /^(src|sandbox|contract)\/.*\.ts$/,
    except: /^src\/base\/ids\.ts$/,
    instead: 'take RandomBytes or NextId of base/ids.ts',
    bad: ['src/access/a.ts', "import { randomBytes } from 'node:crypto'"],
  },
  {
    name: 'console',
    pattern: /(?<!\.)\bconsole\s*\./,
    over: 'bare',
    within: anySource,
    except: /^src\/cli\//,
    instead: 'write to the log; only the command line prints',
    bad: ['src/gateway/serve.ts', "console.log('here')"],
  },
  {
    name: 'wire-is-pure',
    pattern:
      /\basync\b|\bawait\b|\bPromise\b|\bBuffer\b|\bDate\b|\b(?:process|performance|crypto|fetch|queueMicrotask|setImmediate)\b(?=[.(])/,
    over: 'bare',
    within: /^(src\/(wire|limits)|contract)\/.*(?<!\.test)\.ts$/,
    instead: 'values in, values out: no I/O, promise, clock or Node',
    bad: ['src/wire/stream/sse.ts', 'export async function read(): Promise<void> {}'],
  },
  {
    name: 'format-name',
    pattern:
      /(?:[=!]==?|\bcase)\s*['"`](?:openai-chat|openai-responses|openai-embeddings|anthropic|gemini)['"`]|['"`](?:openai-chat|openai-responses|openai-embeddings|anthropic|gemini)['"`]\s*[=!]==?/,
    over: 'code',
    within: /^src\/.*(?<!\.test)\.ts$/,
    except: /^src\/wire\/(?:openai-|anthropic|gemini)/,
    instead:
      'what a format does otherwise is a member of ClientFormat or UpstreamFormat (src/wire/dialect.ts)',
    bad: ['src/gateway/phases/route.ts', "if (dialect.name === 'gemini') return null"],
  },
  {
    name: 'provider-id',
    pattern:
      /(?:[=!]==?|\bcase)\s*['"`](?:openai|anthropic|google|sandbox)['"`]|['"`](?:openai|anthropic|google|sandbox)['"`]\s*[=!]==?/,
    over: 'code',
    within: anySource,
    except: /^(src\/providers|sandbox)\//,
    instead: 'make it a fact in the row of the provider, or an entry of a table',
    bad: ['src/gateway/phases/route.ts', "if (provider === 'anthropic') return 1"],
  },
  {
    name: 'sql-with-its-table',
    pattern:
      /['"`]\s*(?:SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|WITH\s+\w+\s+AS\s|CREATE\s+(?:UNIQUE\s+)?(?:TABLE|INDEX|TRIGGER|VIEW)\s|ALTER\s+TABLE\s|DROP\s+(?:TABLE|INDEX)\s|PRAGMA\s|BEGIN\s)|\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(/,
    over: 'code',
    within: anySource,
    except: owners,
    instead: 'ask the folder that owns the table',
    bad: ['src/control/a.ts', 'const rows = query(`\n  SELECT id FROM account`)'],
  },
  {
    name: 'data-path',
    pattern: /(?<![.\w])fetch\s*\(|\b(?:ReadableStream|WritableStream|TransformStream|AbortController)\b/,
    over: 'bare',
    within: /^src\/(gateway|providers|wire|http)\/.*(?<!\.test)\.ts$/,
    instead: 'no fetch, web stream or AbortController on the path of a request: providers/send.ts',
    bad: ['src/gateway/phases/dispatch.ts', 'const stop = new AbortController()'],
  },
  {
    name: 'accessor-in-object-literal',
    pattern: /^ {4,}(?:get|set) \w+\(/m,
    over: 'code',
    within: /^src\/(gateway|providers|wire|http|limits|access|bodies|tokens|base)\/.*(?<!\.test)\.ts$/,
    instead:
      'a class: V8 makes a hidden class for each such object, which keeps all that the accessor can reach',
    bad: ['src/gateway/a.ts', 'return {\n    get place() {\n      return place\n    },\n  }'],
  },
  {
    name: 'type-escape',
    pattern: /@ts-(?:ignore|expect-error|nocheck)/,
    over: 'text',
    within: anyCode,
    instead: 'mend the type',
    bad: ['src/gateway/serve.ts', text('// @ts-', 'ignore')],
  },
  {
    name: 'unfinished',
    pattern: /\b(?:TODO|FIXME|HACK)\b/,
    over: 'text',
    within: anyCode,
    instead: 'do it now, or write down why not in docs/decisions',
    bad: ['src/gateway/serve.ts', text('// TO', 'DO: later')],
  },
  {
    name: 'whole-suite',
    pattern:
      /\b(?:test|it|describe|suite)\.(?:only|skip|todo)\s*\(|\{\s*(?:only|todo):\s*true|\bmock\.module\(/,
    over: 'bare',
    within: /\.test\.ts$/,
    instead: 'every test runs, against the real parts',
    bad: ['src/base/a.test.ts', text('test.', "only('one', () => {})")],
  },
  {
    name: 'text-is-no-markup',
    pattern:
      /\bdangerouslySetInnerHTML\b|\.(?:innerHTML|outerHTML|srcdoc)\s*=|\binsertAdjacentHTML\b|\bdocument\.write\b|\beval\s*\(|\bnew Function\b/,
    over: 'bare',
    within: anyConsole,
    instead: 'names, models and their answers are texts: let React write them',
    bad: ['console/src/features/a/page.tsx', 'return <p dangerouslySetInnerHTML={{ __html: name }} />'],
  },
  {
    name: 'empty-names',
    pattern:
      /\b(?:const|let|function|class|interface|type)\s+(?:utils?|helpers?|common|misc|manager|service|handler|data|info|ctx|req|res)\b/i,
    over: 'bare',
    within: anySource,
    instead: 'name it after what it is',
    bad: ['src/http/a.ts', 'const ctx = {}'],
  },
]

function banned({ name, pattern, over, within, except, instead }: Ban, tree: Tree): string[] {
  const global = new RegExp(pattern, `g${pattern.flags}`)
  return [...tree]
    .filter(([path]) => within.test(path) && path !== self && !except?.test(path))
    .flatMap(([path, whole]) => {
      const searched = over === 'text' ? whole : splitSource(whole)[over]
      const lines = whole.split('\n')
      return [...searched.matchAll(global)]
        .map((match) => searched.slice(0, match.index).split('\n').length)
        .filter((line) => !isAllowed(name, lines, line))
        .map((line) => `${path}:${line} ${lines[line - 1]?.trim()} (${instead})`)
    })
}

function isAllowed(name: string, lines: readonly string[], line: number): boolean {
  const allowance = new RegExp(`tidy-allow ${name}: \\S`)
  return [lines[line - 1], lines[line - 2]].some((text) => text !== undefined && allowance.test(text))
}

// The console: its folders, downward only.

/** Folder of console/src → the folders that it may import. Files directly in console/src may import all. */
const consoleLayers: Readonly<Record<string, readonly string[]>> = {
  lib: ['lib'],
  components: ['lib', 'components'],
  layout: ['lib', 'components', 'layout', 'features/auth', 'features/palette'],
}

const consoleFolder = (path: string) => /^console\/src\/((?:features\/)?[^/]+)\//.exec(path)?.[1] ?? 'console'

/** Of the contract: values that need no schema. */
const consoleValues = [
  'contract/usd.ts',
  'contract/meters.ts',
  'contract/custom-hosts.ts',
  'contract/hosts.ts',
  'contract/low-balance.ts',
]

/** Made from the contract when the console is built. */
const madeModules = ['virtual:operations', 'virtual:error-codes']

/** The list of pages of the documentation is data for the command palette too. */
const docsPages = 'console/docs/site-map.ts'

/** Its pages are loaded when they are shown, so that the navigation can read the table. */
const pagesTable = 'console/src/pages.ts'

function mayConsoleImport(path: string, target: string, isTypeOnly: boolean): boolean {
  // Schemas stay on the server: they are half as large as the console itself.
  if (target.startsWith('contract/')) return isTypeOnly || consoleValues.includes(target)
  if (!target.startsWith('console/src/')) return target === docsPages
  return (
    target === pagesTable || (consoleLayers[consoleFolder(path)]?.includes(consoleFolder(target)) ?? true)
  )
}

function importedAcrossConsole(tree: Tree): string[] {
  const packages = Object.keys(manifest(tree, 'console/package.json').dependencies ?? {})
  return [...tree]
    .filter(([path]) => anyConsole.test(path) && !path.endsWith('.d.ts'))
    .flatMap(([path, whole]) =>
      importsOf(path, whole)
        .filter(({ target, isOurs, isTypeOnly }) =>
          isOurs
            ? !mayConsoleImport(path, target, isTypeOnly)
            : !madeModules.includes(target) && !packages.includes(packageName(target)),
        )
        .map(({ target }) => `${path} imports ${target}`),
    )
}

// Packages: where each may be imported.

/** Not listed: anywhere above `wire`, `contract` and `limits`. */
const packagePlaces: Readonly<Record<string, RegExp>> = {
  'node:sqlite': /^src\/store\//,
  kysely: owners,
  zod: /^(contract\/|src\/(api|catalog|config|control|gateway|server)\/)/,
  pino: /^src\/base\//,
  'better-auth': /^src\/identity\/better-auth\//,
  pg: /^src\/store\/postgres\//,
  stripe: /^src\/payments\//,
  nodemailer: /^src\/mail\//,
  fastify: /^src\/(server|http|api)\//,
}
const pureFolders = /^(src\/(wire|limits)|contract)\//

function misplacedPackages(tree: Tree): string[] {
  const listed = Object.keys(manifest(tree).dependencies ?? {})
  return sources(tree).flatMap(([path, whole]) =>
    importsOf(path, whole)
      .filter(({ isOurs }) => !isOurs)
      .map(({ target }) => (target.startsWith('node:') ? target : packageName(target)))
      .flatMap((name) => {
        if (!name.startsWith('node:') && !listed.includes(name))
          return [`${path} imports ${name}, which is not a dependency`]
        const place = packagePlaces[name]
        const isRight = place?.test(path) ?? !pureFolders.test(path)
        return isRight
          ? []
          : [`${path} imports ${name}, which belongs to ${place?.source ?? 'impure folders'}`]
      }),
  )
}

/** Large packages that few requests need: loaded on first use, or in a separate thread. */
const notAtOnce: readonly string[] = [
  'better-auth',
  '@better-auth/passkey',
  'gpt-tokenizer',
  'nodemailer',
  'stripe',
  'yaml',
]

function loadedAtOnce(tree: Tree): string[] {
  // A command loads main.ts alone, the server server.ts as well.
  const reached = new Set<string>(['src/main.ts', 'src/server/server.ts'])
  // A set is iterated in insertion order, including entries added meanwhile.
  for (const path of reached) {
    for (const { target, isOurs, isTypeOnly, isLater } of importsOf(path, tree.get(path) ?? '')) {
      if (isOurs && !isTypeOnly && !isLater) reached.add(target)
    }
  }
  return [...reached].flatMap((path) =>
    importsOf(path, tree.get(path) ?? '')
      .filter(({ isTypeOnly, isLater }) => !isTypeOnly && !isLater)
      .filter(({ target, isOurs }) => !isOurs && notAtOnce.includes(packageName(target)))
      .map(({ target }) => `${path} imports ${target}`),
  )
}

const packageName = (target: string) =>
  target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/')

// Files.

const linesMax = 400
/** Tests, migrations and files that are one table: errors, models, presets, price catalogs, prepared texts. */
const mayBeLong =
  /\.test\.ts$|^test\/|\/migrations\/|^contract\/errors\.ts$|(^|[/-])(table|models|presets|words)\.ts$/
const emptyFileNames = /(^|[/-])(utils?|helpers?|common|misc|manager|service|handler|data|info|ctx)(?=[/.-])/

const fileRules: readonly Rule[] = [
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

const entries =
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
  ['index', 'extract-request', 'request-price-table'],
  ['extract-response', 'extract-usage'],
  ['encode-error'],
  ['tap-stream'],
  ['decode-request', 'encode-response', 'encode-stream', 'request-policy-table'],
  ['encode-request', 'decode-response', 'decode-stream', 'tap-stream', 'strip-carriers'],
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

// Pages and packages.

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

function manifest(tree: Tree, path = 'package.json'): Manifest {
  return JSON.parse(tree.get(path) ?? '{}') as Manifest
}

const pageRules: readonly Rule[] = [
  {
    name: 'every error has its page in docs/errors, and every page its error',
    bad: { 'contract/errors.ts': 'const rows = {\n  gone: [410],\n}', 'docs/errors/lost.md': '# lost' },
    check(tree) {
      const codes = errorCodes(tree.get('contract/errors.ts') ?? '')
      const pages = [...tree.keys()].flatMap(
        (path) => /^docs\/errors\/(?!README)(.+)\.md$/.exec(path)?.[1] ?? [],
      )
      return [
        ...codes.filter((name) => !pages.includes(name)).map((name) => `docs/errors/${name}.md is missing`),
        ...pages.filter((name) => !codes.includes(name)).map((name) => `docs/errors/${name}.md has no error`),
      ]
    },
  },
  {
    name: 'every dependency is pinned and has its sentence in docs/decisions/dependencies.md',
    bad: { 'package.json': '{"dependencies":{"a":"^1.0.0"}}' },
    check(tree) {
      const { dependencies, devDependencies } = manifest(tree)
      const pages = manifest(tree, 'console/package.json').dependencies
      const runtime = manifest(tree, 'runtime/package.json').optionalDependencies
      const all = Object.entries({ ...dependencies, ...devDependencies, ...pages, ...runtime })
      const page = tree.get('docs/decisions/dependencies.md') ?? ''
      const documented = [...page.matchAll(/^\| `([^`]+)` \|.+\w.+\|$/gm)].map((match) => match[1] ?? '')
      return [
        ...all
          .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
          .map(([name]) => `${name} is not pinned`),
        ...all.filter(([name]) => !documented.includes(name)).map(([name]) => `${name} has no sentence`),
        ...documented
          .filter((name) => !all.some(([listed]) => listed === name))
          .map((name) => `${name} is gone, its sentence not`),
      ]
    },
  },
  {
    name: 'links between pages lead somewhere',
    bad: { 'README.md': 'see [there](docs/nowhere.md)' },
    check: (tree) =>
      [...tree]
        .filter(([path]) => path.endsWith('.md'))
        .flatMap(([path, whole]) =>
          [...whole.replace(/```[\s\S]*?```|`[^`\n]*`/g, '').matchAll(/\]\((?!\w+:|#|\/)([^)#\s]+)[^)]*\)/g)]
            .map((match) => posix.join(posix.dirname(path), match[1] ?? '').replace(/\/$/, ''))
            .filter(
              (target) =>
                ![...tree.keys()].some((other) => other === target || other.startsWith(`${target}/`)),
            )
            .map((target) => `${path} → ${target}`),
        ),
  },
]

/** The names of the rows, read from the text, so that a sample can be checked too. */
function errorCodes(whole: string): string[] {
  return [...splitSource(whole).bare.matchAll(/^ {2}([a-z][a-z0-9_]*): (?=\[|row\()/gm)].map(
    (match) => match[1] ?? '',
  )
}

// Words: the project speaks of the product alone, and holds no secret.

const foreignWords: readonly [word: RegExp, sample: string][] = [
  [
    /\b(?:coding|working|agent) sessions?\b|\bin (?:this|an? (?:earlier|later)|the (?:last|previous|next)) session\b|\bsession (?:added|made|built|wrote)\b/i,
    text('done in this ', 'session'),
  ],
  [
    /\bassistant (?:made|wrote|said|did)\b|\bAI assistant\b|\bas an AI\b|\bsub-?agents?\b/i,
    text('the assistant ', 'wrote it'),
  ],
  [/\bspine\b/i, text('the spi', 'ne')],
  [/(?<![\w./*-])\/(?:work|tmp\/brief)\//, text('/wo', 'rk/main')],
  [
    /registry\.npmjs|deb\.debian\.org|files\.pythonhosted|pypi\.org|proxy\.golang/,
    text('registry.', 'npmjs.org'),
  ],
  [/co-authored-by|generated with/i, text('Co-', 'authored-by: x')],
]
const secrets = new RegExp(
  [
    /\bsk-(?:ant-|proj-|tg-)?[A-Za-z0-9_]{16,}/,
    /\bAIza[\w-]{30,}/,
    /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
    /\bgh[pousr]_[A-Za-z0-9]{20,}/,
    /\b(?:sk|rk|pk|whsec)_(?:live|test)?_?[A-Za-z0-9]{20,}/,
    /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

const wordRules: readonly Rule[] = [
  ...foreignWords.map(
    ([word, sample]): Rule => ({
      name: `the project speaks of the product alone: ${word.source.slice(0, 40)}`,
      bad: { 'README.md': sample },
      check: (tree) => [...tree].flatMap(([path, whole]) => linesWith(word, path, whole)),
    }),
  ),
  {
    name: 'nothing looks like a secret',
    bad: { 'test/a.test.ts': text("const key = 'sk-", "tg-0123456789abcdefghij'") },
    check: (tree) => [...tree].flatMap(([path, whole]) => linesWith(secrets, path, whole)),
  },
]

function linesWith(word: RegExp, path: string, whole: string): string[] {
  if (path === self || path.endsWith('package-lock.json')) return []
  return whole
    .split('\n')
    .flatMap((line, index) => (word.test(line) ? [`${path}:${index + 1} ${line.trim().slice(0, 120)}`] : []))
}

/** `file.ts`, `folder/file.ts` or `Type.member`, in backticks. */
const namedInComments = /`((?:[\w.-]+\/)*[a-z][\w-]*\.(?:ts|tsx|js))`|`([A-Z]\w*)\.#?(\w+)(?:\(\))?`/g

function namedInVain(tree: Tree): string[] {
  /** By type: the sources that declare it. */
  const declared = new Map<string, string[]>()
  for (const [, text] of code(tree))
    for (const [, name = ''] of splitSource(text).code.matchAll(
      /\b(?:class|interface|type|const|function|import) (?:type )?([A-Z]\w*)/g,
    ))
      declared.set(name, [...(declared.get(name) ?? []), text])
  const isFile = (name: string) => [...tree.keys()].some((path) => `/${path}`.endsWith(`/${name}`))
  const hasMember = (type: string, member: string) =>
    type in globalThis ||
    declared.get(type)?.some((text) => new RegExp(`\\b${member}\\b`).test(splitSource(text).code)) === true
  return code(tree)
    .filter(([path]) => path !== self)
    .flatMap(([path, text]) =>
      splitSource(text).comments.flatMap((comment) =>
        [...comment.matchAll(namedInComments)].flatMap(([, file, type = '', member = '']) =>
          (file === undefined ? hasMember(type, member) : isFile(file))
            ? []
            : [`${path}: ${file ?? `${type}.${member}`}`],
        ),
      ),
    )
}

const sources = (tree: Tree) => [...tree].filter(([path]) => isSource(path))
const code = (tree: Tree) => [...tree].filter(([path]) => anyCode.test(path))

const rules: readonly Rule[] = [
  {
    name: 'imports go downward only',
    bad: { 'src/gateway/phases/reserve/reserve.ts': "import { open } from '../../../store/open.ts'" },
    check: importedUpwards,
  },
  {
    name: 'src holds main.ts and folders, and every folder says what it may import',
    bad: { 'src/attic/a.ts': '// x', 'src/loose.ts': '// x' },
    check: (tree) => [
      ...new Set(
        sources(tree)
          .filter(([path]) => path !== 'src/main.ts' && layers[groupOf(path)] === undefined)
          .map(([path]) => `${posix.dirname(path)} is not in the table of layers`),
      ),
    ],
  },
  {
    name: 'every folder of src has its row in ARCHITECTURE.md',
    bad: { 'ARCHITECTURE.md': '| `src/http/` | the edge | |', 'src/base/a.ts': '// x' },
    check(tree) {
      const page = tree.get('ARCHITECTURE.md') ?? ''
      const folders = new Set(
        sources(tree).map(([path]) => path.split('/').slice(0, -1).slice(0, 2).join('/')),
      )
      return [...folders]
        .filter((folder) => folder.startsWith('src/') && !page.includes(`| \`${folder}/\` |`))
        .map((folder) => `${folder} has no row`)
    },
  },
  {
    name: 'an exported type has its name to itself',
    bad: { 'src/base/a.ts': 'export interface Row {}', 'contract/a.ts': 'export type Row = string' },
    check(tree) {
      const places = new Map<string, string[]>()
      for (const [path, text] of sources(tree).filter(([path]) => /^(?:src|contract)\//.test(path)))
        for (const [, name = ''] of text.matchAll(/^export (?:abstract )?(?:class|interface|type) (\w+)/gm))
          places.set(name, [...(places.get(name) ?? []), path])
      return [...places]
        .filter(([, paths]) => paths.length > 1)
        .map(([name, paths]) => `${name}: ${paths.join(', ')}`)
    },
  },
  {
    name: 'comments name files, types and members that exist',
    bad: {
      'src/base/a.ts':
        'export interface Row {\n  /** See `gone.ts`, `Row.gone` and `Gone.row`. */\n  readonly here: string\n}',
    },
    check: namedInVain,
  },
  {
    name: "the console's folders import downward only, and of the contract its types alone",
    bad: {
      'console/src/lib/a.ts':
        "import { Card } from '@/components/card'\nimport { key } from '../../../contract/values.ts'",
    },
    check: importedAcrossConsole,
  },
  {
    name: 'packages are imported where they belong',
    bad: {
      'package.json': '{"dependencies":{"pino":"1.0.0"}}',
      'src/http/a.ts': "import { pino } from 'pino'",
    },
    check: misplacedPackages,
  },
  {
    name: `nothing loads at once with the program what few requests need: ${notAtOnce.join(', ')}`,
    bad: {
      'src/main.ts': "import '../src/cli/cli.ts'",
      'src/cli/cli.ts': "import { betterAuth } from 'better-auth'",
    },
    check: loadedAtOnce,
  },
  ...bans.map(
    (ban): Rule => ({
      name: `${ban.name}: ${ban.instead}`,
      bad: { [ban.bad[0]]: ban.bad[1] },
      check: (tree) => banned(ban, tree),
    }),
  ),
  ...fileRules,
  ...pageRules,
  ...wordRules,
]

const tree = readTree(fileURLToPath(new URL('..', import.meta.url)))

for (const { name, bad, check } of rules) {
  test(name, () => {
    assert.notDeepEqual(check(new Map(Object.entries(bad))), [], 'the rule does not see its own bad sample')
    const breaches = check(tree)
    if (breaches.length > 0) assert.fail(`\n${breaches.join('\n')}`)
  })
}

const layerCases: readonly [path: string, line: string, isRight: boolean][] = [
  ['src/gateway/phases/check.ts', "import { reserve } from '../../ledger/reserve.ts'", true],
  ['src/gateway/phases/check.ts', "import type { Db } from '../../store/open.ts'", false],
  ['src/gateway/phases/check.ts', "import type { Route } from '../request.ts'", true],
  ['src/gateway/phases/check.ts', "import type { Deps } from '../deps.ts'", false],
  ['src/gateway/phases/relay/relay.ts', "import { settle } from '../settle/settle.ts'", false],
  ['src/gateway/phases/relay/relay.ts', "import { relayJson } from './relay-json.ts'", true],
  ['src/gateway/files/files.ts', "import { settle } from '../phases/settle/settle.ts'", false],
  ['src/gateway/serve.ts', "import { settle } from './phases/settle/settle.ts'", true],
  ['src/gateway/serve.ts', "import { open } from '../server/services.ts'", false],
  ['src/ledger/rules/a.ts', "import type { Price } from '../../catalog/types.ts'", true],
  ['src/ledger/a.ts', "import { price } from '../catalog/types.ts'", false],
  ['src/control/a.ts', "import { inTransaction } from '../store/transaction.ts'", true],
  ['src/control/a.ts', "import { open } from '../store/open.ts'", false],
  ['src/wire/stream/sse.ts', "export * from '../../base/assert.ts'", false],
  ['src/base/errors.ts', "import {\n  a,\n  type B,\n} from '../../contract/errors.ts'", true],
  ['src/cli/cli.ts', "const main = await import('../main.ts')", false],
  ['src/main.ts', "import { open } from './store/open.ts'", true],
  ['src/http/a.ts', "// import { open } from '../store/open.ts'", true],
]

for (const [path, line, isRight] of layerCases) {
  test(`${path}: ${line} is ${isRight ? 'right' : 'wrong'}`, () => {
    assert.equal(importedUpwards(new Map([[path, line]])).length === 0, isRight)
  })
}

test('a violation with a reason next to it is allowed', () => {
  const line = 'const at = new Date()'
  const ban = bans.find(({ name }) => name === 'wall-clock')!
  const breaches = (whole: string) => banned(ban, new Map([['src/ledger/a.ts', whole]])).length
  assert.equal(breaches(line), 1)
  assert.equal(breaches(`// tidy-allow wall-clock: the reason\n${line}`), 0)
  assert.equal(breaches(`// tidy-allow wall-clock:\n${line}`), 1)
  assert.equal(breaches(`${line}\n\n// tidy-allow wall-clock: too far away`), 1)
})
