/** More agents and tools of the terminal, and how each is pointed at this server. docs/clients.md says which of it was seen working. */
import { doubleQuoted, shellQuoted } from './quote.ts'
import { file, hello, keyStep, type Recipe, run } from './recipe.ts'

const noNotes = () => []

export const terminalRecipes: readonly Recipe[] = [
  {
    id: 'copilot-cli',
    name: 'GitHub Copilot CLI',
    group: 'Agents',
    about: "GitHub's agent for the terminal, with a key of your own.",
    prefers: 'openai-chat',
    steps: (facts) => [
      keyStep(facts),
      run(
        'Point it here and start it',
        [
          'export COPILOT_PROVIDER_TYPE=openai',
          `export COPILOT_PROVIDER_BASE_URL=${facts.address}/v1`,
          'export COPILOT_PROVIDER_API_KEY=$TOLLGATE_KEY',
          `export COPILOT_MODEL=${shellQuoted(facts.model.name)}`,
          'copilot',
        ].join('\n'),
      ),
    ],
    notes: noNotes,
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    group: 'Agents',
    about: "Qwen's agent for the terminal.",
    prefers: 'openai-chat',
    steps: (facts) => [
      keyStep(facts),
      run(
        'Point it here and start it',
        [
          `export OPENAI_BASE_URL=${facts.address}/v1`,
          'export OPENAI_API_KEY=$TOLLGATE_KEY',
          `export OPENAI_MODEL=${shellQuoted(facts.model.name)}`,
          'qwen --auth-type openai',
        ].join('\n'),
      ),
    ],
    notes: noNotes,
  },
  {
    id: 'pi',
    name: 'pi',
    group: 'Agents',
    about: 'A small agent for the terminal.',
    prefers: 'openai-chat',
    steps: (facts) => [
      keyStep(facts),
      file(
        'Add a provider',
        'json',
        '~/.pi/agent/models.json',
        JSON.stringify(
          {
            providers: {
              tollgate: {
                baseUrl: `${facts.address}/v1`,
                api: 'openai-completions',
                apiKey: 'TOLLGATE_KEY',
                models: [{ id: facts.model.name }],
              },
            },
          },
          null,
          2,
        ),
      ),
      run('Start it', `pi --provider tollgate --model ${shellQuoted(facts.model.name)}`),
    ],
    notes: () => ['apiKey names the variable that holds the key.'],
  },
  {
    id: 'kilo',
    name: 'Kilo Code CLI',
    group: 'Agents',
    about: 'An agent for editors and the terminal.',
    prefers: 'openai-chat',
    steps: (facts) => [
      keyStep(facts),
      file(
        'Add a provider',
        'json',
        '~/.config/kilo/kilo.json',
        JSON.stringify(
          {
            model: `tollgate/${facts.model.name}`,
            provider: {
              tollgate: {
                npm: '@ai-sdk/openai-compatible',
                options: { baseURL: `${facts.address}/v1`, apiKey: '{env:TOLLGATE_KEY}' },
                models: { [facts.model.name]: { name: facts.model.name } },
              },
            },
          },
          null,
          2,
        ),
      ),
      run('Start it', 'kilo'),
    ],
    notes: noNotes,
  },
  {
    id: 'mini-swe-agent',
    name: 'mini-swe-agent',
    group: 'Agents',
    about: 'The small agent that solves issues in a shell.',
    prefers: 'openai-chat',
    steps: (facts) => [
      keyStep(facts),
      run('Install it', 'pip install mini-swe-agent mcp'),
      run(
        'Point it here and start it',
        [
          `export OPENAI_API_BASE=${facts.address}/v1`,
          'export OPENAI_API_KEY=$TOLLGATE_KEY',
          'export MSWEA_COST_TRACKING=ignore_errors',
          `mini -m ${shellQuoted(`openai/${facts.model.name}`)}`,
        ].join('\n'),
      ),
    ],
    notes: () => [
      'It asks through LiteLLM, which knows no price of these names; what you paid stands in Requests.',
    ],
  },
  {
    id: 'llm',
    name: 'llm',
    group: 'Command line',
    about: 'Prompts, tools and logs on the command line.',
    prefers: 'openai-chat',
    steps: (facts) => [
      keyStep(facts),
      run('Install it and find its folder', 'pip install llm\nllm logs path'),
      file(
        'Add a model in that folder',
        'yaml',
        'extra-openai-models.yaml',
        [
          '- model_id: tollgate',
          `  model_name: ${doubleQuoted(facts.model.name)}`,
          `  api_base: ${facts.address}/v1`,
          '  api_key_name: tollgate',
          '  supports_tools: true',
        ].join('\n'),
      ),
      run('Ask', `llm -m tollgate --key "$TOLLGATE_KEY" ${shellQuoted(hello)}`),
    ],
    notes: () => ['llm keys set tollgate keeps the key, and --key is not needed.'],
  },
]
