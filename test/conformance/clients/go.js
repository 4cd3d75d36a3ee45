/** The libraries for Go, with the versions that go/go.mod pins. Needs Go 1.26. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checksOf, folderFor, run } from './client.js'

const folder = folderFor('go')
cpSync(fileURLToPath(new URL('go', import.meta.url)), folder, { recursive: true })
await run('go', ['build', '-o', 'clients', '.'], { cwd: folder, env: process.env, timeout: 900_000 })
await checksOf(join(folder, 'clients'), [])
