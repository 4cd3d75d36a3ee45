/** Every command, in the order of the help. Help, parsing and printing read this table. */
import { type Command, command, local, option } from './command.ts'
import * as print from './print.ts'
import * as printInstallation from './print-installation.ts'
import * as printOffers from './print-offers.ts'
import * as printPeople from './print-people.ts'

const onlyThisModel = ['NAME', "only this model, by the upstream's name for it"] as const
const ofTest = ({ state }: { readonly state: string }) =>
  state === 'rejected' || state === 'unreachable' ? 1 : 0

export const commands: readonly Command[] = [
  local('serve', 'Run the server', {
    options: [
      option('threads', 'number', 'N', 'threads that serve requests to models (default: configured)'),
    ],
  }),
  command('reload', 'configuration.reload', {
    print: print.reloaded,
    exitCode: ({ reloaded }) => (reloaded ? 0 : 1),
  }),
  command('account create', 'account.create', { print: print.accountCreated }),
  command('account show ACCOUNT', 'account.show', { print: print.account }),
  command('account list', 'account.list', { print: print.accounts }),
  command('account suspend ACCOUNT', 'account.suspend', { print: print.account }),
  command('account resume ACCOUNT', 'account.resume', { print: print.account }),
  command('account unrestrict ACCOUNT', 'account.unrestrict', { print: print.account }),
  command('key create ACCOUNT', 'key.create', { print: print.keyCreated }),
  command('key update KEY-ID', 'key.update', {
    texts: {
      expires: 'expiration, such as 2030-01-31T00:00:00Z, or none',
      'budget.amount': 'spending limit per window, or none',
      models: 'allowed models, or none for all',
      requiredTags: 'tags that an upstream must have, or none',
      fallbacks: 'models to try if one fails, or none for those of the model',
    },
    print: (key) => print.keys([key]),
  }),
  command('key rotate KEY-ID', 'key.rotate', { print: print.keyRotated }),
  command('key list ACCOUNT', 'key.list', { print: print.keys }),
  command('key revoke KEY-ID', 'key.revoke', { print: print.keyRevoked }),
  command('credit ACCOUNT USD', 'credit', { texts: { note: 'note for the ledger' }, print: print.credited }),
  command('models', 'models.list', { print: print.models }),
  command('models add MODEL', 'models.add', { print: print.model }),
  command('models price MODEL', 'models.price', {
    texts: { 'price.effectiveFrom': 'start of the price (default: now)' },
    print: print.model,
  }),
  command('models routing MODEL', 'models.routing', {
    texts: { fallbacks: 'models to try if it fails, none, or file for the configuration' },
    print: print.model,
  }),
  command('models offer MODEL UPSTREAM', 'models.offer', {
    texts: {
      upstreamModel: "upstream's name for the model, if different",
      contextTokens: 'context length in tokens, for an unknown model',
      outputTokensMax: 'maximum output tokens, for an unknown model',
      formats: 'the formats that the upstream has for it, e.g. openai-chat',
    },
    print: print.model,
  }),
  command('models offers MODEL', 'offers.show', { print: printOffers.offers }),
  command('models offers check MODEL', 'offers.check', { print: printOffers.preview }),
  command('models offers set MODEL', 'offers.set', {
    texts: { allowUnserved: 'save them even if a model has no upstream left' },
    print: printOffers.written,
  }),
  command('models disable MODEL', 'models.disable', { print: print.model }),
  command('models enable MODEL', 'models.enable', { print: print.model }),
  command('models prices MODEL', 'models.prices', { print: printInstallation.prices }),
  local(
    'catalog update',
    'Compare prices with the list of models.dev or LiteLLM, and apply selected changes',
    {
      requires: 'from',
      options: [
        option(
          'from',
          'text',
          'FILE|URL',
          'the list, api.json or model_prices_and_context_window.json (required)',
        ),
        option('apply', 'flag', '', 'apply all changes except the marked ones'),
        option('only', 'list', 'A,B', 'apply the changes of these models, also marked ones'),
        {
          ...option('from-date', 'text', 'TIME', 'when the prices take effect (default: now)'),
          field: 'effectiveFrom',
        },
      ],
    },
  ),
  command('markup', 'markup.show', { print: printInstallation.markup }),
  command('markup set PERCENT', 'markup.set', { print: printInstallation.markup }),
  command('upstreams', 'upstreams.list', { print: printInstallation.upstreams }),
  command('upstreams add UPSTREAM', 'upstreams.put', {
    texts: {
      provider: 'provider, or custom for any other server',
      models: "models it serves, with the upstream's name where it differs, or all",
      weight: 'weight among healthy upstreams (default)',
      'limits.concurrent': 'its limit of concurrent requests',
      'limits.requestsPerMinute': 'its limit of requests per minute',
      'limits.tokensPerMinute': 'its limit of tokens per minute',
      disabled: 'add it without sending requests to it',
    },
    print: printInstallation.upstream,
  }),
  command('upstreams test UPSTREAM', 'upstreams.test', {
    print: printInstallation.upstreamTest,
    exitCode: ofTest,
  }),
  command('upstreams models UPSTREAM', 'upstreams.models', { print: printInstallation.upstreamModels }),
  command('upstreams status', 'upstreams.status', {
    texts: { limit: 'models per upstream (default)' },
    print: printInstallation.upstreamStatus,
  }),
  command('upstreams disable UPSTREAM', 'upstreams.disable', {
    texts: {
      upstreamModel: onlyThisModel,
      allowUnserved: 'disable it even if a model has no other upstream',
    },
    print: printInstallation.upstreamSwitched,
  }),
  command('upstreams enable UPSTREAM', 'upstreams.enable', {
    texts: { upstreamModel: onlyThisModel },
    print: printInstallation.upstreamSwitched,
  }),
  command('upstreams remove UPSTREAM', 'upstreams.remove', {
    print: ({ upstream }) => `Removed ${upstream}.\n`,
  }),
  command('provider-keys ACCOUNT', 'provider-keys.list', { print: printInstallation.providerKeys }),
  command('provider-keys set ACCOUNT PROVIDER', 'provider-keys.put', {
    print: printInstallation.providerKey,
  }),
  command('provider-keys test ACCOUNT PROVIDER', 'provider-keys.test', {
    print: printInstallation.providerKeyTest,
    exitCode: ofTest,
  }),
  command('provider-keys remove ACCOUNT PROVIDER', 'provider-keys.remove', {
    print: ({ provider }) => `Removed ${provider}.\n`,
  }),
  command('losses', 'losses.list', {
    texts: { limit: 'maximum number of accounts (default)' },
    print: printInstallation.losses,
  }),
  command('members', 'members.list', { print: printInstallation.members }),
  command('members reject FORMAT MEMBER', 'members.reject', {
    print: ({ member }) => `Requests with ${member} are rejected.\n`,
  }),
  command('members allow FORMAT MEMBER', 'members.allow', {
    print: ({ member }) => `Requests with ${member} pass.\n`,
  }),
  command('audit', 'audit.list', { print: printInstallation.audit }),
  command('system', 'system.show', { print: printInstallation.system }),
  command('requests ACCOUNT', 'requests.list', {
    texts: {
      ...{ from: null, to: null, model: null, key: null, outcome: null },
      before: ['REQUEST-ID', 'start before this request'],
    },
    print: print.receipts,
  }),
  command('ledger verify', 'ledger.verify', { print: print.verified, exitCode: ({ ok }) => (ok ? 0 : 1) }),
  command('people', 'people.list', { print: printPeople.people }),
  command('people confirm USER', 'people.confirm', { print: printPeople.person }),
  command('people operator USER', 'people.operator', { print: printPeople.person }),
  command('people reset-link USER', 'people.reset-link', { print: printPeople.link }),
  command('people invite EMAIL', 'people.invite', { print: printPeople.link }),
  command('people invitations', 'people.invitations', { print: printPeople.invitations }),
  command('people withdraw-invitation EMAIL', 'people.withdraw-invitation', {
    texts: { email: 'invited email address' },
    print: printPeople.withdrawn,
  }),
  command('code create USD', 'code.create', {
    texts: { amount: 'credit amount, such as 12.50' },
    print: printPeople.codeCreated,
  }),
  command('code list', 'code.list', { print: printPeople.codes }),
  command('code revoke CODE-ID', 'code.revoke', { print: ({ id }) => `Revoked ${id}.\n` }),
  command('setup-link', 'setup.link', { print: print.setupLink }),
  local('doctor', 'Diagnose the installation: configuration, data folder, server and models', {
    options: [option('verbose', 'flag', '', 'also name every environment variable that is not set')],
  }),
  local('migrate', 'Migrate the database to the latest schema; the server does this at startup'),
  local('backup', 'Back up the data folder, also while the server runs, and verify the copy', {
    positionals: [{ field: 'folder', value: 'FOLDER', help: 'a folder that does not exist or is empty' }],
  }),
  local('move', 'Move the data folder to an empty PostgreSQL database; stop the server first', {
    requires: 'to',
    options: [
      option(
        'to',
        'text',
        'URL',
        'URL of the database, postgres://…; PGPASSWORD can hold the password (required)',
      ),
    ],
  }),
  local('move cancel', 'Undo a move: serve from the data folder again'),
]
