/** A dropdown menu. */
import { DropdownMenu } from 'radix-ui'
import type { JSX, ReactElement, ReactNode } from 'react'
import { cn } from '@/lib/class-names'

export interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactElement
  readonly align?: 'start' | 'end'
  readonly side?: 'top' | 'bottom'
  readonly className?: string
  readonly children: ReactNode
}

export function Menu({
  trigger,
  align = 'end',
  side = 'bottom',
  className,
  children,
}: MenuProps): JSX.Element {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Content
        align={align}
        side={side}
        sideOffset={6}
        collisionPadding={8}
        className={cn(
          'motion-fade z-50 max-h-[70vh] min-w-48 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-lg shadow-black/5',
          className,
        )}
      >
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  )
}

const itemLook =
  'flex min-h-9 w-full items-center gap-2.5 rounded-md px-2.5 py-1.5 text-left outline-none select-none data-[highlighted]:bg-sunken data-[disabled]:opacity-50 max-sm:min-h-10 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-soft'

export interface MenuItemProps {
  readonly onSelect?: () => void
  readonly icon?: ReactNode
  readonly tone?: 'neutral' | 'danger'
  readonly disabled?: boolean
  /** Marks the selected item. */
  readonly checked?: boolean
  readonly children: ReactNode
}

export function MenuItem(props: MenuItemProps): JSX.Element {
  const { onSelect, icon, tone = 'neutral', disabled = false, checked, children } = props
  const look = cn(itemLook, tone === 'danger' && 'text-bad [&_svg]:text-bad')
  if (checked !== undefined) {
    return (
      <DropdownMenu.CheckboxItem
        checked={checked}
        disabled={disabled}
        onSelect={() => onSelect?.()}
        className={look}
      >
        {icon}
        <span className="min-w-0 flex-1 truncate">{children}</span>
        <DropdownMenu.ItemIndicator className="text-accent">✓</DropdownMenu.ItemIndicator>
      </DropdownMenu.CheckboxItem>
    )
  }
  return (
    <DropdownMenu.Item disabled={disabled} onSelect={() => onSelect?.()} className={look}>
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
    </DropdownMenu.Item>
  )
}

export function MenuLabel({ children }: { readonly children: ReactNode }): JSX.Element {
  return (
    <DropdownMenu.Label className="px-2.5 pt-2 pb-1 text-sm font-medium text-ink-soft">
      {children}
    </DropdownMenu.Label>
  )
}

export function MenuLine(): JSX.Element {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />
}
