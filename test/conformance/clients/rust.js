/** The library for Rust, with the versions that rust/Cargo.toml pins. Needs Rust 1.85. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checksOf, folderFor, run } from './client.js'

const folder = folderFor('async-openai')
cpSync(fileURLToPath(new URL('rust', import.meta.url)), folder, { recursive: true })
await run('cargo', ['build', '--quiet'], { cwd: folder, env: process.env, timeout: 900_000 })
await checksOf(join(folder, 'target/debug/clients'), [])
