/** The result of the last verification of the ledger. */
import type { Settings } from '../../store/settings.ts'

const settingName = 'ledger_verified'

export interface VerificationSummary {
  readonly atMs: number
  /** How many contradictions it named. */
  readonly lines: number
}

export async function readLastVerification(
  settings: Pick<Settings, 'get'>,
): Promise<VerificationSummary | undefined> {
  const text = await settings.get(settingName)
  return text === undefined ? undefined : (JSON.parse(text) as VerificationSummary)
}

export function saveVerification(
  settings: Pick<Settings, 'put'>,
  verified: VerificationSummary,
): Promise<void> {
  return settings.put(settingName, JSON.stringify(verified))
}
