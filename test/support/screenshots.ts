/**
 * Takes the screenshots in `docs/screens`: every page of a populated server, light, dark
 * and on a phone, and some on an empty one. Prints how long a page takes until it is readable. With names as
 * arguments only those pages, with `--to=<folder>` elsewhere. Not a test: it judges nothing.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openBrowser, type Page, type TestBrowser, type Visit, type VisitOptions } from './browser.ts'
import { type ConsolePage, consolePages, whole } from './console-pages.ts'
import type { ControlClient } from './control-client.ts'
import { testGateway } from './gateway.ts'
import { type LivedIn, livedIn } from './lived-in.ts'
import { withPalette } from './palette-png.ts'

/** A Wednesday afternoon: the screenshots show that day, whenever they are made. */
const nowMs = Date.UTC(2026, 10, 18, 15, 20)

const desktop = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }

interface Look extends VisitOptions {
  readonly name: 'light' | 'dark' | 'phone'
}
const looks: readonly Look[] = [
  { name: 'light' },
  { name: 'dark', theme: 'dark' },
  { name: 'phone', phone: true },
]

/** Actions on a page before its screenshot. */
const acts: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async playground(page) {
    await page.getByRole('textbox', { name: 'Message' }).fill('tokens=120 What does a hold do?')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Receipt' }).waitFor()
  },
  async 'admin-upstream'(page) {
    await page.getByRole('region', { name: 'Models at openai', exact: true }).waitFor()
  },
}

/** Placeholders for ids in paths. */
const pathWords = {
  key: 'key_…',
  retried: 'req_…',
  cut: 'req_…',
  topUp: 'top_…',
  month: '2026-10',
  account: 'acct_…',
  invitation: '…',
}

/** Pages for a person who has just signed up. */
const emptyNames = ['overview', 'keys', 'usage', 'requests', 'billing', 'admin-accounts']

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const to = process.argv.find((argument) => argument.startsWith('--to='))?.slice('--to='.length)
const folder = to ?? fileURLToPath(new URL('../../docs/screens', import.meta.url))
const isAll = names.length === 0
const isWanted = (name: string): boolean => isAll || names.includes(name)

if (isAll) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const browser = await openBrowser()
try {
  await newcomer(browser)
  const lived = await livedIn(nowMs)
  try {
    await lived.begin()
    for (const look of looks) await pictures(browser, lived, look)
    await speed(browser, lived)
  } finally {
    await lived.close()
  }
} finally {
  await browser.close()
}
if (isAll) writeFileSync(join(folder, 'index.md'), index())
const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
process.stdout.write(`${readdirSync(folder).length} files, ${(bytes / 1e6).toFixed(1)} MB in ${folder}\n`)

/** Pages of an empty installation, on a separate server. */
async function newcomer(chromium: TestBrowser): Promise<void> {
  const wanted = consolePages.filter(({ name }) => emptyNames.includes(name) && isWanted(`${name}-new`))
  if (wanted.length === 0 && !isWanted('setup')) return
  const gateway = await testGateway()
  const { start } = gateway.gateway
  if (start.kind !== 'first') throw new Error('a fresh folder is not at its first start')
  const visit = await chromium.visit(gateway.origin)
  const setup = new URL(start.setupLink)
  await visit.page.goto(setup.pathname + setup.search)
  await whole(visit.page, 'Set up this server')
  await picture(visit.page, 'setup-light')
  const who = { name: 'Ada', email: 'ada@example.org', password: 'a long enough password' }
  const headers = { origin: gateway.origin }
  const token = setup.searchParams.get('token')
  await visit.context.request.post('/api/setup', { data: { token, ...who }, headers })
  await visit.context.request.post('/api/auth/sign-in/email', { data: who, headers })
  for (const page of wanted) {
    await visit.page.setViewportSize(desktop)
    await visit.page.goto(page.path({} as never))
    await whole(visit.page, page.heading)
    await picture(visit.page, `${page.name}-new-light`)
  }
  await visit.close()
  await gateway.close()
}

async function pictures(chromium: TestBrowser, lived: LivedIn, look: Look): Promise<void> {
  const people: Record<ConsolePage['as'], ControlClient | null> = {
    operator: lived.operator.client,
    member: lived.member.client,
    anyone: null,
  }
  for (const [as, client] of Object.entries(people)) {
    const pages = consolePages.filter(
      (page) => page.as === as && isWanted(page.name) && page.name !== 'setup',
    )
    if (pages.length === 0) continue
    const visit = await enter(chromium, lived, client, look)
    await visit.context.clock.setFixedTime(nowMs)
    for (const page of pages) {
      await visit.page.setViewportSize(look.phone === true ? phone : desktop)
      await visit.page.goto(page.path(lived.ids))
      await whole(visit.page, page.heading)
      await acts[page.name]?.(visit.page)
      await picture(visit.page, `${page.name}-${look.name}`)
    }
    await visit.close()
  }
}

/** A browser signed in as this person; null: signed out. */
async function enter(
  chromium: TestBrowser,
  { gateway: { origin } }: LivedIn,
  client: ControlClient | null,
  look: VisitOptions,
): Promise<Visit> {
  const visit = await chromium.visit(origin, look)
  for (const pair of client?.cookie.split('; ') ?? []) {
    const [name = '', value = ''] = pair.split('=')
    await visit.context.addCookies([{ name, value, url: origin }])
  }
  return visit
}

async function picture(page: Page, name: string): Promise<void> {
  // Headless browsers show no scroll bar and reserve no space for it.
  await page.evaluate("document.documentElement.style.scrollbarGutter = 'auto'")
  // The viewport gets the height of the content, so that elements sized to the window are as high as the page; long pages are cut.
  const { width } = page.viewportSize() ?? { width: 1280 }
  const whole = await page.evaluate<number>('document.documentElement.scrollHeight')
  const [least, most] = width < 600 ? [844, 2_000] : [800, 1_600]
  await page.setViewportSize({ width, height: Math.min(most, Math.max(least, whole)) })
  const bytes = await page.screenshot({ animations: 'disabled' })
  writeFileSync(join(folder, `${name}.png`), withPalette(bytes))
  process.stdout.write(`${name}\n`)
}

/** From the navigation until the heading is readable, each time with an empty cache. */
async function speed(chromium: TestBrowser, lived: LivedIn): Promise<void> {
  const tries = 7
  for (const path of ['/console', '/console/sign-in', '/pricing']) {
    const tookMs: number[] = []
    for (let turn = 0; turn < tries; turn += 1) {
      const client = path === '/console' ? lived.operator.client : null
      const visit = await enter(chromium, lived, client, {})
      await visit.page.goto(path, { waitUntil: 'commit' })
      await visit.page.getByRole('heading', { level: 1 }).waitFor()
      tookMs.push(await visit.page.evaluate<number>('performance.now()'))
      await visit.close()
    }
    const [median = 0] = tookMs.sort((a, b) => a - b).slice(Math.floor(tries / 2))
    const spread = `${Math.round(tookMs[0] ?? 0)}–${Math.round(tookMs.at(-1) ?? 0)}`
    process.stdout.write(
      `${path}: heading after ${Math.round(median)} ms (${spread}, ${tries} first visits)\n`,
    )
  }
}

function index(): string {
  const files = readdirSync(folder)
  const link = (name: string, look: string): string =>
    files.includes(`${name}-${look}.png`) ? `[${look}](${name}-${look}.png)` : ''
  const rows = [
    ...consolePages.map(({ name, path }) => [name, path(pathWords)] as const),
    ...emptyNames.map((name) => [`${name}-new`, 'the same before anything has happened'] as const),
  ].map(
    ([name, where]) =>
      `| ${name} | \`${where}\` | ${looks.map((look) => link(name, look.name)).join(' | ')} |`,
  )
  return `# Console screenshots

Taken by \`npm run screenshots\` from a server with a month of real requests to the sandbox. Dates are those of the
screenshots; IDs and durations differ each time.

| page | address | light | dark | phone |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}
