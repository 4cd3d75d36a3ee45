/** Draws a chart with uPlot, in a separate chunk. `chart.tsx` decides what it shows. */
import { type JSX, useEffect, useLayoutEffect, useRef } from 'react'
import UPlot, { type AlignedData, type Options, type Series as PlotSeries } from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useIsDark } from '@/lib/theme'
import type { ChartProps, Series } from './chart-props.ts'
import { colorOf } from './series-colors.ts'
import { ticksTo } from './ticks.ts'

/** The latest props, read by the plot's callbacks. */
type Latest = () => PlotProps
const axisFont = '12px "Inter Variable", sans-serif'
type PlotProps = ChartProps & { readonly height: number }

export function Plot(props: PlotProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  const drawn = useRef<UPlot>(undefined)
  const isDark = useIsDark()
  useLayoutEffect(() => {
    latest.current = props
  })
  const { kind, height, series, times } = props
  const look = `${isDark} ${kind} ${height} ${series.map((one, index) => colorOf(one, index)).join(' ')}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a different look needs a new plot; other values are updated below.
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const ask = (): PlotProps => latest.current
    const plot = new UPlot(optionsOf(ask, element), dataOf(ask()), element)
    drawn.current = plot
    // A canvas drawn before the font arrived shows a fallback font.
    void document.fonts.load(axisFont).then(() => {
      if (drawn.current === plot) plot.redraw(false, true)
    })
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
      drawn.current = undefined
    }
  }, [look])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tooltip stays while values arrive.
  useEffect(() => drawn.current?.setData(dataOf(latest.current)), [times, series])
  // Out of flow, so that a plot drawn for a wide window doesn't keep a narrow one wide.
  return <div ref={place} role="img" aria-label={props.label} className="absolute inset-0 overflow-hidden" />
}

function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

function optionsOf(latest: Latest, element: HTMLElement): Options {
  const { series, kind = 'line', height } = latest()
  const ink = color('--ink-soft')
  const line = color('--line')
  const axis = { stroke: ink, font: axisFont, ticks: { show: false } }
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'line' } },
    padding: [8, 4, 0, 0],
    // Intervals begin in UTC, so the ticks are in UTC too.
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: { time: true, range: (_plot, low, high) => rangeOf(latest(), low, high) },
      y: { range: (_plot, _low, high) => [0, ticksTo(high, latest().whole).at(-1) ?? 1] },
    },
    axes: [
      {
        ...axis,
        // Clear of the lowest label of the other axis.
        gap: 10,
        size: 32,
        space: () => labelWidth(latest()),
        grid: { show: false },
        values: (plot, at) => timeMarks(plot, at, latest()),
      },
      {
        ...axis,
        size: (_plot, values) => widthOf(values),
        grid: { stroke: line, width: 1 },
        splits: (_plot, _axis, _low, high) => [...ticksTo(high, latest().whole)],
        values: (_plot, values) => tickTexts(latest(), values),
      },
    ],
    series: [
      {},
      ...drawnOrder(series, kind).map(([one, index]) => seriesOf(colorOf(one, index), kind, series.length)),
    ],
    plugins: [hint(latest)],
  }
}

function tickTexts({ format, formatTicks }: ChartProps, values: readonly number[]): string[] {
  return [...(formatTicks?.(values) ?? values.map(format))]
}

/** Bars are centered on their time, so the first and last need padding for the other half. */
function rangeOf({ times, kind = 'line' }: ChartProps, low: number, high: number): [number, number] {
  const [first = '', second = first] = times
  const half = kind === 'line' ? 0 : (Date.parse(second) - Date.parse(first)) / 2_000 || 1_800
  return [low - half, high + half]
}

/** Labels of the time axis; a label that would not fit at the right edge is left out. */
function timeMarks(
  plot: UPlot,
  seconds: readonly number[],
  { formatTime, formatMark }: ChartProps,
): string[] {
  const { min = 0, max = 1 } = plot.scales.x ?? {}
  const pixels = Math.max(1, plot.width - 40)
  return seconds.map((at) => {
    const words = (formatMark ?? formatTime)(new Date(at * 1_000).toISOString())
    const room = ((max - at) / (max - min)) * pixels
    return room < 3 * words.length ? '' : words
  })
}

/** Minimum tick distance in pixels, so that labels don't touch. */
function labelWidth({ times, formatTime, formatMark = formatTime }: ChartProps): number {
  const longest = Math.max(0, ...times.slice(0, hoursOfDay).map((at) => formatMark(at).length))
  return times.length === 0 ? 60 : 24 + 6.5 * longest
}

/** Ticks checked for the longest label: in hourly charts, one per day is a date. */
const hoursOfDay = 24

/** Axis width in pixels for its longest label: tiny amounts have many digits. */
function widthOf(values: readonly string[] | null): number {
  return Math.max(44, ...(values ?? []).map((text) => 12 + 7 * text.length))
}

function seriesOf(stroke: string, kind: NonNullable<ChartProps['kind']>, total: number): PlotSeries {
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

/** Stacked series are drawn from the largest sum to the smallest, each over the previous one. */
function drawnOrder(
  series: readonly Series[],
  kind: ChartProps['kind'],
): readonly (readonly [Series, index: number])[] {
  const placed = series.map((one, index) => [one, index] as const)
  return kind === 'stacked' ? placed.toReversed() : placed
}

function dataOf({ times, series, kind }: ChartProps): AlignedData {
  const at = times.map((iso) => Date.parse(iso) / 1_000)
  if (kind !== 'stacked') return [at, ...series.map(({ values }) => [...values])]
  const sums = drawnOrder(series, kind).map(([, place]) =>
    times.map((_, index) =>
      series.slice(0, place + 1).reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
    ),
  )
  return [at, ...sums]
}

/** The tooltip at the pointer. */
function hint(latest: Latest): UPlot.Plugin {
  const box = document.createElement('div')
  box.className =
    'pointer-events-none absolute top-2 z-10 rounded-md border border-line bg-raised px-2.5 py-1.5 text-sm whitespace-nowrap shadow-lg shadow-black/5'
  box.hidden = true
  return {
    hooks: {
      init: (plot) => plot.over.append(box),
      setCursor(plot) {
        const { times, series, format, exact, formatTime } = latest()
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
