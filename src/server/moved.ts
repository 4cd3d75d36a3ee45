/** The mark of a data folder whose contents were moved to PostgreSQL: no server may serve from it by accident. */
import type { Settings } from '../store/settings.ts'

/** In the moved folder, and in the database that it was moved to. */
export const movedSetting = 'moved'

export interface Moved {
  /** The same in both. */
  readonly id: string
  /** Host and database, without user and password. */
  readonly to: string
  readonly atMs: number
}

export const movedText = (moved: Moved): string => JSON.stringify(moved)
export const movedOf = (text: string): Moved => JSON.parse(text) as Moved

/** Why nothing may serve from this folder; null: it was not moved. */
export async function rejectionOfMoved(settings: Settings): Promise<string | null> {
  const text = await settings.get(movedSetting)
  return text === undefined ? null : rejectionText(movedOf(text))
}

export function rejectionText({ to, atMs }: Moved): string {
  const at = new Date(atMs).toISOString()
  return (
    `This installation was moved to PostgreSQL (${to}) at ${at}: start with DATABASE_URL. ` +
    'If the move was interrupted, run it again. To serve from this data folder again, run tollgate move cancel.'
  )
}
