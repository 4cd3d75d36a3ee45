/**
 * Checks that the docs are accurate: links resolve, commands and variables exist, and examples run unchanged against a
 * gateway. It sees pages as text only and cannot judge whether the prose is right.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { decisionsIndex, decisionsIndexPath } from '../scripts/decisions-index.ts'
import { builtinFees } from '../src/catalog/builtin/builtin-options-table.ts'
import { parseArguments } from '../src/cli/arguments.ts'
import { commands } from '../src/cli/commands-table.ts'
import { readConfig } from '../src/config/config.ts'
import { variableNames } from '../src/config/settings-table.ts'
import { clientNames } from '../src/config/values.ts'
import { startText } from '../src/server/first-run.ts'
import { messagesPriceFields } from '../src/wire/anthropic/request-price-table.ts'
import { bodyPriceFields, settingPriceFields } from '../src/wire/gemini/request-price-table.ts'
import { chatPriceFields } from '../src/wire/openai-chat/request-price-table.ts'
import { responsesPriceFields } from '../src/wire/openai-responses/request-price-table.ts'
import type { PriceField } from '../src/wire/price-fields.ts'
import { type TestGateway, testGateway } from './support/gateway.ts'
import { readTree } from './support/source-tree.ts'

const tree = readTree(fileURLToPath(new URL('..', import.meta.url)))
const pages = [...tree].filter(([path]) => path.endsWith('.md'))
/** The server's base URL on the pages. */
const shownOrigin = 'http://127.0.0.1:8080'
const folder = mkdtempSync(join(tmpdir(), 'tollgate-docs-'))
let served: TestGateway
let key = ''
let requestId = ''

before(async () => {
  served = await testGateway()
  await new Promise<void>((ready) => served.gateway.finishStart(ready))
  key = (await served.account('5')).key
  const answer = await fetch(`${served.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-echo', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  assert.equal(answer.status, 200, await answer.text())
  requestId = answer.headers.get('x-request-id') ?? ''
})

after(async () => {
  await served.close()
  rmSync(folder, { recursive: true })
})

/** The fenced blocks of a page in one language. */
function blocks(page: string, language: string): string[] {
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, found]) => found === language)
    .map(([, , text = '']) => text)
}

/** The commands of a page: continued lines joined, comments cut off. */
function shellLines(page: string): string[] {
  return blocks(page, 'sh')
    .flatMap((text) => text.replaceAll(/\\\n\s*/g, '').split('\n'))
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
}

/** Words as a shell splits them, for the quotes that pages use. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  )
}

function shown(text: string): string {
  return text
    .replaceAll(shownOrigin, served.origin)
    .replaceAll('$TOLLGATE_KEY', key)
    .replaceAll('$REQUEST_ID', requestId)
}

/** The anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function anchorsOf(page: string): string[] {
  const text = page.replaceAll(/^```[\s\S]*?^```$/gm, '')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
}

for (const [path, page] of pages) {
  const text = page.replaceAll(/^```[\s\S]*?^```$/gm, '')
  const links = [...text.replaceAll(/`[^`\n]*`/g, '').matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)]
  if (links.length === 0) continue
  test(`${path}: ${links.length} links resolve`, () => {
    for (const [, link = ''] of links) {
      const [target = '', anchor] = link.split('#')
      const found = target === '' ? path : posix.join(posix.dirname(path), target).replace(/\/$/, '')
      const whole = tree.get(found)
      const isFolder = [...tree.keys()].some((other) => other.startsWith(`${found}/`))
      assert.ok(whole !== undefined || isFolder, `${link} leads nowhere`)
      if (anchor !== undefined) assert.ok(anchorsOf(whole ?? '').includes(anchor), `${link}: no such heading`)
    }
  })
}

test('the page of the API explains every field of a receipt', async () => {
  const page = tree.get('docs/api.md') ?? ''
  const [section = ''] = /^## Receipts$[\s\S]*?(?=^## )/m.exec(`${page}\n## `) ?? []
  const answer = await fetch(`${served.origin}/v1/generations/${requestId}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { data } = (await answer.json()) as { data: { usage: object; attempts: object[] } }
  const names = [data, data.usage, ...data.attempts].flatMap((part) => Object.keys(part))
  assert.ok(names.includes('cost') && names.includes('reasoning') && names.includes('ms'), names.join(' '))
  assert.deepEqual(
    names.filter((name) => !new RegExp(`[\`.]${name}[\`.]`).test(section)),
    [],
  )
})

test('the list of all pages has every page', () => {
  const index = tree.get('docs/README.md') ?? ''
  const listed = pages
    .map(([path]) => path)
    .filter((path) => /^docs\/(?:(?:operate|concepts)\/)?[^/]+\.md$/.test(path))
    .filter((path) => path !== 'docs/README.md' && path !== 'docs/style.md')
  assert.deepEqual(
    listed.filter((path) => !index.includes(`](${path.slice('docs/'.length)})`)),
    [],
  )
})

test('the list of decisions has every decision with its status', () => {
  assert.equal(
    readFileSync(decisionsIndexPath, 'utf8'),
    decisionsIndex(),
    'run node scripts/run.js scripts/decisions-index.ts',
  )
})

test('the glossary has the terms of the style page, each in one or two sentences', () => {
  const glossary = tree.get('docs/concepts/glossary.md') ?? ''
  const rows = [...glossary.matchAll(/^\| (?!Term|-)(.+?) \| (.+) \|$/gm)].map(
    ([, term = '', text = '']) => ({
      term: term.toLowerCase(),
      text,
    }),
  )
  const [, listed = ''] = /^Product terms: ([^.]+)\./m.exec(tree.get('docs/style.md') ?? '') ?? []
  const terms = [...listed.matchAll(/\*([^*]+)\*/g)].map(([, term = '']) => term.replace(/^API/, 'api'))
  assert.ok(terms.length > 5)
  assert.deepEqual(
    terms.filter((term) => !rows.some((row) => row.term === term)),
    [],
  )
  for (const { term, text } of rows) {
    assert.ok(text.endsWith('.'), term)
    assert.ok(text.split(/\. /).length <= 2, `${term}: ${text}`)
  }
})

test('repository paths named by pages exist', () => {
  const named = /`((?:src|test|docs|scripts|contract|bench|bin|runtime)\/[\w./-]+)`/g
  for (const [path, page] of pages) {
    for (const [, name = ''] of page.matchAll(named)) {
      const target = name.replace(/\/$/, '')
      const isThere = [...tree.keys()].some((other) => other === target || other.startsWith(`${target}/`))
      assert.ok(isThere || target === 'runtime', `${path} names ${name}`)
    }
  }
})

const program = /^(?:[A-Z_]+=\S+ )*(?:node bin\/tollgate\.js|tollgate) ?(.*)$/

test('commands in code blocks parse unchanged', () => {
  let seen = 0
  for (const [path, page] of pages) {
    for (const line of shellLines(page)) {
      const words = program.exec(line)?.[1]
      if (words === undefined) continue
      seen += 1
      const parsed = parseArguments(shellWords(words))
      assert.notEqual(parsed.kind, 'mistake', `${path}: ${line}: ${JSON.stringify(parsed)}`)
    }
  }
  assert.ok(seen >= 25, `${seen} commands`)
})

test('commands within sentences exist', () => {
  for (const [path, page] of pages) {
    for (const [, words = ''] of page.matchAll(/`(?:node bin\/tollgate\.js|tollgate) ([a-z][^`\n]*)`/g)) {
      const exists = commands.some((command) => `${words} `.startsWith(`${command.words} `))
      assert.ok(exists, `${path}: tollgate ${words}`)
    }
  }
})

test('variables named by pages are read by the server, or belong to clients', () => {
  const known: readonly string[] = [...variableNames, ...clientNames]
  // The page on configuration shows a mistake.
  const mistaken = 'TOLLGATE_PROT'
  for (const [path, page] of pages) {
    for (const [name] of page.matchAll(/\bTOLLGATE_[A-Z0-9_]+/g)) {
      assert.ok(known.includes(name) || name === mistaken, `${path}: ${name}`)
    }
  }
})

test('configuration files in code blocks are valid', () => {
  let seen = 0
  for (const [path, page] of pages) {
    for (const text of blocks(page, 'yaml')) {
      seen += 1
      writeFileSync(join(folder, 'tollgate.yaml'), text)
      const named = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'x'.repeat(20)])
      const read = readConfig(Object.fromEntries(named), folder)
      assert.deepEqual(read.kind === 'mistakes' ? read.mistakes : [], [], path)
    }
  }
  assert.ok(seen >= 2)
})

interface Request {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

/** Parses a curl line; supports only the options that pages use. */
function readCurl(line: string): Request {
  const [, ...words] = shellWords(line)
  const headers: Record<string, string> = {}
  let url = ''
  let body: string | null = null
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word === '-H') {
      at += 1
      const [name = '', value = ''] = (words[at] ?? '').split(/: (.*)/s)
      headers[name] = value
    } else if (word === '-d') {
      at += 1
      body = words[at] ?? ''
    } else if (!word.startsWith('-')) url = word
  }
  return { url, headers, body }
}

const tutorial = 'docs/quick-start.md'

/** Matches requests to this server and not to a machine of the reader. */
const asksServer = /^curl .*http:\/\/127\.0\.0\.1:8080/

for (const [path, page] of pages) {
  const lines = shellLines(page).filter((line) => asksServer.test(line))
  for (const [at, line] of lines.entries()) {
    test(`${path}: curl ${at + 1}, ${/https?:\/\/[^/]+([^ ']*)/.exec(line)?.[1]} is answered with 200`, async () => {
      const { url, headers, body } = readCurl(shown(line))
      const answer = await fetch(url, { method: body === null ? 'GET' : 'POST', headers, body })
      const text = await answer.text()
      assert.equal(answer.status, 200, text)
      if (body?.includes('"stream":true')) assert.match(text, /\[DONE\]|event: message_stop/)
    })
  }
}

test('the quick start shows curl for every operation', () => {
  const lines = shellLines(tree.get(tutorial) ?? '').filter((line) => line.startsWith('curl '))
  for (const part of [
    '/v1/chat/completions',
    '/v1/responses ',
    '/v1/alt/v1/messages ',
    '/v1/alt/v1/messages/count_tokens',
    ':generateContent',
    ':streamGenerateContent?alt=sse',
    '/v1/models ',
    '/v1/alt/v1/models?',
    '/v1beta/models ',
    '/v1/models/',
    '/v1/credits',
    '/v1/key',
    '/v1/generations/',
    '/api/pricing',
    '/livez',
    '/readyz',
  ]) {
    assert.ok(
      lines.some((line) => line.includes(part)),
      part,
    )
  }
})

const isComplete = (text: string) => /^import /m.test(text) && /console\.log|print\(/.test(text)

const programs = [tutorial, 'docs/README.md', 'README.md'].flatMap((path) =>
  ['ts', 'python'].flatMap((language) =>
    blocks(tree.get(path) ?? '', language)
      .filter(isComplete)
      .map((text, at) => ({ path, language, text, name: `${path}: ${language} ${at + 1}` })),
  ),
)

test('the guides have programs in both languages', () => {
  for (const path of [tutorial, 'docs/README.md'])
    for (const language of ['ts', 'python'])
      assert.ok(programs.some((program) => program.path === path && program.language === language))
})

for (const { path, language, text, name } of programs) {
  test(`${name} runs unchanged and prints the answer`, async (context) => {
    const program = language === 'ts' ? typescriptProgram(name, text) : pythonProgram(text)
    if (program === null) return context.skip('this machine has no Python with these libraries')
    const { code, output } = await run(program)
    assert.equal(code, 0, output)
    assert.match(output, path === tutorial ? /^Hello req_\w+\nHello$/ : /^Hello\n$/)
  })
}

function typescriptProgram(name: string, text: string): Program {
  const file = join(folder, `${name.replaceAll(/\W/g, '-')}.mts`)
  const here = text.replaceAll(/ from '([^']+)'/g, (_, library) => ` from '${import.meta.resolve(library)}'`)
  writeFileSync(file, here.replaceAll(shownOrigin, served.origin))
  return { path: process.execPath, arguments: [file] }
}

/** Syntax is checked with any Python; only one that has the libraries runs the program. */
function pythonProgram(text: string): Program | null {
  const parsed = spawnSync('python3', ['-c', 'import ast,sys; ast.parse(sys.stdin.read())'], { input: text })
  if (parsed.error !== undefined) return null
  assert.equal(parsed.status, 0, parsed.stderr.toString())
  const imports = [...text.matchAll(/^from \w+ import .+$/gm)].join('\n')
  if (spawnSync('python3', ['-c', imports]).status !== 0) return null
  return { path: 'python3', arguments: ['-c', text.replaceAll(shownOrigin, served.origin)] }
}

interface Program {
  readonly path: string
  readonly arguments: readonly string[]
}

function run(program: Program): Promise<{ code: number | null; output: string }> {
  const child = spawn(program.path, program.arguments, {
    env: { PATH: process.env.PATH, TOLLGATE_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString()
  })
  child.stderr.on('data', (part: Buffer) => {
    output += part.toString()
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

test('the README shows the real output of the first start', () => {
  const setupLink = `${shownOrigin}/console/setup?token=…`
  const place = { address: shownOrigin, modelToTry: 'sandbox-echo' }
  const first = startText({ kind: 'first', balance: 5_000_000_000n, key: 'sk-tg-…', setupLink }, place)
  const page = tree.get('README.md') ?? ''
  assert.ok(page.includes(first))
  assert.ok(page.includes(startText({ kind: 'again' }, place)))
})

test('the pricing page lists every field and tool of the tables', () => {
  const page = tree.get('docs/operate/price-options.md') ?? ''
  const tables = [
    chatPriceFields,
    responsesPriceFields,
    messagesPriceFields,
    bodyPriceFields,
    settingPriceFields,
  ]
  const fields = tables.flatMap((table) =>
    Object.entries<PriceField>(table).flatMap(([name, { rule }]) =>
      ['free', 'own', 'reference'].includes(rule) ? [] : [name],
    ),
  )
  const meters = builtinFees.flatMap(({ fees }) => Object.values(fees).filter((fee) => fee !== '0'))
  for (const written of [...new Set([...fields, ...meters])]) {
    assert.ok(page.includes(written), `${written} is not on the page`)
  }
})

/** In addition to the words that no file may contain: test/tidy.test.ts. */
const foreign = /\bhelpers?\b|\bworkplace\b|\bthe brief\b|\bTODO\b|\bFIXME\b|\blorem\b/i

test('pages speak of the product alone', () => {
  assert.match('a helper wrote this', foreign)
  for (const [path, page] of pages) assert.doesNotMatch(page, foreign, path)
})
