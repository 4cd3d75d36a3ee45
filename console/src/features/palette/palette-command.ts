/** An entry of the command palette, and a group of entries. Types only. */
import type { Icon } from '@/components/icons'

export interface PaletteCommand {
  readonly id: string
  readonly label: string
  /** Search terms besides the label. */
  readonly keywords?: string
  readonly hint?: string
  readonly Icon: Icon
  /** Marks the current choice. */
  readonly isCurrent?: boolean
  readonly run: () => void
}

export interface PaletteGroup {
  readonly heading: string
  readonly commands: readonly PaletteCommand[]
}
