/** The markup that was set in the console, and since when. It has priority over the configuration's. */
import type { Settings } from '../store/settings.ts'

const settingName = 'markup'

export interface ConsoleMarkup {
  /** `5%`; null: no markup, even if one is configured. */
  readonly markup: string | null
  readonly fromMs: number
}

/** undefined: none was ever set. */
export async function readMarkup(settings: Pick<Settings, 'get'>): Promise<ConsoleMarkup | undefined> {
  const text = await settings.get(settingName)
  return text === undefined ? undefined : (JSON.parse(text) as ConsoleMarkup)
}

export function writeMarkup(settings: Pick<Settings, 'put'>, markup: ConsoleMarkup): Promise<void> {
  return settings.put(settingName, JSON.stringify(markup))
}
