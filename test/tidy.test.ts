/**
 * The rules of the project, executed. Each rule is a row: its name, a sample that violates it, and how it finds
 * violations. A line that must violate a rule says `tidy-allow <rule>: <reason>` on itself or on the line before.
 */
import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readTree } from './support/source-tree.ts'
import { banned, bans } from './tidy/bans.ts'
import { importedAcrossConsole } from './tidy/console.ts'
import { fileRules } from './tidy/files.ts'
import { groupOf, importedUpwards, layers } from './tidy/layers.ts'
import { loadedAtOnce, misplacedPackages, notAtOnce } from './tidy/packages.ts'
import { pageRules } from './tidy/pages.ts'
import { type Rule, sources } from './tidy/rule.ts'
import { namedInVain, wordRules } from './tidy/words.ts'

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
