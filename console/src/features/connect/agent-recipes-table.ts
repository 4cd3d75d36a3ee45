/** Agents and editors, and how each is configured for this server. docs/clients.md lists what was verified. */
import { doubleQuoted, shellQuoted } from './quote.ts'
import {
  file,
  isPublic,
  jsonFile,
  keyField,
  keyPlaceholder,
  keyStep,
  packageProvider,
  pointed,
  type Recipe,
  run,
  speaks,
} from './recipe.ts'

export const agentRecipes: readonly Recipe[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    group: 'Agents',
    about: "Anthropic's agent for the terminal.",
    prefers: 'anthropic',
    steps: (facts) => [
      keyStep(facts),
      pointed(
        {
          ANTHROPIC_BASE_URL: `${facts.address}/v1/alt`,
          ANTHROPIC_AUTH_TOKEN: '$TOLLGATE_KEY',
          ANTHROPIC_DEFAULT_HAIKU_MODEL: shellQuoted(facts.model.name),
        },
        `claude --model ${shellQuoted(facts.model.name)}`,
      ),
    ],
    notes: (facts) => [
      'ANTHROPIC_DEFAULT_HAIKU_MODEL handles small tasks such as titles. A cheaper model is enough.',
      'The cost it prints is its own estimate. The Requests page shows what you paid.',
      ...(speaks(facts, 'anthropic')
        ? []
        : [
            'Every model works. Requests to this one are translated, and the built-in web search returns no results.',
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
      'It warns about missing metadata for models it does not know, and continues.',
      ...(speaks(facts, 'openai-responses')
        ? []
        : ["Every model works. Requests to this one are translated; OpenAI's compaction is not available."]),
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
      jsonFile('Add a provider', 'opencode.json', {
        model: `tollgate/${facts.model.name}`,
        small_model: `tollgate/${facts.model.name}`,
        provider: packageProvider(facts),
      }),
      run('Start it', 'opencode'),
    ],
    notes: () => [
      'To avoid translation, set npm to "@ai-sdk/anthropic" for Anthropic models and to "@ai-sdk/openai" for OpenAI models.',
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
        'Sign in with an API key',
        'json',
        '~/.gemini/settings.json',
        '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }',
      ),
      pointed(
        { GOOGLE_GEMINI_BASE_URL: facts.address, GEMINI_API_KEY: '$TOLLGATE_KEY' },
        `gemini -m ${shellQuoted(facts.model.name)}`,
      ),
    ],
    notes: (facts) => [
      speaks(facts, 'gemini')
        ? 'Google Search and Maps have a fee per use. URL context and code execution are charged by token.'
        : 'Google Search, Maps, URL context and code execution work on Google models only.',
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
      pointed(
        { OPENAI_API_BASE: `${facts.address}/v1`, OPENAI_API_KEY: '$TOLLGATE_KEY' },
        `aider --model ${shellQuoted(`openai/${facts.model.name}`)}`,
      ),
    ],
    notes: () => [
      'The openai/ prefix selects the API format. Every model works.',
      'It warns that it does not know the context window and price of the model, and continues.',
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
        title: 'Turn on Override OpenAI Base URL and set it to',
        snippet: { language: 'text', text: `${facts.address}/v1` },
      },
      keyField('Set OpenAI API Key to', facts),
      {
        title: 'Add the model by name and select it',
        snippet: { language: 'text', text: facts.model.name },
      },
    ],
    blocker: ({ address }) =>
      isPublic(address)
        ? null
        : `Cursor sends requests from its own servers, which cannot reach ${address}. This server needs a public https address.`,
    notes: () => ['Tab completion does not use the base URL.'],
  },
  {
    id: 'cline',
    name: 'Cline',
    group: 'Editors',
    about: 'The agent for VS Code and the terminal.',
    prefers: 'openai-chat',
    steps: (facts) => [
      { title: "In the editor, open Cline's settings and set API Provider to OpenAI Compatible" },
      { title: 'Base URL', snippet: { language: 'text', text: `${facts.address}/v1` } },
      keyField('API Key', facts),
      { title: 'Model ID', snippet: { language: 'text', text: facts.model.name } },
      { ...keyStep(facts), title: 'Or in the terminal, set your API key' },
      run(
        'Start it',
        [
          `cline auth --provider openai --baseurl ${facts.address}/v1 --apikey "$TOLLGATE_KEY" --modelid ${shellQuoted(facts.model.name)}`,
          'cline',
        ].join('\n'),
      ),
    ],
    notes: (facts) =>
      speaks(facts, 'anthropic')
        ? [
            `For Claude models, the editor also works with API Provider Anthropic and the custom base URL ${facts.address}.`,
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
      keyField('Copy your API key for the file below', facts),
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
          `    apiKey: ${doubleQuoted(facts.key ?? keyPlaceholder)}`,
          '    roles: [chat, edit, apply]',
        ].join('\n'),
      ),
    ],
    notes: () => ['The cn command-line tool reads the same file.'],
  },
]
