/** The chosen theme and what is shown, for components. */
import { useSyncExternalStore } from 'react'
import { chosenTheme, onThemeChange, type Theme } from './theme-choice.ts'

/** The choice. */
export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, chosenTheme)
}

/** What is shown: charts draw by it. */
export function useIsDark(): boolean {
  return useSyncExternalStore(onThemeChange, () => document.documentElement.dataset.theme === 'dark')
}
