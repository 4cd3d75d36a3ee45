/** Text as a QR code. Dark on light in every theme, as cameras expect. */
import qrcode from 'qrcode-generator'
import { type JSX, useMemo } from 'react'
import { cn } from '@/lib/class-names'

interface QrCodeProps {
  readonly text: string
  readonly label: string
  readonly className?: string
}

const quietZone = 4

export function QrCode({ text, label, className }: QrCodeProps): JSX.Element {
  const { path, size } = useMemo(() => drawn(text), [text])
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
      className={cn('size-48 rounded-lg border border-line bg-white', className)}
    >
      <path d={path} fill="#09090b" />
    </svg>
  )
}

function drawn(text: string): { path: string; size: number } {
  const code = qrcode(0, 'M')
  code.addData(text)
  code.make()
  const count = code.getModuleCount()
  const places = Array.from({ length: count * count }, (_, index) => [
    Math.floor(index / count),
    index % count,
  ])
  const path = places
    .filter(([row = 0, column = 0]) => code.isDark(row, column))
    .map(([row = 0, column = 0]) => `M${column + quietZone} ${row + quietZone}h1v1h-1z`)
    .join('')
  return { path, size: count + quietZone * 2 }
}
