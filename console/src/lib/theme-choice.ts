/** The choice of light, dark or system, stored in this browser. `public/theme.js` applies it before the first paint. */

export type Theme = 'system' | 'light' | 'dark'

const storageName = 'tollgate-theme'
const prefersDark = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
let chosen: Theme = read()

function read(): Theme {
  const stored = localStorage.getItem(storageName)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

function apply(): void {
  const isDark = chosen === 'dark' || (chosen === 'system' && prefersDark.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  for (const listener of listeners) listener()
}
prefersDark.addEventListener('change', apply)
addEventListener('storage', ({ key }) => {
  if (key !== storageName) return
  chosen = read()
  apply()
})

export function chosenTheme(): Theme {
  return chosen
}

export function setTheme(theme: Theme): void {
  chosen = theme
  if (theme === 'system') localStorage.removeItem(storageName)
  else localStorage.setItem(storageName, theme)
  apply()
}

/** Calls the listener after each change; returns the function that stops it. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
