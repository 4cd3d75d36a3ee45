/**
 * Small facts that the installation remembers about itself, by name: text in, text out. Nothing that
 * is read for every request, and no secret in the clear.
 */
import type { Store } from './store.ts'

export interface Settings {
  get(name: string): Promise<string | undefined>
  put(name: string, value: string): Promise<void>
  /** Puts the value unless there is one; returns the one that stands, so that two callers agree. */
  claim(name: string, value: string): Promise<string>
  /** Those whose names begin so. */
  beginning(start: string): Promise<readonly { readonly name: string; readonly value: string }[]>
  remove(name: string): Promise<void>
}

export function settingsOf({ database }: Pick<Store, 'database'>): Settings {
  const get = async (name: string): Promise<string | undefined> =>
    (await database.selectFrom('setting').select('value').where('name', '=', name).executeTakeFirst())?.value
  return {
    get,
    async put(name, value) {
      await database
        .insertInto('setting')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute()
    },
    async claim(name, value) {
      await database
        .insertInto('setting')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
      return (await get(name)) ?? value
    },
    beginning: (start) =>
      database
        .selectFrom('setting')
        .select(['name', 'value'])
        .where('name', '>=', start)
        .where('name', '<', `${start}\u{10ffff}`)
        .execute(),
    async remove(name) {
      await database.deleteFrom('setting').where('name', '=', name).execute()
    },
  }
}
