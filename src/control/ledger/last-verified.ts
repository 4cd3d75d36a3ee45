/** What the last verification of the ledger found, for those who look later. */
import type { Settings } from '../../store/settings.ts'

const settingName = 'ledger_verified'

export interface Verified {
  readonly atMs: number
  /** How many contradictions it named. */
  readonly lines: number
}

export async function lastVerified(settings: Pick<Settings, 'get'>): Promise<Verified | undefined> {
  const text = await settings.get(settingName)
  return text === undefined ? undefined : (JSON.parse(text) as Verified)
}

export function keepVerified(settings: Pick<Settings, 'put'>, verified: Verified): Promise<void> {
  return settings.put(settingName, JSON.stringify(verified))
}
