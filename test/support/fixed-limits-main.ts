/** The program with other values of fixed limits (JSON in `TEST_FIXED_LIMITS`), from its bundle where there is one. */
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundledMain } from '../../scripts/server-bundle.js'

const bundle = bundledMain()
const sourceOf = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url))
const [config, main] =
  bundle === undefined
    ? [sourceOf('config/config.ts'), sourceOf('main.ts')]
    : [join(dirname(bundle), 'config.js'), bundle]
const { limitDefaults } = await import(pathToFileURL(config).href)
Object.assign(limitDefaults, JSON.parse(process.env.TEST_FIXED_LIMITS ?? '{}'))
delete process.env.TEST_FIXED_LIMITS
await import(pathToFileURL(main).href)
