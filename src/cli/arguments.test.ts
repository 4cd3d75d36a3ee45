/** Parsing of the command line, and its error messages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseArguments } from './arguments.ts'
import { commands } from './commands-table.ts'
import { helpText } from './help-text.ts'

const account = 'acct_0000000000001'
const key = 'key_0000000000001'

function words(line: string): string[] {
  return line === '' ? [] : line.split(' ')
}

const understood: readonly [line: string, words: string, input: unknown][] = [
  ['account create --email Ada@Example.org', 'account create', { email: 'Ada@Example.org' }],
  ['account create --email=a@b.org --credit 0', 'account create', { email: 'a@b.org', credit: '0' }],
  [`account show ${account}`, 'account show', { account }],
  ['account show local', 'account show', { account: 'local' }],
  ['account list --limit 5', 'account list', { limit: 5 }],
  ['key create a@b.org --name editor', 'key create', { account: 'a@b.org', name: 'editor' }],
  [
    `key create ${account} --name ci --budget 5 --window day --models a,b --concurrent 2 --show-balance no`,
    'key create',
    {
      account,
      name: 'ci',
      budget: { amount: '5', window: 'day' },
      models: ['a', 'b'],
      limits: { concurrent: 2 },
      showBalance: false,
    },
  ],
  [`key revoke ${key}`, 'key revoke', { key }],
  [
    `key update ${key} --budget none --expires none --models none --concurrent none --disabled yes`,
    'key update',
    { key, budget: null, expires: null, models: null, limits: { concurrent: null }, disabled: true },
  ],
  [
    `key update ${key} --budget 5 --window day --models a,b --concurrent 2`,
    'key update',
    { key, budget: { amount: '5', window: 'day' }, models: ['a', 'b'], limits: { concurrent: 2 } },
  ],
  [`key rotate ${key} --overlap-hours 0`, 'key rotate', { key, overlapHours: 0 }],
  [
    'credit a@b.org 12.50 --reference i-1',
    'credit',
    { account: 'a@b.org', amount: '12.50', reference: 'i-1' },
  ],
  ['models', 'models', {}],
  ['models routing m --fallbacks none', 'models routing', { model: 'm', fallbacks: [] }],
  [
    'models routing m --fallbacks file --strategy file',
    'models routing',
    { model: 'm', fallbacks: null, strategy: null },
  ],
  ['models routing m --fallbacks a,b', 'models routing', { model: 'm', fallbacks: ['a', 'b'] }],
  ['models offers m --period hour', 'models offers', { model: 'm', period: 'hour' }],
  ['models offers set m --group file', 'models offers set', { model: 'm', offers: null }],
  [
    'models offers set m --group a=x/y:free*3,b --group c=n=1 --revision r',
    'models offers set',
    {
      ...{ model: 'm', revision: 'r' },
      offers: [
        { upstream: 'a', priority: 1, upstreamModel: 'x/y:free', weight: 3 },
        { upstream: 'b', priority: 1 },
        { upstream: 'c', priority: 2, upstreamModel: 'n=1' },
      ],
    },
  ],
  [
    'models offer m u --priority 2 --weight 0 --cost-input 1 --cost-output 2.5',
    'models offer',
    { ...{ model: 'm', upstream: 'u', priority: 2, weight: 0 }, cost: { input: '1', output: '2.5' } },
  ],
  ['models offer m u --cost-input none', 'models offer', { model: 'm', upstream: 'u', cost: null }],
  [
    'models add m --context 8 --max-output 4 --input 1 --output 2 --fee a=1 --fee b=2',
    'models add',
    {
      model: 'm',
      contextTokens: 8,
      outputTokensMax: 4,
      price: { input: '1', output: '2', fees: { a: '1', b: '2' } },
    },
  ],
  ['models price m --input 1 --output 2', 'models price', { model: 'm', price: { input: '1', output: '2' } }],
  [`requests ${account} --limit 3`, 'requests', { account, limit: 3 }],
  ['ledger verify', 'ledger verify', {}],
  ['setup-link', 'setup-link', {}],
  ['doctor', 'doctor', {}],
  ['serve', 'serve', {}],
]

for (const [line, command, input] of understood) {
  for (const json of [false, true]) {
    test(`tollgate ${line}${json ? ' --json' : ''}`, () => {
      const parsed = parseArguments([...words(line), ...(json ? ['--json'] : [])])
      assert.ok(parsed.kind === 'run', JSON.stringify(parsed))
      assert.deepEqual([parsed.command.words, parsed.input, parsed.json], [command, input, json])
    })
  }
}

test('global options may precede the command', () => {
  const parsed = parseArguments(words('--json account list'))
  assert.ok(parsed.kind === 'run')
  assert.equal(parsed.json, true)
})

const mistaken: readonly [line: string, message: RegExp][] = [
  ['acount', /^unknown command "acount"$/],
  ['--json', /^missing command$/],
  ['account', /^account requires a subcommand: create, show, list, suspend, resume, unrestrict$/],
  ['account delete x', /^account requires a subcommand: create/],
  ['account show', /^account show requires ACCOUNT: account ID/],
  ['account show a@b.org c@d.org', /^unexpected argument "c@d.org" for account show$/],
  ['account show nobody', /^ACCOUNT: must be an account ID \(acct_…\), an email address or "local"$/],
  ['account show a@b.org --limit 5', /^unknown option --limit for account show$/],
  ['account create', /^account create requires --email EMAIL: /],
  ['account create --email', /^--email requires a value: --email EMAIL$/],
  ['account create --email --json', /^--email requires a value: --email EMAIL$/],
  ['account create --email a@b.org --email c@d.org', /^--email may be used only once$/],
  ['account create --email nobody', /^--email: must be an email address$/],
  ['account create --email a@b.org --credit -1', /^--credit: enter an amount in USD, such as 12\.50$/],
  ['account create --email a@b.org --credit 1e3', /^--credit: enter an amount in USD/],
  ['account create --email a@b.org --credit 10000000', /^--credit: must be less than 10000000\.00 USD$/],
  ['account create --email a@b.org --credit 0.0000000001', /^--credit: can have at most 9 decimal places/],
  ['account list --limit ten', /^--limit: must be a whole number, not "ten"$/],
  ['account list --limit 0', /^--limit: /],
  ['key create a@b.org', /^key create requires --name NAME: label of the key \(required\)$/],
  ['key create a@b.org --name x --budget 5 --window year', /^--window: /],
  ['key create a@b.org --name x --window day', /^key create requires --budget USD: /],
  ['key create a@b.org --name x --expires tomorrow', /^--expires: /],
  ['key create a@b.org --name x --show-balance maybe', /^--show-balance: must be yes or no, not "maybe"$/],
  ['key revoke sk-tg-x', /^KEY-ID: must be an ID such as key_…$/],
  ['credit a@b.org', /^credit requires USD: amount, such as 12.50$/],
  ['credit a@b.org 5', /^credit requires --reference TEXT: /],
  ['credit a@b.org 0 --reference r', /^USD: must be more than zero$/],
  ['credit a@b.org $5 --reference r', /^USD: enter an amount in USD/],
  ['credit a@b.org -5 --reference r', /^unknown option -5 for credit$/],
  ['models list', /^unexpected argument "list" for models$/],
  ['models add m --context 8', /^models add requires --max-output N: /],
  ['models price m --input 1', /^models price requires --output USD: /],
  ['models price m', /^models price requires --input USD: /],
  ['models price m --input 1 --output 2 --schedule 01:00-04:00', /^--schedule: must be times and rates/],
  ['models price m --input 1 --output 2 --fee web_search', /^--fee: must be NAME=VALUE, not "web_search"$/],
  ['ledger', /^ledger requires a subcommand: verify$/],
  ['doctor now', /^unexpected argument "now" for doctor$/],
]

for (const [line, message] of mistaken) {
  test(`tollgate ${line} is a mistake`, () => {
    const parsed = parseArguments(words(line))
    assert.ok(parsed.kind === 'mistake', JSON.stringify(parsed))
    assert.match(parsed.message, message)
    assert.doesNotMatch(parsed.message, /\n/)
  })
}

for (const line of ['', '--help', '-h']) {
  test(`tollgate ${line} shows help for all commands`, () => {
    assert.deepEqual(parseArguments(words(line)), { kind: 'help', topic: { kind: 'overview' } })
  })
}

for (const line of ['account --help', 'account -h', '--help account']) {
  test(`tollgate ${line} shows help for the commands of the group`, () => {
    const topic = { kind: 'group', group: 'account' } as const
    assert.deepEqual(parseArguments(words(line)), { kind: 'help', topic })
    const text = helpText(topic)
    assert.match(text, /^ {2}account show ACCOUNT {2}/m)
    assert.doesNotMatch(text, /key create/)
  })
}

test('--version and -v', () => {
  for (const line of ['--version', '-v', 'account list --version']) {
    assert.deepEqual(parseArguments(words(line)), { kind: 'version' })
  }
})

for (const command of commands) {
  test(`${command.words} has help for its arguments and options`, () => {
    const parsed = parseArguments([...command.words.split(' '), '--help'])
    const topic = { kind: 'command', command } as const
    assert.deepEqual(parsed, { kind: 'help', topic })
    const text = helpText(topic)
    for (const { value } of command.positionals) assert.ok(text.includes(value))
    for (const { name } of command.options) assert.ok(text.includes(`--${name} `))
    for (const { words: longer } of commands) {
      if (longer.startsWith(`${command.words} `)) assert.ok(text.includes(`  ${longer}`), longer)
    }
    assert.ok(helpText({ kind: 'overview' }).includes(`\n  ${command.words}`))
  })
}
