/** Agents and editors, and how each is pointed at this server. docs/clients.md says which of it was seen working. */
import { doubleQuoted, shellQuoted } from './quote.ts'
import { file, isPublic, keyField, keyStep, keyVariable, type Recipe, run, speaks } from './recipe.ts'

export const agentRecipes: readonly Recipe[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    group: 'Agents',
    about: "Anthropic's agent for the terminal.",
    prefers: 'anthropic',
    steps: (facts) => [
      keyStep(facts),
      run(
        'Point it here and start it',
        [
          `export ANTHROPIC_BASE_URL=${facts.address}/v1/alt`,
          'export ANTHROPIC_AUTH_TOKEN=$TOLLGATE_KEY',
          `export ANTHROPIC_SMALL_FAST_MODEL=${shellQuoted(facts.model.name)}`,
          `claude --model ${shellQuoted(facts.model.name)}`,
        ].join('\n'),
      ),
    ],
    notes: (facts) => [
      'ANTHROPIC_SMALL_FAST_MODEL is used for titles and the like; a cheaper model does.',
      'The cost that it prints is its own estimate. What you paid stands in Requests.',
      ...(speaks(facts, 'anthropic')
        ? []
        : [
            'Every model works. For this one, requests are translated, and its own web search finds nothing.',
          ]),
    ],
  },
  {
    id: 'codex',
    name: 'Codex CLI',
    group: 'Agents',
    about: "OpenAI's agent for the terminal.",
    prefers: 'openai-responses',
    steps: (facts) => [
      keyStep(facts),
      file(
        'Add a provider',
        'toml',
        '~/.codex/config.toml',
        [
          `model = ${doubleQuoted(facts.model.name)}`,
          'model_provider = "tollgate"',
          '',
          '[model_providers.tollgate]',
          'name = "Tollgate"',
          `base_url = "${facts.address}/v1"`,
          'env_key = "TOLLGATE_KEY"',
          'wire_api = "responses"',
        ].join('\n'),
      ),
      run('Start it', 'codex'),
    ],
    notes: (facts) => [
      'It says that it has no metadata for models that it does not know, and goes on.',
      ...(speaks(facts, 'openai-responses')
        ? []
        : [
            "Every model works. For this one, requests are translated; OpenAI's own compaction is not there.",
          ]),
    ],
  },
  {
    id: 'opencode',
    name: 'opencode',
    group: 'Agents',
    about: 'The open-source agent for the terminal.',
    prefers: 'openai-chat',
    steps: (facts) => [
      keyStep(facts),
      file(
        'Add a provider',
        'json',
        'opencode.json',
        JSON.stringify(
          {
            model: `tollgate/${facts.model.name}`,
            small_model: `tollgate/${facts.model.name}`,
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
      run('Start it', 'opencode'),
    ],
    notes: () => [
      'With "@ai-sdk/anthropic" as npm package for Anthropic\'s models and "@ai-sdk/openai" for OpenAI\'s, nothing has to be translated.',
    ],
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    group: 'Agents',
    about: "Google's agent for the terminal.",
    prefers: 'gemini',
    steps: (facts) => [
      keyStep(facts),
      file(
        'Choose the way to sign in',
        'json',
        '~/.gemini/settings.json',
        '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }',
      ),
      run(
        'Point it here and start it',
        [
          `export GOOGLE_GEMINI_BASE_URL=${facts.address}`,
          'export GEMINI_API_KEY=$TOLLGATE_KEY',
          `gemini -m ${shellQuoted(facts.model.name)}`,
        ].join('\n'),
      ),
    ],
    notes: () => [
      "Grounding with Google's search, maps and code execution cannot be used: their price has no limit that a request can name.",
    ],
  },
  {
    id: 'aider',
    name: 'Aider',
    group: 'Agents',
    about: 'Pair programming in the terminal.',
    prefers: 'openai-chat',
    steps: (facts) => [
      keyStep(facts),
      run(
        'Point it here and start it',
        [
          `export OPENAI_API_BASE=${facts.address}/v1`,
          'export OPENAI_API_KEY=$TOLLGATE_KEY',
          `aider --model ${shellQuoted(`openai/${facts.model.name}`)}`,
        ].join('\n'),
      ),
    ],
    notes: () => [
      'The openai/ before the name tells Aider which format to speak; every model works.',
      'It warns that it does not know the window and the price of a name, and goes on.',
    ],
  },
  {
    id: 'cursor',
    name: 'Cursor',
    group: 'Editors',
    about: 'The editor with a chat and an agent.',
    prefers: 'openai-chat',
    steps: (facts) => [
      { title: 'Open Settings, then Models' },
      {
        title: 'Switch on Override OpenAI Base URL and set it to',
        snippet: { language: 'text', text: `${facts.address}/v1` },
      },
      keyField('Set OpenAI API Key to', facts),
      {
        title: 'Add the model under its own name and choose it',
        snippet: { language: 'text', text: facts.model.name },
      },
    ],
    notes: ({ address }) => [
      ...(isPublic(address)
        ? []
        : [
            `Cursor's own servers make its requests, and ${address} cannot be reached from there: this works only where the address of this server is public and begins with https.`,
          ]),
      'Its tab completion does not use an address of yours.',
    ],
  },
  {
    id: 'cline',
    name: 'Cline',
    group: 'Editors',
    about: 'The agent for VS Code and the terminal.',
    prefers: 'openai-chat',
    steps: (facts) => [
      { title: 'In the editor, open its settings and choose OpenAI Compatible as API Provider' },
      { title: 'Base URL', snippet: { language: 'text', text: `${facts.address}/v1` } },
      keyField('API Key', facts),
      { title: 'Model ID', snippet: { language: 'text', text: facts.model.name } },
      run(
        'Or in the terminal, with the key in TOLLGATE_KEY',
        [
          `cline auth --provider openai --baseurl ${facts.address}/v1 --apikey "$TOLLGATE_KEY" --modelid ${shellQuoted(facts.model.name)}`,
          'cline',
        ].join('\n'),
      ),
    ],
    notes: (facts) =>
      speaks(facts, 'anthropic')
        ? [
            `In the editor the provider Anthropic with the custom base URL ${facts.address} does for Claude models too.`,
          ]
        : [],
  },
  {
    id: 'continue',
    name: 'Continue',
    group: 'Editors',
    about: 'The assistant for VS Code, JetBrains and the terminal.',
    prefers: 'openai-chat',
    steps: (facts) => [
      keyField('Have your key at hand: the file below needs it', facts),
      file(
        'Add a model',
        'yaml',
        '~/.continue/config.yaml',
        [
          'name: Tollgate',
          'version: 0.0.1',
          'schema: v1',
          'models:',
          `  - name: ${doubleQuoted(facts.model.name)}`,
          ...(speaks(facts, 'anthropic') && !speaks(facts, 'openai-chat')
            ? ['    provider: anthropic', `    apiBase: ${facts.address}/v1/`]
            : ['    provider: openai', `    apiBase: ${facts.address}/v1`]),
          `    model: ${doubleQuoted(facts.model.name)}`,
          `    apiKey: ${doubleQuoted(facts.key ?? keyVariable)}`,
          '    roles: [chat, edit, apply]',
        ].join('\n'),
      ),
    ],
    notes: () => ['The terminal program, cn, reads the same file.'],
  },
]
