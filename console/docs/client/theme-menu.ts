/** Light, dark or system, shared with the console. */
import { chosenTheme, setTheme, type Theme } from '../../src/lib/theme-choice.ts'

const choices: readonly (readonly [theme: Theme, label: string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

export function addThemeMenu(header: Element): void {
  const menu = document.createElement('select')
  menu.className = 'theme'
  menu.setAttribute('aria-label', 'Theme')
  menu.append(...choices.map(([theme, label]) => new Option(label, theme, false, theme === chosenTheme())))
  menu.addEventListener('change', () => {
    const choice = choices.find(([theme]) => theme === menu.value)
    if (choice !== undefined) setTheme(choice[0])
  })
  header.append(menu)
}
