/** The chosen theme and the applied one, for components. */
import { useSyncExternalStore } from 'react'
import { chosenTheme, onThemeChange, type Theme } from './theme-choice.ts'

/** The choice. */
export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, chosenTheme)
}

/** The applied theme: charts draw by it. */
export function useIsDark(): boolean {
  return useSyncExternalStore(onThemeChange, () => document.documentElement.dataset.theme === 'dark')
}
