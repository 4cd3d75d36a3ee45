/**
 * The programs of libraries and frameworks that *Connect* shows, each from its first step to its last, except for those that
 * python-library.js runs. Needs Python, Go, a JDK 17 with Maven, and Rust.
 */
import { join } from 'node:path'
import { recipes } from '../../../console/src/features/connect/recipes.ts'
import { sdkRecipes } from '../../../console/src/features/connect/sdk-recipes-table.ts'
import { checks, folderFor } from './client.js'
import { programChecks } from './connect.js'
import { pythonLibraries } from './python-libraries.js'

/** Build tools store what they have fetched in the real home. */
const built = { HOME: process.env.HOME, CARGO_TARGET_DIR: join(folderFor('rust'), 'target') }

const shown = recipes.filter(
  ({ id, group }) =>
    (group === 'Libraries' || group === 'Frameworks') && !pythonLibraries.some(({ name }) => name === id),
)
const lists = shown.map((recipe) =>
  programChecks(recipe.id, sdkRecipes.includes(recipe) ? { env: built } : {}),
)
await checks('Connect', Object.assign({}, ...lists))
