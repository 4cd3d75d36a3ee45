/** The dialog that asks first, by its usual name. */
export { ConfirmDialog } from './dialog.tsx'
