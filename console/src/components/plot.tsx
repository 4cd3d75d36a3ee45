/** Draws a chart with uPlot, which stands in a chunk of its own. Draws only; what it shows is decided by `chart.tsx`. */
import { type JSX, useEffect, useRef } from 'react'
import UPlot, { type AlignedData, type Options, type Series as PlotSeries } from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useIsDark } from '@/lib/theme'
import type { ChartProps } from './chart.tsx'
import { seriesColours } from './series-colours.ts'

export function Plot(props: ChartProps & { readonly height: number }): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  const isDark = useIsDark()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours come from the page, so another theme draws anew.
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const plot = new UPlot(optionsOf(props, element), dataOf(props), element)
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: props.height }),
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [props, isDark])
  // Out of the flow: what was drawn for a wide window must not keep a narrow one wide.
  return <div ref={place} role="img" aria-label={props.label} className="absolute inset-0 overflow-hidden" />
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

function optionsOf(props: ChartProps & { height: number }, element: HTMLElement): Options {
  const { series, format, formatTime, kind = 'line', height } = props
  const ink = colour('--ink-soft')
  const line = colour('--line')
  const axis = { stroke: ink, font: '12px "Inter Variable", sans-serif', ticks: { show: false } }
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'line' } },
    // The last mark of the axis may stand at the edge.
    padding: [8, labelWidth(props) / 3, 0, 0],
    // Steps begin in UTC, so their marks on the axis stand there too.
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: { time: true, range: rangeOf(props) },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        space: labelWidth(props),
        grid: { show: false },
        values: (_plot, at) => at.map((s) => shortTime(s, formatTime)),
      },
      {
        ...axis,
        size: (_plot, values) => widthOf(values),
        grid: { stroke: line, width: 1 },
        values: (_plot, values) => values.map((value) => format(value)),
      },
    ],
    series: [{}, ...series.map((_, index) => seriesOf(index, kind, series.length))],
    plugins: [hint(props)],
  }
}

/** Bars stand around their moment: the first and the last one need room for their other half. */
function rangeOf({
  times,
  kind = 'line',
}: ChartProps): (plot: UPlot, low: number, high: number) => [number, number] {
  const [first = '', second = first] = times
  const half = kind === 'line' ? 0 : (Date.parse(second) - Date.parse(first)) / 2_000 || 1_800
  return (_plot, low, high) => [low - half, high + half]
}

/** In pixels, so that the marks of the axis do not touch. */
function labelWidth({ times, formatTime }: ChartProps): number {
  const [first] = times
  return first === undefined ? 60 : 24 + 6.5 * formatTime(first).length
}

/** In pixels, for the longest mark: tiny amounts have many digits. */
function widthOf(values: readonly string[] | null): number {
  return Math.max(64, ...(values ?? []).map((text) => 16 + 7 * text.length))
}

function shortTime(seconds: number, formatTime: ChartProps['formatTime']): string {
  return formatTime(new Date(seconds * 1_000).toISOString())
}

function seriesOf(index: number, kind: NonNullable<ChartProps['kind']>, total: number): PlotSeries {
  const stroke = seriesColours[index % seriesColours.length] ?? seriesColours[0]
  if (kind === 'line')
    return { stroke, width: 2, points: { show: false }, ...(total === 1 ? { fill: `${stroke}1f` } : {}) }
  const bars = UPlot.paths.bars?.({ size: [0.7, 40] })
  return {
    stroke,
    fill: stroke,
    width: 0,
    points: { show: false },
    ...(bars === undefined ? {} : { paths: bars }),
  }
}

/** Stacked series are drawn from the largest sum to the smallest, each over the one before. */
function dataOf({ times, series, kind }: ChartProps): AlignedData {
  const at = times.map((iso) => Date.parse(iso) / 1_000)
  if (kind !== 'stacked') return [at, ...series.map(({ values }) => [...values])]
  const sums = series.map((_, place) =>
    times.map((_, index) => series.slice(place).reduce((sum, { values }) => sum + (values[index] ?? 0), 0)),
  )
  return [at, ...sums]
}

/** Says beside the pointer what stands there. */
function hint({ times, series, format, exact, formatTime }: ChartProps): UPlot.Plugin {
  const box = document.createElement('div')
  box.className =
    'pointer-events-none absolute top-2 z-10 rounded-md border border-line bg-raised px-2.5 py-1.5 text-sm whitespace-nowrap shadow-lg shadow-black/5'
  box.hidden = true
  return {
    hooks: {
      init: (plot) => plot.over.append(box),
      setCursor(plot) {
        const index = plot.cursor.idx
        const at = index == null ? undefined : times[index]
        box.hidden = at === undefined
        if (index == null || at === undefined) return
        const rows = series.map(
          (one) => `${one.label}: ${exact?.(one, index) ?? format(one.values[index] ?? 0)}`,
        )
        box.replaceChildren(...[formatTime(at), ...rows].map(paragraph))
        const left = plot.cursor.left ?? 0
        const isRight = left > plot.over.clientWidth / 2
        box.style.left = isRight ? '' : `${left + 12}px`
        box.style.right = isRight ? `${plot.over.clientWidth - left + 12}px` : ''
      },
    },
  }
}

function paragraph(text: string): HTMLElement {
  const element = document.createElement('p')
  element.textContent = text
  return element
}
