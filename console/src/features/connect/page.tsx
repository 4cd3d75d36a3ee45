/**
 * Connect: how each client is configured for this server, with the person's own base URL and a model of their choice.
 * The client and the model are in the URL; the key never is.
 */
import { useQueryClient } from '@tanstack/react-query'
import { type JSX, useEffect, useRef, useState } from 'react'
import { Banner } from '@/components/banner'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Combobox } from '@/components/combobox'
import { Field } from '@/components/field'
import { Plus, Search as SearchIcon } from '@/components/icons'
import { Input } from '@/components/input'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { useAccount, useMay } from '@/lib/account'
import { cn } from '@/lib/class-names'
import { useFreshKey } from '@/lib/fresh-key'
import { useChanged } from '@/lib/live'
import { useOperation } from '@/lib/operations'
import { useSearch, useSetSearch } from '@/lib/search'
import { CreateKeyDialog } from '../keys/create-key-dialog.tsx'
import { isChatModel, type PricedModel, usePricedModels } from '../pricing/price-list.ts'
import { Arrival } from './arrival.tsx'
import { modelFor } from './model-choice.ts'
import { ModelSelect } from './model-select.tsx'
import { NoModels } from './no-models.tsx'
import { type Recipe, recipeOf, recipes } from './recipes.ts'
import { Steps } from './steps.tsx'

const groups = ['Command line', 'Libraries', 'Agents', 'Editors', 'Frameworks'] as const
const [firstRecipe] = recipes

export function ConnectPage(): JSX.Element {
  const account = useAccount()
  const recipe = recipeOf(useSearch().client) ?? recipeOf('curl') ?? firstRecipe
  if (recipe === undefined) throw new Error('there are recipes')
  const [isCreating, setCreating] = useState(false)
  const mayCreate = useMay('owner', 'admin', 'developer')
  const open = (): void => setCreating(true)
  return (
    <Page
      title="Connect"
      description="Connect any client with one base URL and one API key. Every model works in the API format your client already speaks."
    >
      <NoKeyYet account={account.id} onCreate={open} />
      <div className="grid items-start gap-6 lg:grid-cols-[13rem_minmax(0,1fr)]">
        <Clients chosen={recipe} />
        {/* What has the focus is scrolled clear of the notice that stays in sight. */}
        <div className="flex min-w-0 flex-col gap-4 [&_button]:scroll-mt-32 [&_pre]:scroll-mt-32 [&_select]:scroll-mt-32">
          <Arrival account={account.id} />
          <Recipes recipe={recipe} account={account.id} onCreateKey={mayCreate ? open : undefined} />
        </div>
      </div>
      <CreateKeyDialog open={isCreating} onClose={() => setCreating(false)} />
    </Page>
  )
}

interface NoKeyYetProps {
  readonly account: string
  readonly onCreate: () => void
}

function NoKeyYet({ account, onCreate }: NoKeyYetProps): JSX.Element | null {
  const keys = useOperation('key.list', { account })
  const mayMake = useMay('owner', 'admin', 'developer')
  const fresh = useFreshKey(account)
  const live = keys.data?.filter(({ builtIn, revoked }) => !builtIn && revoked === null)
  if (live === undefined || live.length > 0 || fresh !== undefined) return null
  return (
    <Banner
      title="You need an API key first."
      action={
        mayMake ? (
          <Button size="small" variant="primary" onClick={onCreate}>
            Create API key
          </Button>
        ) : undefined
      }
    >
      {mayMake
        ? 'It is shown once and filled into the instructions below.'
        : 'An owner, admin or developer of this account can create one.'}
    </Banner>
  )
}

function Clients({ chosen }: { readonly chosen: Recipe }): JSX.Element {
  const setSearch = useSetSearch()
  const [wanted, setWanted] = useState('')
  const found = clientsNamed(wanted)
  return (
    <>
      <Field label="Client" className="lg:hidden">
        <Combobox
          searchLabel="Search clients"
          groups={clientsNamed('').map(({ group, clients }) => ({
            heading: group,
            options: clients.map(({ id, name }) => ({ value: id, label: name })),
          }))}
          value={chosen.id}
          onChange={(client) => setSearch({ client })}
        />
      </Field>
      <div className="taller:sticky taller:max-h-[calc(100dvh-13rem)] top-20 flex flex-col gap-3 max-lg:hidden">
        <span className="relative block shrink-0">
          <SearchIcon
            aria-hidden="true"
            className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-soft"
          />
          <Input
            type="search"
            aria-label="Search clients"
            placeholder="Search clients"
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
            className="pl-9"
          />
        </span>
        <nav aria-label="Clients" className="relative flex min-h-0 flex-col gap-4 overflow-y-auto">
          {found.map(({ group, clients }) => (
            <div key={group}>
              <p className="px-3 pb-1 text-sm font-medium text-ink-soft">{group}</p>
              <ul className="flex flex-col gap-0.5">
                {clients.map(({ id, name }) => (
                  <li key={id}>
                    <ClientLink id={id} name={name} isHere={id === chosen.id} />
                  </li>
                ))}
              </ul>
            </div>
          ))}
          {found.length > 0 ? null : (
            <p className="px-3 text-sm text-ink-soft">
              No client of this name. One that lets you set a base URL works like the OpenAI SDK.
            </p>
          )}
          {/* The list continues below what is in sight. */}
          <span
            aria-hidden="true"
            className="pointer-events-none sticky bottom-0 -mt-4 h-8 shrink-0 bg-linear-to-t from-page to-transparent"
          />
        </nav>
      </div>
    </>
  )
}

/** Groups with the clients whose names contain the text; groups without one are left out. */
function clientsNamed(
  text: string,
): readonly { readonly group: (typeof groups)[number]; readonly clients: readonly Recipe[] }[] {
  const wanted = text.trim().toLowerCase()
  return groups
    .map((group) => ({
      group,
      clients: recipes.filter(
        (recipe) => recipe.group === group && recipe.name.toLowerCase().includes(wanted),
      ),
    }))
    .filter(({ clients }) => clients.length > 0)
}

/** Scrolls the list, which is longer than most windows, without moving the page. */
function bringIntoSight(link: HTMLElement): void {
  const list = link.closest('nav')
  if (list === null) return
  const { offsetTop, offsetHeight } = link
  const isInSight =
    offsetTop >= list.scrollTop && offsetTop + offsetHeight <= list.scrollTop + list.clientHeight
  if (!isInSight) list.scrollTop = offsetTop - list.clientHeight / 2
}

function ClientLink({
  id,
  name,
  isHere,
}: {
  readonly id: string
  readonly name: string
  readonly isHere: boolean
}): JSX.Element {
  const setSearch = useSetSearch()
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isHere && button.current !== null) bringIntoSight(button.current)
  }, [isHere])
  return (
    <button
      ref={button}
      type="button"
      aria-current={isHere ? 'true' : undefined}
      onClick={() => setSearch({ client: id })}
      className={cn(
        'flex h-8 w-full items-center rounded-md px-3 text-left text-ink-soft transition-colors hover:bg-sunken hover:text-ink',
        isHere && 'bg-accent-soft font-medium text-accent hover:bg-accent-soft hover:text-accent',
      )}
    >
      {name}
    </button>
  )
}

interface RecipesProps {
  readonly recipe: Recipe
  readonly account: string
  /** undefined: this role cannot. */
  readonly onCreateKey: (() => void) | undefined
}

function Recipes(props: RecipesProps): JSX.Element {
  const installation = useOperation('installation.show')
  const sold = usePricedModels()
  const client = useQueryClient()
  useChanged('models', () => void client.invalidateQueries({ queryKey: ['pricing'] }))
  const problem = installation.error ?? sold.error
  if (problem !== null) {
    const again = (): void => void Promise.all([installation.refetch(), sold.refetch()])
    return <Problem problem={problem} onRetry={again} />
  }
  if (installation.data === undefined || sold.data === undefined) {
    return <Skeleton className="h-112 rounded-xl" />
  }
  const models = sold.data.filter(isChatModel)
  return <RecipeCard {...props} address={installation.data.address} models={models} />
}

interface RecipeCardProps extends RecipesProps {
  readonly address: string
  readonly models: readonly PricedModel[]
}

function RecipeCard({ recipe, account, onCreateKey, address, models }: RecipeCardProps): JSX.Element {
  const chosen = useSearch().model
  const setSearch = useSetSearch()
  const key = useFreshKey(account) ?? null
  const model = modelFor(models, recipe, chosen)
  if (model === undefined) {
    return <NoModels />
  }
  const facts = { address, model: { name: model.model, formats: model.formats }, key }
  const notes = recipe.notes(facts)
  const blocker = recipe.blocker?.(facts) ?? null
  return (
    <Card title={recipe.name} description={recipe.about}>
      <div className="flex flex-col gap-6">
        {blocker === null ? null : (
          <Banner tone="warn" title={`${recipe.name} cannot reach this server.`}>
            {blocker}
          </Banner>
        )}
        <Field
          label="Model"
          hint={`${model.provider === 'sandbox' ? 'A built-in test model; sandbox-echo repeats your message. ' : ''}Requests are translated when needed.`}
        >
          <ModelSelect models={models} value={model.model} onChange={(name) => setSearch({ model: name })} />
        </Field>
        <Steps
          steps={recipe.steps(facts)}
          keyAction={
            onCreateKey === undefined ? null : (
              <Button size="small" className="self-start" onClick={onCreateKey}>
                <Plus aria-hidden="true" />
                Create a key
              </Button>
            )
          }
        />
        {notes.length === 0 ? null : (
          <ul className="list-disc space-y-1.5 border-t border-line pt-4 pl-5 text-ink-soft">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  )
}
