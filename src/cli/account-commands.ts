/** Commands about accounts, their keys and their credit. */
import { account, type Command, command, key, option } from './command.ts'
import * as print from './print.ts'

export const accountCommands: readonly Command[] = [
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
]
