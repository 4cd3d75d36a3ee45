/**
 * Every command: its words, the operation it stands for, how its words become the operation's input,
 * and how the output is printed for people. One table; help, parsing and printing all read it.
 */
import { meters } from '../../contract/meters.ts'
import { type OperationName, type OperationOutput, operations } from '../../contract/operations.ts'
import * as print from './print.ts'
import * as printInstallation from './print-installation.ts'
import * as printPeople from './print-people.ts'

/** A word that must be there; `field` is the input field it fills. */
export interface Positional {
  readonly field: string
  readonly value: string
  readonly help: string
}

export interface OptionRow {
  readonly name: string
  /** The input field it fills; `a.b` for a field of a field. */
  readonly field: string
  /** `… or none`: the word none takes a limit away; of `amount or none` all that the field is a part of. */
  readonly kind:
    | 'text'
    | 'number'
    | 'list'
    | 'yes or no'
    | 'pairs'
    | 'text or none'
    | 'number or none'
    | 'list or none'
    | 'amount or none'
  readonly value: string
  readonly help: string
}

interface CommandShape {
  readonly words: string
  readonly summary: string
  readonly positionals: readonly Positional[]
  readonly options: readonly OptionRow[]
}

export interface OperationCommand extends CommandShape {
  readonly kind: 'operation'
  readonly operation: OperationName
  readonly print: (output: unknown) => string
  readonly exitCode: (output: unknown) => number
}

/** Carried out by the command line itself, because it concerns the machine and not the product's values. */
export interface LocalCommand extends CommandShape {
  readonly kind: 'local'
  readonly name: 'serve' | 'doctor' | 'migrate'
}

export type Command = OperationCommand | LocalCommand

interface CommandRow<Name extends OperationName> {
  readonly words: string
  readonly positionals?: readonly Positional[]
  readonly options?: readonly OptionRow[]
  readonly print: (output: OperationOutput<Name>) => string
  readonly exitCode?: (output: OperationOutput<Name>) => number
}

/** The output has passed the operation's schema before it is printed. */
function command<Name extends OperationName>(operation: Name, row: CommandRow<Name>): OperationCommand {
  return {
    kind: 'operation',
    operation,
    words: row.words,
    summary: operations[operation].summary,
    positionals: row.positionals ?? [],
    options: row.options ?? [],
    print: (output) => row.print(output as OperationOutput<Name>),
    exitCode: (output) => row.exitCode?.(output as OperationOutput<Name>) ?? 0,
  }
}

function local(name: LocalCommand['name'], summary: string): LocalCommand {
  return { kind: 'local', name, words: name, summary, positionals: [], options: [] }
}

const account: Positional = {
  field: 'account',
  value: 'ACCOUNT',
  help: 'an account id, an e-mail address, or local: the account that the first start made',
}
const person: Positional = {
  field: 'person',
  value: 'PERSON',
  help: 'an e-mail address or the id of a person',
}
const key: Positional = { field: 'key', value: 'KEY-ID', help: 'the id of the key, key_…' }
const model: Positional = { field: 'model', value: 'MODEL', help: 'the name that clients ask for' }

function option(name: string, kind: OptionRow['kind'], value: string, help: string): OptionRow {
  const [field = ''] = name.split('>')
  return { name: field, field: name.slice(name.indexOf('>') + 1), kind, value, help }
}

/** `--cache-read` fills `price.cacheRead` of a new model and the same of a new price. */
const priceOptions: readonly OptionRow[] = [
  option('input>price.input', 'text', 'USD', 'price of a million input tokens'),
  option('output>price.output', 'text', 'USD', 'price of a million output tokens'),
  ...Object.values(meters)
    .filter(({ absent }) => absent !== 'required')
    .map(({ rate, column, help }) =>
      option(`${column.replaceAll('_', '-')}>price.${rate}`, 'text', 'USD', `of a million ${help}`),
    ),
  option(
    'fee>price.fees',
    'pairs',
    'TOOL=USD',
    'price of one use of a tool at the provider; may be repeated',
  ),
  option('factor>price.options', 'pairs', 'OPTION=FACTOR', 'e.g. service_tier:flex=0.5; may be repeated'),
  option('source>price.source', 'text', 'TEXT', 'where the price was read, and when'),
]

export const commands: readonly Command[] = [
  local('serve', 'Run the server'),
  command('account.create', {
    words: 'account create',
    options: [
      option('email>email', 'text', 'E-MAIL', 'the e-mail address of the person'),
      option('credit>credit', 'text', 'USD', 'starting credit in place of the usual one; 0 for none'),
    ],
    print: print.accountCreated,
  }),
  command('account.show', { words: 'account show', positionals: [account], print: print.account }),
  command('account.list', {
    words: 'account list',
    options: [
      option('limit>limit', 'number', 'N', 'how many at most (100)'),
      option('after>after', 'text', 'ACCOUNT-ID', 'begin after this account'),
      option('search>search', 'text', 'TEXT', 'a part of the name or address'),
    ],
    print: print.accounts,
  }),
  command('account.suspend', {
    words: 'account suspend',
    positionals: [account],
    options: [option('reason>reason', 'text', 'TEXT', 'why, for the audit')],
    print: print.account,
  }),
  command('account.resume', { words: 'account resume', positionals: [account], print: print.account }),
  command('account.unrestrict', {
    words: 'account unrestrict',
    positionals: [account],
    print: print.account,
  }),
  command('key.create', {
    words: 'key create',
    positionals: [account],
    options: [
      option('name>name', 'text', 'NAME', 'what the key is for'),
      option('expires>expires', 'text', 'TIME', 'e.g. 2030-01-31T00:00:00Z'),
      option('budget>budget.amount', 'text', 'USD', 'the most it may spend in a window'),
      option('window>budget.window', 'text', 'WINDOW', 'day, week, month or total, in UTC'),
      option('models>models', 'list', 'A,B', 'the models it may use; every enabled one when left out'),
      option('requests-per-minute>limits.requestsPerMinute', 'number', 'N', 'requests per minute'),
      option('tokens-per-minute>limits.tokensPerMinute', 'number', 'N', 'tokens per minute'),
      option('concurrent>limits.concurrent', 'number', 'N', 'requests at once'),
      option('on-short-balance>onShortBalance', 'text', 'WHAT', 'lower (the output limit) or reject'),
      option('show-balance>showBalance', 'yes or no', 'YES-OR-NO', 'whether answers tell the balance'),
      option('show-cost>showCost', 'yes or no', 'YES-OR-NO', 'whether every answer has usage.cost'),
      option('automatic-caching>automaticCaching', 'text', 'WHEN', 'conversations, always or never'),
    ],
    print: print.keyCreated,
  }),
  command('key.update', {
    words: 'key update',
    positionals: [key],
    options: [
      option('name>name', 'text', 'NAME', 'what the key is for'),
      option('expires>expires', 'text or none', 'TIME', 'e.g. 2030-01-31T00:00:00Z, or none'),
      option('budget>budget.amount', 'amount or none', 'USD', 'the most it may spend in a window, or none'),
      option('window>budget.window', 'text', 'WINDOW', 'day, week, month or total, in UTC'),
      option('models>models', 'list or none', 'A,B', 'the models it may use; none: every enabled one'),
      option('requests-per-minute>limits.requestsPerMinute', 'number or none', 'N', 'requests per minute'),
      option('tokens-per-minute>limits.tokensPerMinute', 'number or none', 'N', 'tokens per minute'),
      option('concurrent>limits.concurrent', 'number or none', 'N', 'requests at once'),
      option('on-short-balance>onShortBalance', 'text', 'WHAT', 'lower (the output limit) or reject'),
      option('show-balance>showBalance', 'yes or no', 'YES-OR-NO', 'whether answers tell the balance'),
      option('show-cost>showCost', 'yes or no', 'YES-OR-NO', 'whether every answer has usage.cost'),
      option('automatic-caching>automaticCaching', 'text', 'WHEN', 'conversations, always or never'),
      option('disabled>disabled', 'yes or no', 'YES-OR-NO', 'whether it rests for the time being'),
    ],
    print: print.keyUpdated,
  }),
  command('key.rotate', {
    words: 'key rotate',
    positionals: [key],
    options: [
      option(
        'overlap-hours>overlapHours',
        'number',
        'N',
        'how long the old key still works (24); 0: not at all',
      ),
    ],
    print: print.keyRotated,
  }),
  command('key.list', { words: 'key list', positionals: [account], print: print.keys }),
  command('key.revoke', {
    words: 'key revoke',
    positionals: [key],
    print: print.keyRevoked,
  }),
  command('credit', {
    words: 'credit',
    positionals: [account, { field: 'amount', value: 'USD', help: 'a decimal amount such as 12.50' }],
    options: [
      option(
        'reference>reference',
        'text',
        'TEXT',
        'what tells this credit from every other, e.g. an invoice',
      ),
      option('note>note', 'text', 'TEXT', 'a remark for the ledger'),
    ],
    print: print.credited,
  }),
  command('models.list', { words: 'models', print: print.models }),
  command('models.add', {
    words: 'models add',
    positionals: [model],
    options: [
      option('provider>provider', 'text', 'NAME', 'who hosts it; by the family of the name when left out'),
      option(
        'upstream-model>upstreamModel',
        'text',
        'NAME',
        'what the provider calls it, where that differs',
      ),
      option('upstreams>upstreams', 'list', 'A,B', 'the only upstreams that serve it'),
      option(
        'dialects>dialects',
        'list',
        'A,B',
        'the formats that its upstreams have for it, e.g. openai-chat',
      ),
      option('display-name>displayName', 'text', 'NAME', 'its name for people'),
      option('context>contextTokens', 'number', 'N', 'tokens of input and output together'),
      option('max-output>outputTokensMax', 'number', 'N', 'tokens of output at most'),
      option('inputs>inputs', 'list', 'A,B', 'e.g. text,image'),
      option('outputs>outputs', 'list', 'A,B', 'e.g. text'),
      option('reasons>reasons', 'yes or no', 'YES-OR-NO', 'whether it reasons before it answers'),
      option('tools>takesTools', 'yes or no', 'YES-OR-NO', 'whether it takes tools'),
      ...priceOptions,
    ],
    print: print.model,
  }),
  command('models.price', {
    words: 'models price',
    positionals: [model],
    options: [
      ...priceOptions,
      option('from>price.effectiveFrom', 'text', 'TIME', 'from when on; now when left out'),
    ],
    print: print.model,
  }),
  command('models.upstreams', {
    words: 'models upstreams',
    positionals: [model],
    options: [
      option(
        'only>upstreams',
        'list or none',
        'A,B',
        'the only upstreams that serve it; none: as they list it',
      ),
    ],
    print: print.model,
  }),
  command('models.disable', { words: 'models disable', positionals: [model], print: print.model }),
  command('models.enable', { words: 'models enable', positionals: [model], print: print.model }),
  command('models.prices', { words: 'models prices', positionals: [model], print: printInstallation.prices }),
  command('markup.show', { words: 'markup', print: printInstallation.markup }),
  command('markup.set', {
    words: 'markup set',
    positionals: [
      { field: 'markup', value: 'PERCENT', help: 'what is added to list prices, such as 5%; 0% for nothing' },
    ],
    print: printInstallation.markup,
  }),
  command('upstreams.list', { words: 'upstreams', print: printInstallation.upstreams }),
  command('losses.list', {
    words: 'losses',
    options: [
      option('from>from', 'text', 'TIME', 'e.g. 2030-01-31T00:00:00Z'),
      option('to>to', 'text', 'TIME', 'e.g. 2030-02-28T00:00:00Z'),
      option('limit>limit', 'number', 'N', 'how many accounts at most (50)'),
    ],
    print: printInstallation.losses,
  }),
  command('audit.list', {
    words: 'audit',
    options: [
      option('account>account', 'text', 'ACCOUNT-ID', 'what concerns this account'),
      option('operation>operation', 'text', 'NAME', 'e.g. key.revoke'),
      option('limit>limit', 'number', 'N', 'how many at most (50)'),
      option('before>before', 'text', 'ID', 'begin before this one'),
    ],
    print: printInstallation.audit,
  }),
  command('system.show', { words: 'system', print: printInstallation.system }),
  command('requests.list', {
    words: 'requests',
    positionals: [account],
    options: [
      option('limit>limit', 'number', 'N', 'how many at most (20)'),
      option('before>before', 'text', 'REQUEST-ID', 'begin before this request'),
    ],
    print: print.receipts,
  }),
  command('ledger.verify', {
    words: 'ledger verify',
    print: print.verified,
    exitCode: ({ ok }) => (ok ? 0 : 1),
  }),
  command('people.list', {
    words: 'people',
    options: [
      option('state>state', 'text', 'STATE', 'all, to_confirm or operators (all)'),
      option('search>search', 'text', 'TEXT', 'a part of the name or address'),
      option('limit>limit', 'number', 'N', 'how many at most (100)'),
    ],
    print: printPeople.people,
  }),
  command('people.confirm', {
    words: 'people confirm',
    positionals: [person],
    print: printPeople.person,
  }),
  command('people.operator', {
    words: 'people operator',
    positionals: [person],
    options: [
      option('operator>operator', 'yes or no', 'YES-OR-NO', "whether they have the administrator's rights"),
    ],
    print: printPeople.person,
  }),
  command('people.reset-link', {
    words: 'people reset-link',
    positionals: [person],
    print: printPeople.link,
  }),
  command('people.invite', {
    words: 'people invite',
    positionals: [{ field: 'email', value: 'E-MAIL', help: 'who may sign up with this address' }],
    print: printPeople.link,
  }),
  command('code.create', {
    words: 'code create',
    positionals: [{ field: 'amount', value: 'USD', help: 'what it gives, a decimal amount such as 12.50' }],
    options: [
      option('uses>usesMax', 'number', 'N', 'how many accounts may redeem it (1)'),
      option('expires>expires', 'text', 'TIME', 'e.g. 2030-01-31T00:00:00Z'),
      option('note>note', 'text', 'TEXT', 'what it is for'),
    ],
    print: printPeople.codeCreated,
  }),
  command('code.list', { words: 'code list', print: printPeople.codes }),
  command('code.revoke', {
    words: 'code revoke',
    positionals: [{ field: 'code', value: 'CODE-ID', help: 'the id of the code, code_…' }],
    print: printPeople.codeRevoked,
  }),
  command('setup.link', { words: 'setup-link', print: print.setupLink }),
  local('doctor', 'Check the machine, the data folder, the configuration and the models'),
  local('migrate', 'Bring the database to the newest schema; a server does so on its own when it starts'),
]
