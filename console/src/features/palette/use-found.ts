/** Search results of the command palette: a few models, people, accounts and error codes. */
import { errorCodes } from 'virtual:error-codes'
import { Boxes, ReceiptText, ScrollText, User } from '@/components/icons'
import { useMe } from '@/lib/account'
import { matchScore } from '@/lib/match-score'
import { useOperation } from '@/lib/operations'
import { useAvailableModels } from '../keys/available-models.ts'
import type { PaletteCommand, PaletteGroup } from './palette-command.ts'
import { useGo } from './use-go.ts'

const foundMax = 5
/** A single letter matches nearly every person. */
const lettersMin = 2

export function useFound(search: string): readonly PaletteGroup[] {
  const models = useModels(search)
  const people = usePeople(search.trim())
  return [models, people, errorPages(search)]
}

function best(commands: readonly PaletteCommand[], search: string): readonly PaletteCommand[] {
  return commands
    .map((command) => ({ command, score: matchScore(`${command.label} ${command.keywords ?? ''}`, search) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, foundMax)
    .map(({ command }) => command)
}

function useModels(search: string): PaletteGroup {
  const { operator } = useMe().person
  const go = useGo()
  const models = useAvailableModels()
  const commands = (models.data ?? []).map(({ model, displayName, provider }) => ({
    id: `model ${model}`,
    label: model,
    keywords: `${displayName} ${provider} model price`,
    hint: displayName === model ? provider : displayName,
    Icon: Boxes,
    run: () =>
      operator ? go(`/console/admin/models/${encodeURIComponent(model)}`) : go('/pricing', { q: model }),
  }))
  return { heading: 'Models', commands: search.trim() === '' ? [] : best(commands, search) }
}

/** Accounts of organizations have no person of their own, so both are searched. */
function usePeople(search: string): PaletteGroup {
  const { operator } = useMe().person
  const go = useGo()
  const enabled = operator && search.length >= lettersMin
  const ask = { search, limit: foundMax }
  const people = useOperation('people.list', ask, { enabled, keep: true })
  const accounts = useOperation('account.list', ask, { enabled, keep: true })
  if (!enabled) return { heading: 'People and accounts', commands: [] }
  const found = people.data ?? []
  const owned = new Set(found.map(({ account }) => account))
  return {
    heading: 'People and accounts',
    commands: [
      ...found.map(({ id, name, email, account }) => ({
        id: `person ${id}`,
        label: name,
        keywords: `${email} ${account ?? ''} person user`,
        hint: email,
        Icon: User,
        run: () =>
          account === null
            ? go('/console/admin/people', { q: email })
            : go(`/console/admin/accounts/${account}`),
      })),
      ...(accounts.data ?? [])
        .filter(({ account }) => !owned.has(account))
        .map(({ account, name }) => ({
          id: `account ${account}`,
          label: name,
          keywords: `${account} account`,
          hint: account,
          Icon: ReceiptText,
          run: () => go(`/console/admin/accounts/${account}`),
        })),
    ],
  }
}

/** An error is looked up by its code, as it is in a response. */
function errorPages(search: string): PaletteGroup {
  const commands = errorCodes.map(([code, title]) => ({
    id: `error ${code}`,
    label: title,
    keywords: `${code} ${code.replaceAll('_', ' ')} error`,
    hint: code,
    Icon: ScrollText,
    run: () => location.assign(`/docs/errors/${code}`),
  }))
  return { heading: 'Errors', commands: search.trim().length < lettersMin ? [] : best(commands, search) }
}
