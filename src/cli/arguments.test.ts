/** What the command line understands, and how it tells mistakes. */
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

test('--json may stand before the command', () => {
  const parsed = parseArguments(words('--json account list'))
  assert.ok(parsed.kind === 'run')
  assert.equal(parsed.json, true)
})

const mistaken: readonly [line: string, told: RegExp][] = [
  ['acount', /^there is no command "acount"$/],
  ['--json', /^a command is missing$/],
  ['account', /^account needs one of: create, show, list, suspend, resume, unrestrict$/],
  ['account delete x', /^account needs one of: create/],
  ['account show', /^account show needs ACCOUNT: an account id/],
  ['account show a@b.org c@d.org', /^account show does not know what to do with "c@d.org"$/],
  ['account show nobody', /^ACCOUNT: must be an account ID \(acct_…\), an email address or "local"$/],
  ['account show a@b.org --limit 5', /^account show has no option --limit$/],
  ['account create', /^account create needs --email E-MAIL: /],
  ['account create --email', /^--email needs a value: --email E-MAIL$/],
  ['account create --email --json', /^--email needs a value: --email E-MAIL$/],
  ['account create --email a@b.org --email c@d.org', /^--email was given twice$/],
  ['account create --email nobody', /^--email: must be an email address$/],
  [
    'account create --email a@b.org --credit -1',
    /^--credit: must be a decimal amount of USD such as "12.50"$/,
  ],
  ['account create --email a@b.org --credit 1e3', /^--credit: must be a decimal amount/],
  ['account list --limit ten', /^--limit: must be a whole number, not "ten"$/],
  ['account list --limit 0', /^--limit: /],
  ['key create a@b.org', /^key create needs --name NAME: what the key is for$/],
  ['key create a@b.org --name x --budget 5 --window year', /^--window: /],
  ['key create a@b.org --name x --window day', /^key create needs --budget USD: /],
  ['key create a@b.org --name x --expires tomorrow', /^--expires: /],
  ['key create a@b.org --name x --show-balance maybe', /^--show-balance: must be yes or no, not "maybe"$/],
  ['key revoke sk-tg-x', /^KEY-ID: must be an id key_…$/],
  ['credit a@b.org', /^credit needs USD: a decimal amount such as 12.50$/],
  ['credit a@b.org 5', /^credit needs --reference TEXT: /],
  ['credit a@b.org 0 --reference r', /^USD: must be more than zero$/],
  ['credit a@b.org $5 --reference r', /^USD: must be a decimal amount/],
  ['credit a@b.org -5 --reference r', /^credit has no option -5$/],
  ['models list', /^models does not know what to do with "list"$/],
  ['models add m --context 8', /^models add needs --max-output N: /],
  ['models price m --input 1', /^models price needs --output USD: /],
  ['models price m', /^models price needs --input USD: /],
  ['models price m --input 1 --output 2 --fee web_search', /^--fee: must be NAME=VALUE, not "web_search"$/],
  ['ledger', /^ledger needs one of: verify$/],
  ['doctor now', /^doctor does not know what to do with "now"$/],
]

for (const [line, told] of mistaken) {
  test(`tollgate ${line} is a mistake`, () => {
    const parsed = parseArguments(words(line))
    assert.ok(parsed.kind === 'mistake', JSON.stringify(parsed))
    assert.match(parsed.message, told)
    assert.doesNotMatch(parsed.message, /\n/)
  })
}

for (const line of ['', '--help', '-h', 'account --help', 'key -h']) {
  test(`tollgate ${line} explains the commands`, () => {
    assert.deepEqual(parseArguments(words(line)), { kind: 'help', command: undefined })
  })
}

test('--version and -v', () => {
  for (const line of ['--version', '-v', 'account list --version']) {
    assert.deepEqual(parseArguments(words(line)), { kind: 'version' })
  }
})

for (const command of commands) {
  test(`${command.words} is explained with all of its words`, () => {
    const parsed = parseArguments([...command.words.split(' '), '--help'])
    assert.deepEqual(parsed, { kind: 'help', command })
    const text = helpText(command)
    for (const { value } of command.positionals) assert.ok(text.includes(value))
    for (const { name } of command.options) assert.ok(text.includes(`--${name} `))
    for (const { words: longer } of commands) {
      if (longer.startsWith(`${command.words} `)) assert.ok(text.includes(`  ${longer} `), longer)
    }
    assert.ok(helpText(undefined).includes(command.words))
  })
}
