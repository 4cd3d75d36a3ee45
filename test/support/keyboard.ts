/**
 * Somebody without a mouse: keys alone, looking each time where the focus is, that it shows, and that it was not lost.
 * Knows no page of ours.
 */
import assert from 'node:assert/strict'
import type { Page } from './browser.ts'

/** What has the focus, as a person would find it. */
export interface Focused {
  readonly tag: string
  readonly role: string
  /** As it is read out: its label, else its text. */
  readonly name: string
  /** A ring or, of headings and the like that are only jumped to, none is needed. */
  readonly shows: boolean
  readonly inView: boolean
}

export interface Keyboard {
  /** Presses Tab, or Shift+Tab, until what is so called has the focus; the role is that of the element, or its tag. */
  reach(role: string, name: string | RegExp, key?: 'Tab' | 'Shift+Tab'): Promise<void>
  press(key: string): Promise<void>
  type(text: string): Promise<void>
  /** What has the focus now; fails where nothing has. */
  focused(): Promise<Focused>
}

/** More stops than any page of the console has. */
const stopsMax = 120

/** Runs in the page, whose words the types of this checkout do not know. */
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
        // At its end a page hands the focus to the browser's own bars, and takes it back with the next key.
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
