/** Light, dark or the system's theme. */

import type { JSX } from 'react'
import { Button } from '@/components/button'
import { Monitor, Moon, Sun } from '@/components/icons'
import { Menu, MenuItem } from '@/components/menu'
import { useIsDark, useTheme } from '@/lib/theme'
import { setTheme, type Theme } from '@/lib/theme-choice'

const choices: readonly (readonly [theme: Theme, label: string, Icon: typeof Sun])[] = [
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
  ['system', 'System', Monitor],
]

export function ThemeMenu(): JSX.Element {
  const theme = useTheme()
  const isDark = useIsDark()
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="icon" aria-label="Theme">
          {isDark ? <Moon aria-hidden="true" /> : <Sun aria-hidden="true" />}
        </Button>
      }
    >
      {choices.map(([choice, label, Icon]) => (
        <MenuItem
          key={choice}
          icon={<Icon aria-hidden="true" />}
          checked={theme === choice}
          onSelect={() => setTheme(choice)}
        >
          {label}
        </MenuItem>
      ))}
    </Menu>
  )
}
