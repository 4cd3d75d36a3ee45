/** Buttons, and links that look like them. */
import { Link, type LinkComponentProps } from '@tanstack/react-router'
import { cva, type VariantProps } from 'class-variance-authority'
import type { ComponentPropsWithRef, JSX } from 'react'
import { LoaderCircle } from '@/components/icons'
import { cn } from '@/lib/class-names'

const buttonLook = cva(
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap transition-colors select-none aria-disabled:opacity-60 disabled:opacity-60 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        primary: 'border-transparent bg-accent-fill text-on-accent not-disabled:hover:bg-accent-fill-strong',
        secondary: 'border-line bg-surface text-ink not-disabled:hover:bg-sunken',
        ghost: 'border-transparent text-ink-soft not-disabled:hover:bg-sunken not-disabled:hover:text-ink',
        danger: 'border-transparent bg-bad text-on-bad not-disabled:hover:bg-bad-strong',
        'quiet-danger': 'border-line bg-surface text-bad not-disabled:hover:bg-bad-soft',
      },
      size: {
        small: 'h-8 px-2.5 text-sm max-sm:h-10',
        medium: 'h-9 px-3.5 max-sm:h-10',
        large: 'h-11 px-5',
        icon: 'size-9 max-sm:size-10',
      },
    },
    defaultVariants: { variant: 'secondary', size: 'medium' },
  },
)

type Look = VariantProps<typeof buttonLook>

export interface ButtonProps extends ComponentPropsWithRef<'button'> {
  readonly variant?: NonNullable<Look['variant']>
  readonly size?: NonNullable<Look['size']>
  /** The action is running: shows a spinner and ignores clicks. */
  readonly pending?: boolean | undefined
}

export function Button({
  variant,
  size,
  pending = false,
  className,
  children,
  disabled,
  onClick,
  ...rest
}: ButtonProps): JSX.Element {
  return (
    <button
      type="button"
      {...rest}
      className={cn(buttonLook({ variant, size }), className)}
      disabled={disabled}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      // A pending button stays focusable; a disabled one would lose the focus.
      onClick={(event) => {
        if (pending) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {pending ? <LoaderCircle aria-hidden="true" className="animate-spin" /> : null}
      {children}
    </button>
  )
}

type LinkButtonProps = LinkComponentProps<'a'> & {
  readonly variant?: NonNullable<Look['variant']>
  readonly size?: NonNullable<Look['size']>
}

/** A link to a console page, styled as a button. */
export function LinkButton({ variant, size, className, ...rest }: LinkButtonProps): JSX.Element {
  return <Link {...rest} className={cn(buttonLook({ variant, size }), className as string | undefined)} />
}

/** The same for external addresses and downloads. */
export function AnchorButton({
  variant,
  size,
  className,
  children,
  ...rest
}: ComponentPropsWithRef<'a'> & {
  readonly variant?: NonNullable<Look['variant']>
  readonly size?: NonNullable<Look['size']>
}): JSX.Element {
  return (
    <a {...rest} className={cn(buttonLook({ variant, size }), className)}>
      {children}
    </a>
  )
}
