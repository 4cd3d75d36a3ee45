/** Bars by time, drawn without a library: small series on cards. What they show stands in a table for those who do not see. */
import type { JSX } from 'react'
import { cn } from '@/lib/class-names'

export interface Bar {
  readonly id: string
  /** "5 Nov", "14:00". */
  readonly label: string
  readonly value: number
  /** The value in words: "$0.41". */
  readonly text: string
}

export interface BarsProps {
  readonly label: string
  readonly bars: readonly Bar[]
  readonly className?: string
}

export function Bars({ label, bars, className }: BarsProps): JSX.Element {
  const largest = Math.max(0, ...bars.map(({ value }) => value))
  const width = 100 / Math.max(1, bars.length)
  return (
    <figure className={cn('min-w-0', className)}>
      <svg
        viewBox="0 0 100 40"
        preserveAspectRatio="none"
        aria-hidden="true"
        className="block h-full min-h-16 w-full"
      >
        <line x1="0" y1="39.75" x2="100" y2="39.75" className="stroke-line" strokeWidth="0.5" />
        {bars.map((bar, index) => {
          const height = largest === 0 ? 0 : (bar.value / largest) * 38
          return (
            <rect
              key={bar.id}
              x={index * width + width * 0.12}
              width={width * 0.76}
              y={39.5 - height}
              height={height}
              className="fill-accent hover:fill-accent-strong"
            >
              <title>{`${bar.label}: ${bar.text}`}</title>
            </rect>
          )
        })}
      </svg>
      <table className="sr-only">
        <caption>{label}</caption>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.id}>
              <th scope="row">{bar.label}</th>
              <td>{bar.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}
