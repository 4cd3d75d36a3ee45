/** Reads and changes people and their memberships. Must not judge a session or know better-auth. */
import type { Expression, Selectable } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import { TollgateError } from '../../base/errors.ts'
import type { RandomBytes } from '../../base/ids.ts'
import { roleOf } from '../organizations/roles.ts'
import { isCommonPassword, type Passwords } from '../sign-in/passwords.ts'
import type { IdentityDatabase, IdentityStore } from '../store/database.ts'
import { type PersonRow, personOf } from '../store/person-row.ts'
import type { MemberTable } from '../store/tables.ts'
import type { Identity, Member, NewPerson, PeopleFilter, Person } from '../types.ts'

export type People = Pick<
  Identity,
  | 'findPerson'
  | 'findPersonByEmail'
  | 'listPeople'
  | 'listMemberships'
  | 'listMembers'
  | 'confirm'
  | 'setOperator'
  | 'createOperator'
>

export interface PeopleDeps extends Pick<IdentityStore, 'database' | 'transact'> {
  readonly clock: Clock
  readonly random: RandomBytes
  readonly passwords: Passwords
}

const idBytes = 16

export function openPeople(deps: PeopleDeps): People {
  const { database } = deps
  const find = async (column: 'id' | 'email', value: string): Promise<Person | undefined> => {
    const row = await database
      .selectFrom('auth_user')
      .selectAll()
      .where(column, '=', value)
      .executeTakeFirst()
    return row === undefined ? undefined : personOf(row)
  }
  return {
    findPerson: (id) => find('id', id),
    findPersonByEmail: (email) => find('email', email.toLowerCase()),
    listPeople: (filter) => list(database, filter),
    async listMemberships(person) {
      const rows = await database
        .selectFrom('auth_member')
        .innerJoin('auth_organization', 'auth_organization.id', 'auth_member.organizationId')
        .select(['auth_organization.id as organization', 'auth_organization.name as name'])
        .select(['auth_member.role as role', 'auth_member.createdAt as since'])
        .where('auth_member.userId', '=', person)
        .orderBy('auth_member.createdAt')
        .execute()
      return rows.map(({ organization, name, role, since }) => ({
        organization,
        name,
        role: roleOf(role),
        sinceMs: Date.parse(since),
      }))
    },
    listMembers: (organization) => membersOf(database, organization),
    async confirm(person) {
      await database.updateTable('auth_user').set({ confirmed: 1 }).where('id', '=', person).execute()
      return existing(await find('id', person))
    },
    setOperator: (person, operator) => setOperator(database, person, operator),
    async createOperator(asked) {
      if ((await find('email', asked.email.toLowerCase())) !== undefined) return 'exists'
      return existing(await find('id', await insertOperator(deps, asked)))
    },
  }
}

function existing(person: Person | undefined): Person {
  if (person !== undefined) return person
  throw new TollgateError('person_not_found', { message: 'Person not found.', param: 'person' })
}

async function list(
  database: IdentityDatabase,
  { state, search, limit }: PeopleFilter,
): Promise<readonly Person[]> {
  let query = database.selectFrom('auth_user').selectAll()
  if (state === 'operators') query = query.where('operator', '=', 1)
  if (state === 'to_confirm')
    query = query
      .where('emailVerified', '=', 0)
      .where((row) => row.or([row('confirmed', 'is', null), row('confirmed', '=', 0)]))
  if (search !== null && search !== '') {
    const part = search.toLowerCase()
    query = query.where((row) => {
      // Without a pattern, whose characters would have to be escaped; each database calls its search function differently.
      const has = (text: Expression<string>) =>
        row(row.fn<string>('replace', [text, row.val(part), row.val('')]), '<>', text)
      return row.or([has(row.ref('email')), has(row.fn<string>('lower', ['name']))])
    })
  }
  const rows = await query.orderBy('createdAt', 'desc').limit(limit).execute()
  return rows.map(personOf)
}

type MemberRow = PersonRow & Pick<Selectable<MemberTable>, 'role'> & { readonly since: string }

async function membersOf(database: IdentityDatabase, organization: string): Promise<readonly Member[]> {
  const rows: readonly MemberRow[] = await database
    .selectFrom('auth_member')
    .innerJoin('auth_user', 'auth_user.id', 'auth_member.userId')
    .selectAll('auth_user')
    .select(['auth_member.role as role', 'auth_member.createdAt as since'])
    .where('auth_member.organizationId', '=', organization)
    .orderBy('auth_member.createdAt')
    .execute()
  return rows.map((row) => ({
    person: personOf(row),
    role: roleOf(row.role),
    sinceMs: Date.parse(row.since),
  }))
}

/** Uses a single statement, so that concurrent calls cannot remove the last two operators. */
async function setOperator(
  database: IdentityDatabase,
  person: string,
  operator: boolean,
): Promise<'done' | 'last'> {
  if (operator) {
    await database.updateTable('auth_user').set({ operator: 1 }).where('id', '=', person).execute()
    return 'done'
  }
  const { numUpdatedRows } = await database
    .updateTable('auth_user')
    .set({ operator: 0 })
    .where('id', '=', person)
    .where((row) =>
      row.exists(
        row
          .selectFrom('auth_user as other')
          .select('other.id')
          .where('other.operator', '=', 1)
          .where('other.id', '<>', person),
      ),
    )
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) return 'done'
  const row = await database
    .selectFrom('auth_user')
    .select('operator')
    .where('id', '=', person)
    .executeTakeFirst()
  return row?.operator === 1 ? 'last' : 'done'
}

async function insertOperator(deps: PeopleDeps, asked: NewPerson) {
  const { database, transact, clock, random, passwords } = deps
  const email = asked.email.toLowerCase()
  if (isCommonPassword(asked.password, email)) {
    throw new TollgateError('invalid_value', {
      message: 'This password is too common. Choose another one.',
      param: 'password',
    })
  }
  const password = await passwords.hash(asked.password)
  const now = new Date(clock.wallMs()).toISOString()
  const [id, login] = [newId(random), newId(random)]
  const times = { createdAt: now, updatedAt: now }
  const user = { id, name: asked.name, email, emailVerified: 1, operator: 1, confirmed: 1, ...times }
  transact(({ change }) => {
    change(database.insertInto('auth_user').values({ ...user, image: null, lastSeenAt: null }))
    change(
      database
        .insertInto('auth_account')
        .values({ id: login, accountId: id, providerId: 'credential', userId: id, password, ...times }),
    )
  })
  return id
}

const newId = (random: RandomBytes) => Buffer.from(random(idBytes)).toString('hex')
