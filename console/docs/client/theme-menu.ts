/** Light, dark or system, shared with the console. */
import { chosenTheme, setTheme, type Theme } from '../../src/lib/theme-choice.ts'

const choices: readonly (readonly [theme: Theme, label: string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

/** Of Lucide, like the console's: lucide.dev/icons/sun and /moon. */
const sun =
  '<circle cx="12" cy="12" r="4"/><path d="M12 2v2m0 16v2M4.93 4.93l1.41 1.41m11.32 11.32 1.41 1.41M2 12h2m16 0h2M6.34 17.66l-1.41 1.41M19.07 4.93l-1.41 1.41"/>'
const moon = '<path d="M20.99 12.49A9 9 0 1 1 11.51 3.01 7 7 0 0 0 20.99 12.49"/>'

export function addThemeMenu(header: Element): void {
  // The select itself, invisible over the icon: the choice of the platform, and no menu of our own.
  const button = document.createElement('span')
  button.className = 'theme'
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true">${sun}</svg><svg viewBox="0 0 24 24" aria-hidden="true">${moon}</svg>`
  const menu = document.createElement('select')
  menu.setAttribute('aria-label', 'Theme')
  menu.append(...choices.map(([theme, label]) => new Option(label, theme, false, theme === chosenTheme())))
  menu.addEventListener('change', () => {
    const choice = choices.find(([theme]) => theme === menu.value)
    if (choice !== undefined) setTheme(choice[0])
  })
  button.append(menu)
  header.append(button)
}
