/**
 * Builds the published package: the launcher, the server's bundle, the console, and the licenses of the packages that
 * the bundle contains. It has the layout of a checkout, and needs no other package: what is installed is what was tested.
 */
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFolder } from '../scripts/console-sources.js'
import { root, serverPackages, wantedPackages } from '../scripts/packages.js'
import { prepareConsole } from '../scripts/prepare-console.js'
import { bundleServer } from './server-bundler.js'

const copied = ['bin/tollgate.js', 'README.md', 'LICENSE', 'CHANGELOG.md', 'ARCHITECTURE.md']
/** Fields of the manifest that a person or npm reads; dependencies and scripts are those of a checkout. */
const published = ['name', 'version', 'description', 'license', 'type', 'engines', 'bin']
const licenseName = /^licen[cs]e/i

/** @param {string} folder which must not exist */
export async function buildPackage(folder) {
  if (!(await prepareConsole())) throw new Error('the console could not be built')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  for (const path of copied) copyFileSync(join(root, path), join(folder, path))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(), undefined, 2)}\n`)
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licenses())
  await bundleServer(folder, addressInPackage)
  cpSync(builtFolder, join(folder, 'console', 'dist'), { recursive: true })
}

/**
 * The URL that the source would have in the package, as code of the bundle in `server/`.
 * @param {string} path
 */
function addressInPackage(path) {
  return `new URL(${JSON.stringify(`../src/${path.replace(/\.ts$/, '.js')}`)}, import.meta.url).href`
}

function publishedManifest() {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.fromEntries(published.map((name) => [name, manifest[name]]))
}

/** @returns {string} */
function licenses() {
  const texts = wantedPackages(serverPackages).map(([path, version]) => {
    const place = join(root, path)
    const { name, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
    const files = readdirSync(place).filter((file) => licenseName.test(file))
    const wording = files.map((file) => readFileSync(join(place, file), 'utf8').trim())
    return [`${name} ${version} (${license})`, ...wording].join('\n\n')
  })
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
