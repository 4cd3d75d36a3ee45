/** More terminal agents and tools, and how each is configured. docs/clients.md lists what was verified. */
import { doubleQuoted, shellQuoted } from './quote.ts'
import {
  type Facts,
  file,
  hello,
  jsonFile,
  keyStep,
  packageProvider,
  pointed,
  type Recipe,
  run,
  type Step,
} from './recipe.ts'

interface Terminal {
  readonly id: string
  readonly name: string
  readonly about: string
  /** `Agents`, when left out. */
  readonly group?: Recipe['group']
  /** After the step for the key. */
  readonly steps: (facts: Facts) => readonly Step[]
  readonly notes?: readonly string[]
}

const terminals: readonly Terminal[] = [
  {
    id: 'copilot-cli',
    name: 'GitHub Copilot CLI',
    about: "GitHub's agent for the terminal, with your own API key.",
    steps: ({ address, model }) => [
      pointed(
        {
          COPILOT_PROVIDER_TYPE: 'openai',
          COPILOT_PROVIDER_BASE_URL: `${address}/v1`,
          COPILOT_PROVIDER_API_KEY: '$TOLLGATE_KEY',
          COPILOT_MODEL: shellQuoted(model.name),
        },
        'copilot',
      ),
    ],
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    about: "Qwen's agent for the terminal.",
    steps: ({ address, model }) => [
      pointed(
        {
          OPENAI_BASE_URL: `${address}/v1`,
          OPENAI_API_KEY: '$TOLLGATE_KEY',
          OPENAI_MODEL: shellQuoted(model.name),
        },
        'qwen --auth-type openai',
      ),
    ],
  },
  {
    id: 'pi',
    name: 'pi',
    about: 'A small agent for the terminal.',
    steps: ({ address, model }) => [
      jsonFile('Add a provider', '~/.pi/agent/models.json', {
        providers: {
          tollgate: {
            baseUrl: `${address}/v1`,
            api: 'openai-completions',
            apiKey: '$TOLLGATE_KEY',
            models: [{ id: model.name }],
          },
        },
      }),
      run('Install it', 'npm install -g @earendil-works/pi-coding-agent'),
      run('Start it', `pi --provider tollgate --model ${shellQuoted(model.name)}`),
    ],
    notes: [
      'In version 1 and later, an environment variable begins with $. Before, the package was @mariozechner/pi-coding-agent, and apiKey was the name of the variable.',
    ],
  },
  {
    id: 'kilo',
    name: 'Kilo Code CLI',
    about: 'An agent for editors and the terminal.',
    steps: (facts) => [
      jsonFile('Add a provider', '~/.config/kilo/kilo.json', {
        model: `tollgate/${facts.model.name}`,
        provider: packageProvider(facts),
      }),
      run('Start it', 'kilo'),
    ],
  },
  {
    id: 'mini-swe-agent',
    name: 'mini-swe-agent',
    about: 'A minimal coding agent that works in a shell.',
    steps: ({ address, model }) => [
      run('Install it', 'pip install mini-swe-agent mcp'),
      pointed(
        {
          OPENAI_API_BASE: `${address}/v1`,
          OPENAI_API_KEY: '$TOLLGATE_KEY',
          MSWEA_COST_TRACKING: 'ignore_errors',
        },
        `mini -m ${shellQuoted(`openai/${model.name}`)}`,
      ),
    ],
    notes: [
      'It uses LiteLLM, which has no prices for these model names. The Requests page shows what you paid.',
    ],
  },
  {
    id: 'llm',
    name: 'llm',
    group: 'Command line',
    about: 'Prompts, tools and logs on the command line.',
    steps: ({ address, model }) => [
      run('Install it and find its folder', 'pip install llm\nllm logs path'),
      file(
        'Add a model in that folder',
        'yaml',
        'extra-openai-models.yaml',
        [
          '- model_id: tollgate',
          `  model_name: ${doubleQuoted(model.name)}`,
          `  api_base: ${address}/v1`,
          '  api_key_name: tollgate',
          '  supports_tools: true',
        ].join('\n'),
      ),
      run('Send a request', `llm -m tollgate --key "$TOLLGATE_KEY" ${shellQuoted(hello)}`),
    ],
    notes: ['To leave out --key, store the key with llm keys set tollgate.'],
  },
]

export const terminalRecipes: readonly Recipe[] = terminals.map(
  ({ id, name, about, group = 'Agents', steps, notes = [] }) => ({
    id,
    name,
    about,
    group,
    prefers: 'openai-chat',
    steps: (facts) => [keyStep(facts), ...steps(facts)],
    notes: () => notes,
  }),
)
