/** The libraries for Java, with the versions that java/pom.xml pins. Needs a JDK 17 and Maven. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checksOf, folderFor, run } from './client.js'

const folder = folderFor('java')
cpSync(fileURLToPath(new URL('java', import.meta.url)), folder, { recursive: true })
const of = { cwd: folder, env: process.env, timeout: 900_000 }
await run('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'], of)
await run('javac', ['-cp', 'lib/*', '-d', 'out', 'Clients.java'], of)
await checksOf('java', ['-cp', `${join(folder, 'lib')}/*:${join(folder, 'out')}`, 'Clients'])
