/** The installation's settings in its database, text by name. Not for what each request reads, nor for secrets in plain text. */
import type { Store } from './store.ts'

export interface Settings {
  get(name: string): Promise<string | undefined>
  put(name: string, value: string): Promise<void>
  /** Inserts the value unless there is one; returns the stored one, so that concurrent callers agree. */
  claim(name: string, value: string): Promise<string>
  /** The settings whose names begin with `start`. */
  listByPrefix(start: string): Promise<readonly { readonly name: string; readonly value: string }[]>
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
    listByPrefix: (start) =>
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
