/** All details of a model: price classes, tiers, options, fees, capabilities and upcoming prices. */

import type { JSX, ReactNode } from 'react'
import { Badge } from '@/components/badge'
import { When } from '@/components/when'
import { count, day } from '@/lib/format'
import { exactUsd } from '@/lib/usd'
import { formatLabel } from '../../../../contract/formats.ts'
import { pricedMeters } from '../../../../contract/meters.ts'
import type { Price, PricedModel } from './price-list.ts'
import { type Capability, capabilities } from './pricing-view.ts'

const classes = pricedMeters.map(({ rate, priceLabel }) => [rate, priceLabel] as const)

export function ModelDetails({ model }: { readonly model: PricedModel }): JSX.Element {
  const { price } = model
  const options = Object.entries(price.options)
  const fees = Object.entries(price.fees)
  return (
    <div className="grid grid-cols-1 gap-x-10 gap-y-6 md:grid-cols-2">
      <Part title="USD per million tokens">
        <RatesTable price={price} />
      </Part>
      <div className="flex min-w-0 flex-col gap-6">
        {options.length === 0 ? null : (
          <Part title="Price multipliers">
            <Pairs rows={options.map(([name, factor]) => [name, `× ${factor}`])} mono />
          </Part>
        )}
        {fees.length === 0 ? null : (
          <Part title="Provider tools, per use">
            <Pairs rows={fees.map(([name, fee]) => [name, exactUsd(fee)])} mono />
          </Part>
        )}
        {model.otherTimes.length === 0 ? null : (
          <Part title="Prices by time of day, UTC">
            <Pairs
              rows={[price, ...model.otherTimes].map((one) => [
                one.schedule?.join(', ') ?? 'at other times',
                `${exactUsd(one.input)} in, ${exactUsd(one.output)} out`,
              ])}
            />
          </Part>
        )}
        {model.next.length === 0 ? null : (
          <Part title="Upcoming prices">
            <Pairs
              rows={model.next.map((next) => [
                `from ${day(next.effectiveFrom)}`,
                `${exactUsd(next.input)} in, ${exactUsd(next.output)} out`,
              ])}
            />
          </Part>
        )}
        <Part title="Details">
          <Pairs
            rows={[
              ['Input types', model.inputs.join(', ')],
              ['Output types', model.outputs.join(', ')],
              ['Max input', `${count(model.inputTokensMax)} tokens`],
              ['Native format', model.formats.map(formatLabel).join(', ')],
              ...(model.released === null ? [] : [['Released', day(model.released)] as const]),
              ...(Date.parse(price.effectiveFrom) === 0
                ? []
                : [['Effective since', <When key="from" at={price.effectiveFrom} exact />] as const]),
            ]}
          />
        </Part>
      </div>
    </div>
  )
}

function RatesTable({ price }: { readonly price: Price }): JSX.Element {
  const shown = classes.filter(([name]) => price[name] !== null)
  return (
    <section
      aria-label="Prices by token type"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
      tabIndex={0}
      className="overflow-x-auto"
    >
      <table className="w-full text-left">
        <thead>
          <tr className="border-b border-line text-sm text-ink-soft">
            <th scope="col" className="py-1.5 pr-3 font-medium">
              Tokens
            </th>
            <th scope="col" className="py-1.5 text-right font-medium">
              {price.tiers.length === 0 ? 'Price' : 'Standard'}
            </th>
            {price.tiers.map(({ aboveInputTokens }) => (
              <th
                key={aboveInputTokens}
                scope="col"
                className="py-1.5 pl-3 text-right font-medium whitespace-nowrap"
              >
                input over {count(aboveInputTokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(([name, label]) => (
            <tr key={name} className="border-b border-line last:border-0">
              <th scope="row" className="py-1.5 pr-3 font-normal whitespace-nowrap">
                {label}
              </th>
              <td className="tabular py-1.5 text-right">{exactUsd(price[name] ?? '')}</td>
              {price.tiers.map((tier) => (
                <td key={tier.aboveInputTokens} className="tabular py-1.5 pl-3 text-right">
                  {exactUsd(tier[name] ?? '')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {price.tiers.length === 0 ? null : (
        <p className="mt-2 text-sm text-ink-soft">The higher price applies to the whole request.</p>
      )}
    </section>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): JSX.Element {
  return (
    <div className="min-w-0">
      <h3 className="mb-1.5 text-sm font-semibold">{title}</h3>
      {children}
    </div>
  )
}

function Pairs({
  rows,
  mono = false,
}: {
  readonly rows: readonly (readonly [string, ReactNode])[]
  readonly mono?: boolean
}): JSX.Element {
  return (
    <dl>
      {rows.map(([name, value]) => (
        <div key={name} className="flex justify-between gap-6 border-b border-line py-1.5 last:border-0">
          <dt className={mono ? 'font-mono text-[0.8125rem]' : 'whitespace-nowrap text-ink-soft'}>{name}</dt>
          <dd className="tabular min-w-0 text-right break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A model's capabilities as labels. */
export function Abilities({ model }: { readonly model: PricedModel }): JSX.Element {
  const able = (Object.keys(capabilities) as Capability[]).filter((name) => capabilities[name].has(model))
  return (
    <span className="flex flex-wrap gap-1">
      {model.deprecated ? <Badge tone="warn">Deprecated</Badge> : null}
      {model.next.length === 0 ? null : <Badge tone="info">Price changes</Badge>}
      {model.otherTimes.length === 0 ? null : <Badge tone="info">Price varies by time</Badge>}
      {able.map((name) => (
        <Badge key={name}>{capabilities[name].label}</Badge>
      ))}
    </span>
  )
}
