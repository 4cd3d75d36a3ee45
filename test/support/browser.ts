/**
 * A real Chromium for page tests: unpacked once into a temporary folder, started per test file, closed by the process
 * that started it. A visit also records what a person might not notice: script errors, violations of the content
 * security policy, missing files.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { processEnds } from '../../scripts/test-process.js'
import { keptFolder } from './kept-folder.ts'

export type { BrowserContext, Page } from 'playwright-core'

export interface VisitOptions {
  readonly theme?: 'light' | 'dark'
  /** 390 pixels wide, with touch. */
  readonly phone?: boolean
  /** Whether page scripts run; default: true. */
  readonly script?: boolean
}

/** Which rules axe runs: comparing colors takes as long as all others together. */
type AxeLook = 'everything' | 'contrast' | 'structure'

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** Fails with all errors recorded on the pages of this visit so far, and clears them. */
  clean(): void
  /** Fails with the violations that axe finds on the current page, or in its parts that the selector names. */
  accessible(what?: AxeLook, within?: string): Promise<void>
  /** Another window of the same person: it shares cookies and storage. */
  window(): Promise<Page>
  /** Saves a screenshot of the page and returns its path. */
  picture(name: string): Promise<string>
  close(): Promise<void>
}

export interface TestBrowser {
  /** A person with no history who visits `origin`; addresses may be paths. */
  visit(origin: string, options?: VisitOptions): Promise<Visit>
  close(): Promise<void>
}

/** Screenshots for tests and people; not committed. */
const pictureFolder = join(keptFolder, 'tollgate-pictures')

/** Runs in the page, whose globals the types of this checkout do not know. */
const tellBreaches = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' forbids ' + event.blockedURI + ' ' + event.sample))`

/** Only a page that never gets there takes this long, however busy the machine is. */
const actionTimeoutMs = 100_000

const browserArguments = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--font-render-hinting=none',
  // No spare process for the next page.
  '--renderer-process-limit=1',
  // Each context would start a process for each site that it visits.
  '--disable-site-isolation-trials',
  // A page is closed before optimizing its code pays off.
  '--js-flags=--no-opt --no-maglev',
]

const sharedMemoryFolder = '/dev/shm'
/** More than the pages of one browser use together; containers often have 64 MB. */
const sharedMemoryBytes = 1024 * 1024 * 1024

/** Shared by all test files of this process: starting one takes longer than many tests. */
let shared: Promise<Browser> | undefined

export async function openBrowser(): Promise<TestBrowser> {
  const ends = processEnds()
  // A file that runs alone closes its browser with the last page.
  if (ends === undefined) {
    const browser = await launch()
    return { visit: (origin, options = {}) => visit(browser, origin, options), close: () => browser.close() }
  }
  if (shared === undefined || !(await shared).isConnected()) {
    const launched = launch()
    shared = launched
    ends.push(async () => await (await launched).close())
  }
  const browser = await shared
  const visits: Visit[] = []
  return {
    async visit(origin, options = {}) {
      const opened = await visit(browser, origin, options)
      visits.push(opened)
      return opened
    },
    async close() {
      await Promise.all(visits.map((opened) => opened.close()))
    },
  }
}

async function launch(): Promise<Browser> {
  const executablePath = await unpacked()
  return await chromium.launch({
    executablePath,
    args: browserArguments,
    // With it each tile of a page, and what processes hand each other, is a file on the disk.
    ignoreDefaultArgs: hasSharedMemory() ? ['--disable-dev-shm-usage'] : [],
    env: { ...process.env, FONTCONFIG_FILE: join(dirname(executablePath), 'fonts.conf') },
  })
}

function hasSharedMemory(): boolean {
  if (!existsSync(sharedMemoryFolder)) return false
  const { bavail, bsize } = statfsSync(sharedMemoryFolder)
  return bavail * bsize >= sharedMemoryBytes
}

async function visit(browser: Browser, origin: string, options: VisitOptions): Promise<Visit> {
  const { theme = 'light', phone = false, script = true } = options
  const context = await browser.newContext({
    baseURL: origin,
    colorScheme: theme,
    // The machine's locale may be one that browsers do not know.
    locale: 'en-US',
    reducedMotion: 'reduce',
    viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    isMobile: phone,
    hasTouch: phone,
    javaScriptEnabled: script,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(actionTimeoutMs)
  const problems: string[] = []
  context.on('page', (page) => watch(page, problems))
  await context.addInitScript({ content: tellBreaches })
  const page = await context.newPage()
  return {
    page,
    context,
    clean() {
      assert.deepEqual(problems.splice(0), [])
    },
    accessible: (what = 'everything', within) => accessible(page, what, within),
    window: () => context.newPage(),
    async picture(name) {
      mkdirSync(pictureFolder, { recursive: true })
      const path = join(pictureFolder, `${name}.png`)
      await page.screenshot({ path, fullPage: true })
      return path
    },
    close: () => context.close(),
  }
}

function watch(page: Page, problems: string[]): void {
  page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    // The page itself shows a rejected operation; a failed file load it does not show.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (isRefusal && new URL(message.location().url).pathname.startsWith('/api/')) return
    problems.push(`${message.type()}: ${message.text()} (${message.location().url})`)
  })
}

const axeTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const colorRules = ['color-contrast', 'link-in-text-block']
const allRules = { type: 'tag', values: axeTags }

const optionsOf: Readonly<Record<AxeLook, object>> = {
  everything: { runOnly: allRules },
  contrast: { runOnly: { type: 'rule', values: colorRules } },
  structure: {
    runOnly: allRules,
    rules: Object.fromEntries(colorRules.map((rule) => [rule, { enabled: false }])),
  },
}

/** Resolves when animations have ended: a color in transition is not one that a person reads. Runs in the page. */
const still = `new Promise((resolve) => {
  const look = () => document.getAnimations().some(({ playState }) => playState === 'running')
    ? requestAnimationFrame(look) : resolve()
  look()
})`

async function accessible(page: Page, what: AxeLook, within?: string): Promise<void> {
  // A page that is still loading has none, and notices above it may be there before.
  if (within === undefined) await page.locator('h1').first().waitFor({ state: 'attached' })
  // A click may have moved the page, so that its header covers half of what is below it.
  await page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
  await page.evaluate(still)
  // Compiling axe takes longer than checking some pages, so a document gets it once.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const options = JSON.stringify({ resultTypes: ['violations'], ...optionsOf[what] })
  const place = within === undefined ? 'document' : JSON.stringify(within)
  const violations = await page.evaluate<axe.Result[]>(
    `axe.run(${place}, ${options}).then(({ violations }) => violations)`,
  )
  const lines = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help} at ${target.join(' ')}\n${failureSummary}`),
  )
  if (lines.length > 0) assert.fail(`${page.url()}\n${lines.join('\n')}`)
}

/** The path of Chromium. Several test files may need it concurrently: each unpacks into its own folder, and the first rename wins. */
async function unpacked(): Promise<string> {
  const packageFolder = join(
    dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')),
    '..',
    '..',
  )
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string
  }
  const folder = join(keptFolder, `tollgate-chromium-${version}`)
  const path = join(folder, 'chromium')
  if (existsSync(path)) return path
  const aside = mkdtempSync(join(keptFolder, 'tollgate-chromium-'))
  await unpackInto(aside)
  writeFileSync(join(aside, 'fonts.conf'), fontsIn(folder))
  try {
    renameSync(aside, folder)
  } catch (error) {
    if (!existsSync(path)) throw error
    rmSync(aside, { recursive: true })
  }
  return path
}

/** The fonts of the package, in addition to installed ones. */
function fontsIn(folder: string): string {
  const places = [join(folder, 'fonts'), '/usr/share/fonts'].map((place) => `<dir>${place}</dir>`).join('')
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${places}<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias><cachedir>${folder}/cache</cachedir></fontconfig>`
}

/** The package unpacks into the temporary folder of its process. */
async function unpackInto(folder: string): Promise<void> {
  const script = "const { default: c } = await import('@sparticuz/chromium'); await c.executablePath()"
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  assert.equal(code, 0, 'Chromium could not be unpacked')
}
