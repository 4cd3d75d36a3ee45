/** Light, dark or as the system has it: kept in this browser. `public/theme.js` applies it before the first paint. */
import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'
const storageName = 'tollgate-theme'
const prefersDark = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
let chosen: Theme = read()

function read(): Theme {
  const kept = localStorage.getItem(storageName)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
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

export function setTheme(theme: Theme): void {
  chosen = theme
  if (theme === 'system') localStorage.removeItem(storageName)
  else localStorage.setItem(storageName, theme)
  apply()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What was chosen. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () => chosen)
}

/** What is shown: charts draw by it. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, () => document.documentElement.dataset.theme === 'dark')
}
