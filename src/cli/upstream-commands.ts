/** Commands about upstreams and accounts' own provider keys. */
import { account, type Command, command, credentialOption, option, provider, upstream } from './command.ts'
import * as printInstallation from './print-installation.ts'

const upstreamModelOption = option(
  'model>upstreamModel',
  'text',
  'NAME',
  "only this model, by the upstream's name for it",
)

export const upstreamCommands: readonly Command[] = [
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
]
