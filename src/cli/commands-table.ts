/**
 * Every command: its words, its operation, how arguments become the operation's input, and how the output is printed. Help,
 * parsing and printing read this table.
 */
import { meters } from '../../contract/meters.ts'
import { type OperationName, type OperationOutput, operations } from '../../contract/operations.ts'
import * as print from './print.ts'
import * as printInstallation from './print-installation.ts'
import * as printOffers from './print-offers.ts'
import * as printPeople from './print-people.ts'

/** A required argument; `field` is the input field it fills. */
export interface Positional {
  readonly field: string
  readonly value: string
  readonly help: string
}

export interface OptionRow {
  readonly name: string
  /** The input field it fills; `a.b` for a nested field. */
  readonly field: string
  /** `… or none`: the value none removes a limit; for `amount or none`, the whole parent field. */
  readonly kind:
    | 'text'
    | 'number'
    | 'list'
    | 'yes or no'
    /** Given or not, without a value. */
    | 'flag'
    | 'pairs'
    /** Prices at some times, repeatable. */
    | 'schedules'
    | 'models'
    | 'text or none'
    /** `file`: as the configuration says. */
    | 'text or file'
    | 'number or none'
    | 'list or none'
    /** `file`: as the configuration says. */
    | 'list, none or file'
    /** Offers, one group each time; `file`: as the configuration says. */
    | 'offer groups'
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
  /** The input field of a credential, which is read from the environment or stdin. */
  readonly credential: string | null
  readonly print: (output: unknown) => string
  readonly exitCode: (output: unknown) => number
}

/** Runs in the command line itself, because it concerns the machine rather than the data. */
export interface LocalCommand extends CommandShape {
  readonly kind: 'local'
  readonly name: 'serve' | 'doctor' | 'migrate' | 'backup' | 'catalog update' | 'move' | 'move cancel'
  /** The option without which it does not run. */
  readonly requires?: string
}

export type Command = OperationCommand | LocalCommand

interface CommandRow<Name extends OperationName> {
  readonly words: string
  readonly positionals?: readonly Positional[]
  readonly options?: readonly OptionRow[]
  readonly credential?: string
  readonly print: (output: OperationOutput<Name>) => string
  readonly exitCode?: (output: OperationOutput<Name>) => number
}

/** Outputs have passed the operation's schema before they are printed. */
function command<Name extends OperationName>(operation: Name, row: CommandRow<Name>): OperationCommand {
  return {
    kind: 'operation',
    operation,
    words: row.words,
    credential: row.credential ?? null,
    summary: operations[operation].summary,
    positionals: row.positionals ?? [],
    options: row.options ?? [],
    print: (output) => row.print(output as OperationOutput<Name>),
    exitCode: (output) => row.exitCode?.(output as OperationOutput<Name>) ?? 0,
  }
}

function local(
  name: LocalCommand['name'],
  summary: string,
  given: Partial<Pick<LocalCommand, 'positionals' | 'options' | 'requires'>> = {},
): LocalCommand {
  return { kind: 'local', name, words: name, summary, positionals: [], options: [], ...given }
}

const account: Positional = {
  field: 'account',
  value: 'ACCOUNT',
  help: 'account ID, email address, or "local" (the account created by the first start)',
}
const person: Positional = {
  field: 'person',
  value: 'USER',
  help: 'email address or user ID',
}
const key: Positional = { field: 'key', value: 'KEY-ID', help: 'key ID (key_…)' }
const upstream: Positional = { field: 'upstream', value: 'UPSTREAM', help: 'upstream name' }
const provider: Positional = { field: 'provider', value: 'PROVIDER', help: 'provider name, such as openai' }
/** Names where a credential is, and is no field of the input. */
const credentialOption = 'credential-env>'
const model: Positional = { field: 'model', value: 'MODEL', help: 'model name' }

function option(name: string, kind: OptionRow['kind'], value: string, help: string): OptionRow {
  const [field = ''] = name.split('>')
  return { name: field, field: name.slice(name.indexOf('>') + 1), kind, value, help }
}

const upstreamModelOption = option(
  'model>upstreamModel',
  'text',
  'NAME',
  "only this model, by the upstream's name for it",
)

const offerGroups = option(
  'group>offers',
  'offer groups',
  'A,B',
  'one priority group: UPSTREAM[=NAME THERE][*WEIGHT], comma-separated; repeatable, in order; or file for the configuration',
)

/** `--cache-read` fills `price.cacheRead` of a new model and the same of a new price. */
const priceOptions: readonly OptionRow[] = [
  option('input>price.input', 'text', 'USD', 'price per million input tokens'),
  option('output>price.output', 'text', 'USD', 'price per million output tokens'),
  ...Object.values(meters)
    .filter(({ absent }) => absent !== 'required')
    .map(({ rate, column, help }) =>
      option(`${column.replaceAll('_', '-')}>price.${rate}`, 'text', 'USD', `price per million ${help}`),
    ),
  option('fee>price.fees', 'pairs', 'TOOL=USD', 'price per use of a server tool; repeatable'),
  option(
    'factor>price.options',
    'pairs',
    'OPTION=FACTOR',
    'price factor of an option, such as service_tier:flex=0.5; repeatable',
  ),
  option(
    'schedule>price.schedule',
    'schedules',
    'TEXT',
    'price at some times (UTC), such as "Mon-Fri 01:00-04:00 input=0.30 output=1.20"; repeatable',
  ),
  option('source>price.source', 'text', 'TEXT', 'source of the price'),
]

export const commands: readonly Command[] = [
  local('serve', 'Run the server', {
    options: [
      option('threads>threads', 'number', 'N', 'threads that serve requests to models (default: configured)'),
    ],
  }),
  command('account.create', {
    words: 'account create',
    options: [
      option('email>email', 'text', 'EMAIL', 'email address of the user (required)'),
      option('credit>credit', 'text', 'USD', 'starting credit (default: configured amount)'),
    ],
    print: print.accountCreated,
  }),
  command('account.show', { words: 'account show', positionals: [account], print: print.account }),
  command('account.list', {
    words: 'account list',
    options: [
      option('limit>limit', 'number', 'N', 'maximum number of results (default: 100)'),
      option('after>after', 'text', 'ACCOUNT-ID', 'start after this account'),
      option('search>search', 'text', 'TEXT', 'filter by name or email address'),
    ],
    print: print.accounts,
  }),
  command('account.suspend', {
    words: 'account suspend',
    positionals: [account],
    options: [option('reason>reason', 'text', 'TEXT', 'reason for the audit log')],
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
      option('name>name', 'text', 'NAME', 'label of the key (required)'),
      option('expires>expires', 'text', 'TIME', 'expiration, such as 2030-01-31T00:00:00Z'),
      option('budget>budget.amount', 'text', 'USD', 'spending limit per window'),
      option('window>budget.window', 'text', 'WINDOW', 'budget window: day, week, month (UTC) or total'),
      option('models>models', 'list', 'A,B', 'allowed models (default: all)'),
      option('required-tags>requiredTags', 'list', 'A,B', 'tags that an upstream must have (default: none)'),
      option(
        'fallbacks>fallbacks',
        'list',
        'A,B',
        'models to try if one fails (default: those of the model)',
      ),
      option('requests-per-minute>limits.requestsPerMinute', 'number', 'N', 'request rate limit'),
      option('tokens-per-minute>limits.tokensPerMinute', 'number', 'N', 'token rate limit'),
      option('concurrent>limits.concurrent', 'number', 'N', 'concurrency limit'),
      option(
        'on-short-balance>onShortBalance',
        'text',
        'ACTION',
        'on low balance: lower the output limit (lower) or reject',
      ),
      option('show-balance>showBalance', 'yes or no', 'yes|no', 'include the balance in responses'),
      option('show-cost>showCost', 'yes or no', 'yes|no', 'include usage.cost in every response'),
      option(
        'automatic-caching>automaticCaching',
        'text',
        'WHEN',
        'add cache markers: conversations, always or never',
      ),
    ],
    print: print.keyCreated,
  }),
  command('key.update', {
    words: 'key update',
    positionals: [key],
    options: [
      option('name>name', 'text', 'NAME', 'label of the key'),
      option('expires>expires', 'text or none', 'TIME', 'expiration, such as 2030-01-31T00:00:00Z, or none'),
      option('budget>budget.amount', 'amount or none', 'USD', 'spending limit per window, or none'),
      option('window>budget.window', 'text', 'WINDOW', 'budget window: day, week, month (UTC) or total'),
      option('models>models', 'list or none', 'A,B', 'allowed models, or none for all'),
      option('required-tags>requiredTags', 'list or none', 'A,B', 'tags that an upstream must have, or none'),
      option(
        'fallbacks>fallbacks',
        'list or none',
        'A,B',
        'models to try if one fails, or none for those of the model',
      ),
      option('requests-per-minute>limits.requestsPerMinute', 'number or none', 'N', 'request rate limit'),
      option('tokens-per-minute>limits.tokensPerMinute', 'number or none', 'N', 'token rate limit'),
      option('concurrent>limits.concurrent', 'number or none', 'N', 'concurrency limit'),
      option(
        'on-short-balance>onShortBalance',
        'text',
        'ACTION',
        'on low balance: lower the output limit (lower) or reject',
      ),
      option('show-balance>showBalance', 'yes or no', 'yes|no', 'include the balance in responses'),
      option('show-cost>showCost', 'yes or no', 'yes|no', 'include usage.cost in every response'),
      option(
        'automatic-caching>automaticCaching',
        'text',
        'WHEN',
        'add cache markers: conversations, always or never',
      ),
      option('disabled>disabled', 'yes or no', 'yes|no', 'disable or enable the key'),
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
        'hours that the old key keeps working (default: 24)',
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
    positionals: [account, { field: 'amount', value: 'USD', help: 'amount, such as 12.50' }],
    options: [
      option(
        'reference>reference',
        'text',
        'TEXT',
        'idempotency reference, such as an invoice number (required)',
      ),
      option('note>note', 'text', 'TEXT', 'note for the ledger'),
    ],
    print: print.credited,
  }),
  command('models.list', {
    words: 'models',
    options: [option('all>all', 'flag', '', 'include test models that simulate failures')],
    print: print.models,
  }),
  command('models.add', {
    words: 'models add',
    positionals: [model],
    options: [
      option('provider>provider', 'text', 'NAME', 'provider (default: by the prefix of the name)'),
      option('upstream-model>upstreamModel', 'text', 'NAME', "provider's name for the model, if different"),
      option('upstreams>upstreams', 'list', 'A,B', 'restrict the model to these upstreams'),
      option(
        'dialects>dialects',
        'list',
        'A,B',
        'the formats that its upstreams have for it, e.g. openai-chat',
      ),
      option('display-name>displayName', 'text', 'NAME', 'display name'),
      option('context>contextTokens', 'number', 'N', 'context length in tokens (required)'),
      option('max-output>outputTokensMax', 'number', 'N', 'maximum output tokens (required)'),
      option('inputs>inputs', 'list', 'A,B', 'input types, such as text,image'),
      option('outputs>outputs', 'list', 'A,B', 'output types, such as text'),
      option('reasons>reasons', 'yes or no', 'yes|no', 'reasoning model'),
      option('tools>takesTools', 'yes or no', 'yes|no', 'supports tools'),
      ...priceOptions,
    ],
    print: print.model,
  }),
  command('models.price', {
    words: 'models price',
    positionals: [model],
    options: [
      ...priceOptions,
      option('from>price.effectiveFrom', 'text', 'TIME', 'start of the price (default: now)'),
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
        'the only upstreams that serve it, or none to lift the restriction',
      ),
    ],
    print: print.model,
  }),
  command('models.routing', {
    words: 'models routing',
    positionals: [model],
    options: [
      option(
        'strategy>strategy',
        'text or file',
        'NAME',
        'how to choose: weight, price, latency or throughput, or file for the configuration',
      ),
      option(
        'fallbacks>fallbacks',
        'list, none or file',
        'A,B',
        'models to try if it fails, none, or file for the configuration',
      ),
    ],
    print: print.model,
  }),
  command('offers.show', {
    words: 'models offers',
    positionals: [model],
    options: [option('period>period', 'text', 'hour|day', 'period of the statistics (default: day)')],
    print: printOffers.offers,
  }),
  command('offers.check', {
    words: 'models offers check',
    positionals: [model],
    options: [offerGroups],
    print: printOffers.preview,
  }),
  command('offers.set', {
    words: 'models offers set',
    positionals: [model],
    options: [
      offerGroups,
      option('revision>revision', 'text', 'TEXT', 'only if the offers still have this revision'),
      option(
        'allow-unserved>allowUnserved',
        'yes or no',
        'yes|no',
        'save them even if a model has no upstream left',
      ),
    ],
    print: printOffers.written,
  }),
  command('models.disable', { words: 'models disable', positionals: [model], print: print.model }),
  command('models.enable', { words: 'models enable', positionals: [model], print: print.model }),
  command('models.prices', { words: 'models prices', positionals: [model], print: printInstallation.prices }),
  local(
    'catalog update',
    'Compare prices with the list of models.dev or LiteLLM, and apply selected changes',
    {
      requires: 'from',
      options: [
        option(
          'from>from',
          'text',
          'FILE|URL',
          'the list, api.json or model_prices_and_context_window.json (required)',
        ),
        option('apply>apply', 'flag', '', 'apply all changes except the marked ones'),
        option('only>only', 'list', 'A,B', 'apply the changes of these models, also marked ones'),
        option('from-date>effectiveFrom', 'text', 'TIME', 'when the prices take effect (default: now)'),
      ],
    },
  ),
  command('markup.show', { words: 'markup', print: printInstallation.markup }),
  command('markup.set', {
    words: 'markup set',
    positionals: [
      { field: 'markup', value: 'PERCENT', help: 'markup on list prices, such as 5%; 0% for none' },
    ],
    print: printInstallation.markup,
  }),
  command('models.offer', {
    words: 'models offer',
    positionals: [model, upstream],
    options: [
      option('upstream-model>upstreamModel', 'text', 'NAME', "upstream's name for the model, if different"),
      option('context>contextTokens', 'number', 'N', 'context length in tokens, for an unknown model'),
      option('max-output>outputTokensMax', 'number', 'N', 'maximum output tokens, for an unknown model'),
      option(
        'dialects>dialects',
        'list',
        'A,B',
        'the formats that the upstream has for it, e.g. openai-chat',
      ),
      option('outputs>outputs', 'list', 'A,B', 'output types, such as text'),
      option('priority>priority', 'number', 'N', 'priority group; lower numbers are called first'),
      option('weight>weight', 'number', 'N', 'share of the requests of its group'),
      option(
        'cost-input>cost.input',
        'amount or none',
        'USD',
        'what the upstream charges per million input tokens',
      ),
      option('cost-output>cost.output', 'amount or none', 'USD', 'what it charges per million output tokens'),
      option('markup>markup', 'text', 'PERCENT', 'markup on the list price, such as 5%'),
      ...priceOptions,
    ],
    print: print.model,
  }),
  command('upstreams.list', { words: 'upstreams', print: printInstallation.upstreams }),
  command('upstreams.put', {
    words: 'upstreams add',
    positionals: [upstream],
    credential: 'credential',
    options: [
      option('provider>provider', 'text', 'NAME', 'provider, or custom for any other server (required)'),
      option('url>url', 'text', 'URL', "base URL, including its path (default: the provider's own)"),
      option(
        'models>models',
        'models',
        'A,B=NAME',
        "models it serves, with the upstream's name where it differs, or all",
      ),
      option('weight>weight', 'number', 'N', 'weight among healthy upstreams (default: 1)'),
      option('formats>formats', 'list', 'A,B', 'formats of a custom server, e.g. openai-chat'),
      option('auth-header>auth.header', 'text', 'NAME', 'header for the API key of a custom server'),
      option('headers>headers', 'pairs', 'NAME=VALUE', 'other headers of a custom server; repeatable'),
      option('tags>tags', 'list or none', 'A,B', 'tags that requests and keys can require, or none'),
      option('concurrent>limits.concurrent', 'number or none', 'N', 'its limit of concurrent requests'),
      option(
        'requests-per-minute>limits.requestsPerMinute',
        'number or none',
        'N',
        'its limit of requests per minute',
      ),
      option(
        'tokens-per-minute>limits.tokensPerMinute',
        'number or none',
        'N',
        'its limit of tokens per minute',
      ),
      option('disabled>disabled', 'yes or no', 'yes|no', 'add it without sending requests to it'),
      option('save-anyway>saveAnyway', 'yes or no', 'yes|no', 'add it even if its test fails'),
      option(
        credentialOption,
        'text',
        'VARIABLE',
        'environment variable with the API key (default: standard input)',
      ),
    ],
    print: printInstallation.upstream,
  }),
  command('upstreams.test', {
    words: 'upstreams test',
    positionals: [upstream],
    print: printInstallation.upstreamTest,
    exitCode: ({ state }) => (state === 'rejected' || state === 'unreachable' ? 1 : 0),
  }),
  command('upstreams.models', {
    words: 'upstreams models',
    positionals: [upstream],
    print: printInstallation.upstreamModels,
  }),
  command('upstreams.status', {
    words: 'upstreams status',
    options: [
      option('upstream>upstream', 'text', 'NAME', 'only this upstream'),
      option('period>period', 'text', 'hour|day', 'period of the statistics (default: hour)'),
      option('limit>limit', 'number', 'N', 'models per upstream (default: 20)'),
    ],
    print: printInstallation.upstreamStatus,
  }),
  command('upstreams.disable', {
    words: 'upstreams disable',
    positionals: [upstream],
    options: [
      upstreamModelOption,
      option(
        'allow-unserved>allowUnserved',
        'yes or no',
        'yes|no',
        'disable it even if a model has no other upstream',
      ),
    ],
    print: printInstallation.upstreamSwitched,
  }),
  command('upstreams.enable', {
    words: 'upstreams enable',
    positionals: [upstream],
    options: [upstreamModelOption],
    print: printInstallation.upstreamSwitched,
  }),
  command('upstreams.remove', {
    words: 'upstreams remove',
    positionals: [upstream],
    print: ({ upstream: name }) => `Removed ${name}.\n`,
  }),
  command('provider-keys.list', {
    words: 'provider-keys',
    positionals: [account],
    print: printInstallation.providerKeys,
  }),
  command('provider-keys.put', {
    words: 'provider-keys set',
    positionals: [account, provider],
    credential: 'credential',
    options: [
      option(
        'use>use',
        'text',
        'first|only',
        "with the server's upstreams as a fallback (first, the default) or without (only)",
      ),
      option(
        credentialOption,
        'text',
        'VARIABLE',
        'environment variable with the API key (default: standard input)',
      ),
    ],
    print: printInstallation.providerKey,
  }),
  command('provider-keys.test', {
    words: 'provider-keys test',
    positionals: [account, provider],
    print: printInstallation.providerKeyTest,
    exitCode: ({ state }) => (state === 'rejected' || state === 'unreachable' ? 1 : 0),
  }),
  command('provider-keys.remove', {
    words: 'provider-keys remove',
    positionals: [account, provider],
    print: ({ provider: name }) => `Removed ${name}.\n`,
  }),
  command('losses.list', {
    words: 'losses',
    options: [
      option('from>from', 'text', 'TIME', 'start, such as 2030-01-31T00:00:00Z (default: 30 days ago)'),
      option('to>to', 'text', 'TIME', 'end, such as 2030-02-28T00:00:00Z (default: now)'),
      option('limit>limit', 'number', 'N', 'maximum number of accounts (default: 50)'),
    ],
    print: printInstallation.losses,
  }),
  command('audit.list', {
    words: 'audit',
    options: [
      option('account>account', 'text', 'ACCOUNT-ID', 'filter by account'),
      option('operation>operation', 'text', 'NAME', 'filter by operation, such as key.revoke'),
      option('limit>limit', 'number', 'N', 'maximum number of results (default: 50)'),
      option('before>before', 'text', 'ID', 'start before this entry'),
    ],
    print: printInstallation.audit,
  }),
  command('system.show', { words: 'system', print: printInstallation.system }),
  command('requests.list', {
    words: 'requests',
    positionals: [account],
    options: [
      option('limit>limit', 'number', 'N', 'maximum number of results (default: 20)'),
      option('before>before', 'text', 'REQUEST-ID', 'start before this request'),
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
      option('state>state', 'text', 'STATE', 'filter by state: all, to_confirm or operators (default: all)'),
      option('search>search', 'text', 'TEXT', 'filter by name or email address'),
      option('limit>limit', 'number', 'N', 'maximum number of results (default: 100)'),
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
      option('operator>operator', 'yes or no', 'yes|no', 'grant or revoke administrator rights (required)'),
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
    positionals: [{ field: 'email', value: 'EMAIL', help: 'email address to invite' }],
    print: printPeople.link,
  }),
  command('people.invitations', {
    words: 'people invitations',
    options: [option('limit>limit', 'number', 'N', 'maximum number of results (default: 100)')],
    print: printPeople.invitations,
  }),
  command('people.withdraw-invitation', {
    words: 'people withdraw-invitation',
    positionals: [{ field: 'email', value: 'EMAIL', help: 'invited email address' }],
    print: printPeople.withdrawn,
  }),
  command('code.create', {
    words: 'code create',
    positionals: [{ field: 'amount', value: 'USD', help: 'credit amount, such as 12.50' }],
    options: [
      option('uses>usesMax', 'number', 'N', 'maximum redemptions (default: 1)'),
      option('expires>expires', 'text', 'TIME', 'expiration, such as 2030-01-31T00:00:00Z'),
      option('note>note', 'text', 'TEXT', 'note'),
    ],
    print: printPeople.codeCreated,
  }),
  command('code.list', { words: 'code list', print: printPeople.codes }),
  command('code.revoke', {
    words: 'code revoke',
    positionals: [{ field: 'code', value: 'CODE-ID', help: 'code ID (code_…)' }],
    print: printPeople.codeRevoked,
  }),
  command('setup.link', { words: 'setup-link', print: print.setupLink }),
  local('doctor', 'Diagnose the installation: configuration, data folder, server and models', {
    options: [option('verbose>verbose', 'flag', '', 'also name every environment variable that is not set')],
  }),
  local('migrate', 'Migrate the database to the latest schema; the server does this at startup'),
  local('backup', 'Back up the data folder, also while the server runs, and verify the copy', {
    positionals: [{ field: 'folder', value: 'FOLDER', help: 'a folder that does not exist or is empty' }],
  }),
  local('move', 'Move the data folder to an empty PostgreSQL database; the server runs until the last step', {
    requires: 'to',
    options: [
      option(
        'to>to',
        'text',
        'URL',
        'URL of the database, postgres://…; PGPASSWORD can hold the password (required)',
      ),
    ],
  }),
  local('move cancel', 'Undo a move: serve from the data folder again'),
]
