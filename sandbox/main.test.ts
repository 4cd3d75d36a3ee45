/** The sandbox as a separate program: it prints its URL, responds there, and stops on a signal. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('main.ts', import.meta.url))

function started(...args: readonly string[]) {
  return spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
}

test('alone it answers at the address that it prints, and a signal ends it', async (context) => {
  const child = started()
  context.after(() => child.kill('SIGKILL'))
  const [origin] = (await once(createInterface(child.stdout), 'line')) as [string]
  const answer = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-echo', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  const { choices } = (await answer.json()) as { choices: { message: { content: string } }[] }
  assert.equal(choices[0]?.message.content, 'Hello')
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('an invalid port is reported, and nothing starts', async () => {
  const child = started('70000')
  const [message] = (await once(createInterface(child.stderr), 'line')) as [string]
  assert.equal(message, 'sandbox: "70000" is not a port from 0 to 65535')
  if (child.exitCode === null) await once(child, 'exit')
  assert.equal(child.exitCode, 1)
})
