/**
 * Recipes: they match what docs/clients.md lists as verified, no model name can break out of one, and the key
 * is only where it belongs.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { isPublic } from './recipe.ts'
import { type Facts, recipeOf, recipes, type Snippet } from './recipes.ts'
import { terminalRecipes } from './terminal-recipes-table.ts'

const address = 'https://gate.example.org'
const facts = (part: Partial<Facts> = {}): Facts => ({
  address,
  model: { name: 'NAME', formats: ['openai-chat'] },
  key: null,
  ...part,
})

function snippetsOf(id: string, given = facts()): readonly Snippet[] {
  const recipe = recipeOf(id)
  assert.ok(recipe !== undefined, `there is a recipe ${id}`)
  return recipe.steps(given).flatMap(({ snippet }) => (snippet === undefined ? [] : [snippet]))
}

const docs = readFileSync(new URL('../../../../docs/clients.md', import.meta.url), 'utf8').replaceAll(
  'http://127.0.0.1:8080',
  address,
)

/** The section below a heading of the page on clients. */
function documented(heading: string): string {
  const section = docs.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0]
  assert.ok(section !== undefined, `docs/clients.md has the heading ${heading}`)
  return section
}

/** The code of a section. */
const codeOf = (heading: string) =>
  [...documented(heading).matchAll(/```\w*\n(.*?)```/gs)].map(([, code = '']) => code).join('\n')

/** The lines of that code, without remarks. */
const linesOf = (heading: string) =>
  codeOf(heading)
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '')

/** All that a recipe shows. */
function shownBy(id: string): string {
  const snippets = snippetsOf(id).flatMap(({ file = '', text }) => [file, text])
  return [...snippets, ...(recipeOf(id)?.notes(facts()) ?? [])].join('\n')
}

for (const [id, heading] of [
  ['claude-code', 'Claude Code'],
  ['codex', 'Codex CLI'],
  ['gemini-cli', 'Gemini CLI'],
  ['aider', 'Aider'],
  ['cline', 'Cline'],
] as const) {
  test(`the page and the recipe of ${heading} are the same`, () => {
    const text = shownBy(id)
    for (const line of linesOf(heading)) assert.ok(text.includes(line), `${line}\nis not in\n${text}`)
  })
}

for (const [id, heading] of [
  ['opencode', 'opencode'],
  ['continue', 'Continue'],
] as const) {
  test(`the page and the recipe of ${heading} are the same`, () => {
    const shown = snippetsOf(id).find(({ file }) => file !== undefined)
    // JSON is YAML too.
    assert.deepEqual(parse(shown?.text ?? ''), parse(codeOf(heading)))
  })
}

/** Rows of the tables on the page that are about a recipe, with the words in them that are code. */
const rows = ['More terminal agents', 'Frameworks'].flatMap((heading) =>
  [...documented(heading).matchAll(/^\| (?!-)([^|]+) \|(.+)\|$/gm)].flatMap(([, names = '', cells = '']) =>
    recipes
      .filter(({ name }) => names.replace(/ \(.*/, '').replaceAll('`', '').split(', ').includes(name))
      .map(({ id }) => ({
        id,
        codes: [...`${names}${cells}`.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
      })),
  ),
)
test('the page has every terminal agent and framework of Connect', () => {
  const missing = recipes.filter(
    ({ id, group }) =>
      (group === 'Frameworks' || terminalRecipes.some((one) => one.id === id)) &&
      !rows.some((row) => row.id === id),
  )
  assert.deepEqual(missing, [])
})

for (const { id, codes } of rows) {
  test(`what the page says about ${id} is in its recipe`, () => {
    const text = shownBy(id)
    for (const piece of codes.flatMap((code) => code.split(/[(){},]\s*/)))
      assert.ok(text.includes(piece.trim()), `${piece}\nis not in\n${text}`)
  })
}

for (const [id, parts] of [
  ['openai-typescript', [`baseURL: '${address}/v1'`]],
  ['anthropic-typescript', [`baseURL: '${address}/v1/alt'`]],
  ['google-genai', [`httpOptions: { baseUrl: '${address}' }`, `http_options={'base_url': '${address}'}`]],
  ['openai-python', [`base_url='${address}/v1'`]],
  ['anthropic-python', [`base_url='${address}/v1/alt'`]],
  [
    'ai-sdk',
    [`createOpenAICompatible`, `name: 'tollgate'`, `baseURL: '${address}/v1'`, 'includeUsage: true'],
  ],
  ['langchain', [`configuration: { baseURL: '${address}/v1' }`, `base_url='${address}/v1'`]],
  ['aider', [`OPENAI_API_BASE=${address}/v1`, 'OPENAI_API_KEY=$TOLLGATE_KEY', '--model openai/NAME']],
  ['cursor', [`${address}/v1`]],
  ['cline', [`${address}/v1`]],
  ['continue', ['provider: openai', `apiBase: ${address}/v1`]],
] as const) {
  test(`the recipe ${id} names the address that its client needs`, () => {
    const text = snippetsOf(id)
      .map((snippet) => snippet.text)
      .join('\n')
    for (const part of parts) assert.ok(text.includes(part), `${part}\nis not in\n${text}`)
  })
}

test('Continue is asked in the format of Messages for models that have no other', () => {
  const model = { name: 'NAME', formats: ['anthropic'] }
  const text = snippetsOf('continue', facts({ model })).at(-1)?.text ?? ''
  assert.match(text, /provider: anthropic/)
  assert.ok(text.includes(`apiBase: ${address}/v1/\n`), 'the slash is needed')
})

const hostile = [
  `a'b"c\\d`,
  '$(touch /tmp/x)',
  '`id`',
  "');process.exit(7);('",
  '"]}{[',
  'x;y&z|w>v',
  '#no:remark',
  '*?!~{}',
] as const

/** Parses snippets as their language would; throws for an invalid one. All of a language together, since processes are slow. */
const readers: Readonly<Partial<Record<Snippet['language'], (texts: readonly string[]) => void>>> = {
  sh: (texts) =>
    ran('sh', ['-c', `for text do printf '%s\\n' "$text" | sh -n || exit; done`, 'sh', ...texts], ''),
  json: (texts) => {
    for (const text of texts) JSON.parse(text)
  },
  typescript: (texts) =>
    ran(
      process.execPath,
      [
        '--experimental-vm-modules',
        '--no-warnings',
        '-e',
        'for (const text of JSON.parse(fs.readFileSync(0, "utf8"))) new vm.SourceTextModule(text)',
      ],
      JSON.stringify(texts),
    ),
  python: (texts) =>
    ran(
      'python3',
      ['-c', 'import ast,json,sys\nfor text in json.load(sys.stdin): ast.parse(text)'],
      JSON.stringify(texts),
    ),
}

function ran(program: string, words: readonly string[], input: string): void {
  const { status, stderr, error } = spawnSync(program, words, { input, encoding: 'utf8' })
  // A machine without the language cannot read it.
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return
  assert.equal(status, 0, `${stderr}\n${input}`)
}

for (const name of ['gpt-5', ...hostile]) {
  test(`every recipe can be read with a model named ${name}`, () => {
    const given = facts({ model: { name, formats: [] } })
    const byLanguage = Map.groupBy(
      recipes.flatMap(({ id }) => snippetsOf(id, given)),
      ({ language }) => language,
    )
    for (const [language, snippets] of byLanguage) readers[language]?.(snippets.map(({ text }) => text))
  })
}

test('a reader throws for what is not of its language', () => {
  for (const language of ['sh', 'json', 'typescript', 'python'] as const) {
    if (language === 'python' && spawnSync('python3', ['--version']).error !== undefined) continue
    assert.throws(() => readers[language]?.(["'"]), language)
  }
})

test('a shell passes a hostile name on as one word', () => {
  for (const name of hostile) {
    const lines = snippetsOf('claude-code', facts({ model: { name, formats: [] } })).at(-1)?.text ?? ''
    const script = `claude() { printf %s "$2"; }\n${lines}`
    assert.equal(spawnSync('sh', { input: script, encoding: 'utf8' }).stdout, name)
  }
})

test('the key is only in its own step, and nowhere before it was created', () => {
  const key = ['sk', 'tg', 'AbCdEf12345-secret'].join('-')
  for (const { id } of recipes) {
    const without = JSON.stringify(recipeOf(id)?.steps(facts()))
    assert.ok(!without.includes(key))
    const shown = snippetsOf(id, facts({ key })).filter(({ text }) => text.includes(key))
    assert.ok(shown.length >= 1, `${id} shows the key once it is known`)
    for (const { language, text } of shown) {
      const isMeant = language === 'sh' ? text === `export TOLLGATE_KEY=${key}` : language !== 'typescript'
      assert.ok(isMeant, `${id}: ${text}`)
    }
  }
})

for (const [one, expected] of [
  ['https://gate.example.org', true],
  ['http://gate.example.org', false],
  ['https://localhost', false],
  ['https://127.0.0.1:8443', false],
  ['https://10.1.2.3', false],
  ['https://192.168.1.2', false],
  ['https://172.20.0.1', false],
  ['https://172.40.0.1', true],
  ['https://[::1]:8080', false],
  ['https://[fd00::1]', false],
  ['https://gate.internal', false],
] as const) {
  test(`${one} can${expected ? '' : 'not'} be reached from elsewhere`, () =>
    assert.equal(isPublic(one), expected))
}
