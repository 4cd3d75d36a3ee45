/** Commands about models: prices, offers, markup and the catalog. */
import { meters } from '../../contract/meters.ts'
import { type Command, command, local, model, type OptionRow, option, upstream } from './command.ts'
import * as print from './print.ts'
import * as printInstallation from './print-installation.ts'
import * as printOffers from './print-offers.ts'

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

export const modelCommands: readonly Command[] = [
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
]
