/** Re-exports the confirmation dialog. */
export { ConfirmDialog } from './dialog.tsx'
