/** What *Connect* shows for Go, Java and Rust, run from the first step to the last. Needs Go, a JDK 17 with Maven, and Rust. */
import { join } from 'node:path'
import { sdkRecipes } from '../../../console/src/features/connect/sdk-recipes-table.ts'
import { checks, families, folderFor, includes, inWorkshop, key, origin, run } from './client.js'

const buildMsMax = 900_000

/** The steps as shell lines: commands unchanged, files written to the shell's current folder. */
function pasted(steps) {
  const lines = steps.flatMap(({ snippet }) => {
    if (snippet === undefined || snippet.text.startsWith('export TOLLGATE_KEY=')) return []
    const { file, text } = snippet
    return file === undefined ? [text] : [`cat > ${file} <<'END_OF_FILE'\n${text}\nEND_OF_FILE`]
  })
  return ['set -e', ...lines].join('\n')
}

const list = {}
for (const recipe of sdkRecipes) {
  list[`${recipe.name} on ${families.claude}`] = () =>
    inWorkshop(async ({ folder: cwd }) => {
      const model = { name: families.claude, dialects: [] }
      const script = pasted(recipe.steps({ address: origin, model, key: null }))
      const env = { TOLLGATE_KEY: key, CARGO_TARGET_DIR: join(folderFor('rust'), 'target') }
      const { stdout } = await run('sh', ['-c', script], { cwd, env, timeout: buildMsMax })
      includes(stdout, 'hello in one sentence', 'the answer')
    })
}
await checks('pasted from Connect', list)
