/**
 * A keyboard user: uses keys alone and checks each time where the focus is, that it is visible, and that it was not
 * lost. Knows no page of ours.
 */
import assert from 'node:assert/strict'
import type { Page } from './browser.ts'

/** The focused element, as a person would perceive it. */
export interface Focused {
  readonly tag: string
  readonly role: string
  /** Its accessible name: its label, else its text. */
  readonly name: string
  /** Whether a focus ring is visible; headings and similar jump targets need none. */
  readonly shows: boolean
  readonly inView: boolean
}

export interface Keyboard {
  /** Presses Tab, or Shift+Tab, until the element with this name has the focus; the role is that of the element, or its tag. */
  reach(role: string, name: string | RegExp, key?: 'Tab' | 'Shift+Tab'): Promise<void>
  press(key: string): Promise<void>
  type(text: string): Promise<void>
  /** The focused element; fails where there is none. */
  focused(): Promise<Focused>
}

/** More tab stops than any page of the console has. */
const stopsMax = 120

/** Runs in the page, whose globals the types of this checkout do not know. */
const look = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body) return null
  const labels = [...(element.labels ?? [])].map((label) => label.innerText).join(' ')
  const name = element.getAttribute('aria-label') ?? (labels === '' ? element.innerText : labels) ?? ''
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
  const ring = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0
  const box = element.getBoundingClientRect()
  const [x, y] = [box.left + Math.min(box.width / 2, innerWidth / 2), box.top + Math.min(box.height / 2, 20)]
  const seen = document.elementFromPoint(x, y)
  return {
    tag: element.tagName.toLowerCase(),
    role: element.getAttribute('role') ?? element.tagName.toLowerCase(),
    name: name.trim().replace(/\\s+/g, ' '),
    shows: ring || boxShadow !== 'none' || element.tabIndex < 0,
    inView: seen !== null && (element.contains(seen) || seen.contains(element)),
  }
})()`

export function keyboardOf(page: Page): Keyboard {
  const focused = async (): Promise<Focused> => {
    const found = (await page.evaluate(look)) as Focused | null
    assert.ok(found !== null, `the focus is lost at ${page.url()}`)
    return found
  }
  const isIt = ({ tag, role, name }: Focused, wanted: string, text: string | RegExp): boolean =>
    (role === wanted || tag === wanted) && (typeof text === 'string' ? name === text : text.test(name))
  return {
    focused,
    async reach(role, name, key = 'Tab') {
      const passed: string[] = []
      for (let stop = 0; stop < stopsMax; stop += 1) {
        await page.keyboard.press(key)
        const found = (await page.evaluate(look)) as Focused | null
        // After its last element a page passes the focus to the browser's own UI, and gets it back with the next key.
        if (found === null) continue
        assert.ok(
          found.shows,
          `nothing shows that ${found.role} “${found.name}” has the focus at ${page.url()}`,
        )
        assert.ok(found.inView, `${found.role} “${found.name}” has the focus out of sight at ${page.url()}`)
        if (isIt(found, role, name)) return
        passed.push(`${found.role} “${found.name}”`)
      }
      assert.fail(`no key reaches ${role} “${name}” at ${page.url()}: ${passed.join(', ')}`)
    },
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
  }
}
