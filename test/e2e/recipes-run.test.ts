/**
 * What the console offers to copy is run here: the snippets of the recipes and the code of the playground run
 * unchanged against a server, with the key in the environment as the recipe says.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { recipes, type Snippet } from '../../console/src/features/connect/recipes.ts'
import { codeExamples } from '../../console/src/features/playground/code.ts'
import { requestBody, usualSettings } from '../../console/src/features/playground/conversation.ts'
import { testGateway } from '../support/gateway.ts'

const gateway = await testGateway()
after(() => gateway.close())
const { ledger } = gateway.gateway.services
const { id, key } = await gateway.account('5.00')
const hello = /Say hello in one sentence/
const root = fileURLToPath(new URL('../..', import.meta.url))

interface Ran {
  readonly status: number | null
  readonly output: string
  readonly errors: string
}

/** Packages resolve as in the checkout. */
async function run(program: string, words: readonly string[], input: string): Promise<Ran> {
  const child = spawn(program, words, { cwd: root, env: { ...process.env, TOLLGATE_KEY: key } })
  const output: Buffer[] = []
  const errors: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => output.push(piece))
  child.stderr.on('data', (piece: Buffer) => errors.push(piece))
  child.stdin.end(input)
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, output: Buffer.concat(output).toString(), errors: Buffer.concat(errors).toString() }
}

const shell = (text: string) => run('sh', ['-s'], text)
const script = (text: string) => run(process.execPath, ['--input-type=module', '-'], text)
const hasCurl = (await shell('command -v curl')).status === 0

function snippetsOf(recipe: string): readonly Snippet[] {
  const model = { name: 'sandbox-echo', formats: ['openai-chat'] }
  const found = recipes.find((one) => one.id === recipe)
  assert.ok(found !== undefined)
  return found
    .steps({ address: gateway.origin, model, key: null })
    .flatMap(({ snippet }) => (snippet === undefined ? [] : [snippet]))
}

/** One more request, succeeded and charged. */
async function arrives(work: () => Promise<Ran>): Promise<Ran> {
  const before = await gateway.balance(id)
  const ran = await work()
  assert.equal(ran.status, 0, ran.errors)
  const balance = await gateway.balance(id)
  assert.ok(balance.posted < before.posted, `it was charged: ${ran.output}`)
  const [receipt] = await ledger.receipts(id, 1, null)
  assert.equal(receipt?.endReason, 'complete')
  return ran
}

const curls = snippetsOf('curl').filter(({ text }) => text.startsWith('curl '))
test('the curl recipe covers four formats', () => assert.equal(curls.length, 4))

for (const { text } of curls) {
  const address = text.split(' \\\n')[0]?.slice('curl '.length) ?? ''
  test(`${address.replace(gateway.origin, '')} by curl`, {
    skip: hasCurl ? false : 'no curl here',
  }, async () => {
    assert.match((await arrives(() => shell(text))).output, hello)
  })
}

for (const recipe of ['openai-typescript', 'anthropic-typescript'] as const) {
  test(`the program of ${recipe}`, async () => {
    const [text = ''] = snippetsOf(recipe)
      .filter(({ language }) => language === 'typescript')
      .map((snippet) => snippet.text)
    assert.match((await arrives(() => script(text))).output, hello)
  })
}

const turn = { kind: 'user', id: 1, text: "it's a 'test' of \"quotes\"\nand \\ lines", images: [] } as const
const settings = { ...usualSettings, system: 'Be brief.', outputLimit: '200' }
const takes = { tools: true, effort: false, limitField: 'max_tokens' } as const
const examples = codeExamples(gateway.origin, requestBody('sandbox-echo', [turn], settings, takes))
const runners = { curl: hasCurl ? shell : null, typescript: script, python: null }

for (const { id: language, text } of examples) {
  const runner = runners[language]
  if (runner === null) continue
  test(`the playground's code in ${language}`, async () => {
    const { output } = await arrives(() => runner(text))
    const said =
      language === 'curl' ? (JSON.parse(output) as Answer).choices[0]?.message.content : output.trimEnd()
    assert.equal(said, turn.text)
  })
}

interface Answer {
  readonly choices: readonly { readonly message: { readonly content: string } }[]
}
