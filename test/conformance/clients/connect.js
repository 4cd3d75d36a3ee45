/**
 * Follows what *Connect* shows for a client as a user would: its line installs it, its files are written, and its commands run in
 * one shell, all unchanged. The key is set by the step that shows how.
 */
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { hello } from '../../../console/src/features/connect/recipe.ts'
import { recipeOf } from '../../../console/src/features/connect/recipes.ts'
import {
  families,
  folderFor,
  includes,
  installMsMax,
  inWorkshop,
  key,
  origin,
  ownNodeFirst,
  run,
  write,
} from './client.js'

const installs = /^(npm|pip) install /
const noFacts = { address: origin, model: { name: 'NAME', formats: [] }, key: null }

/** The names of a recipe's tabs; undefined alone for a recipe without any. */
function tabsOf(id) {
  const names = recipeOf(id)
    .steps(noFacts)
    .flatMap(({ alternative }) => alternative ?? [])
  return names.length === 0 ? [undefined] : [...new Set(names)]
}

const stepsOf = (id, facts, tab) =>
  recipeOf(id)
    .steps(facts)
    .filter(({ alternative }) => alternative === undefined || alternative === tab)

/** The lines of a step that are typed into a shell, with those that write its file. */
function typed({ text, snippet }) {
  if (snippet === undefined || snippet.language === 'text') return []
  const [, saved, command] = /^Save it as (\S+) and run it with (.+)\.$/.exec(text ?? '') ?? []
  const file = snippet.file ?? saved
  if (file === undefined) return snippet.text.split('\n')
  const written = `mkdir -p ${dirname(file)}\ncat > ${file} <<'END_OF_FILE'\n${snippet.text}\nEND_OF_FILE`
  return [written, ...(command === undefined ? [] : [command])]
}

const pathWith = (folder) =>
  [join(folder, 'bin'), join(folder, 'node_modules/.bin'), ownNodeFirst].join(delimiter)

/** Installs what the recipe says, as it says, into a separate folder, once. */
export async function installedAsShown(id, tab) {
  const lines = stepsOf(id, noFacts, tab)
    .flatMap(typed)
    .filter((line) => installs.test(line))
  const folder = folderFor(tab === undefined ? id : `${id}-${tab.toLowerCase()}`)
  const stamp = join(folder, 'shown.txt')
  const wanted = lines.join('\n')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return folder
  if (wanted.includes('pip ')) await run('python3', ['-m', 'venv', folder])
  else write(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const env = { PATH: pathWith(folder), npm_config_prefix: folder }
  await run('sh', ['-e', '-c', wanted], { cwd: folder, env, timeout: installMsMax })
  write(stamp, wanted)
  return folder
}

/**
 * Follows a recipe to its end, without its installation; `words` are added to its last command, or to `command` where it
 * names none. `edited` makes the one change that a check is about.
 */
export function followed(id, how) {
  const { at = { origin, key }, model, formats = [], tab, place, folder } = how
  const { command = [], words = [], env, edited = (script) => script } = how
  const facts = { address: at.origin, model: { name: model, formats }, key: at.key }
  const lines = stepsOf(id, facts, tab)
    .flatMap(typed)
    .filter((line) => !installs.test(line))
  const packages = join(folder, 'node_modules')
  if (existsSync(packages)) symlinkSync(packages, join(place.folder, 'node_modules'))
  const script = edited(`${[...lines, ...command].join('\n')} "$@"`)
  return run('sh', ['-e', '-c', script, 'sh', ...words], {
    cwd: place.folder,
    env: { HOME: place.home, TOLLGATE_KEY: '', PATH: pathWith(folder), ...env },
    timeout: installMsMax,
  })
}

/** The program of a recipe on all three families, in each of its languages; `says` replaces its prompt. */
export function programChecks(id, { says = hello, env } = {}) {
  const edited = (script) => script.replace(hello, says)
  const all = tabsOf(id).flatMap((tab) => Object.values(families).map((model) => ({ tab, model })))
  return Object.fromEntries(
    all.map(({ tab, model }) => [
      `${recipeOf(id).name}${tab === undefined ? '' : `, ${tab}`}, on ${model}`,
      async () => {
        const folder = await installedAsShown(id, tab)
        await inWorkshop(async (place) => {
          const { stdout } = await followed(id, { model, tab, place, folder, edited, env })
          includes(stdout, 'hello in one sentence', 'the answer')
        })
      },
    ]),
  )
}
