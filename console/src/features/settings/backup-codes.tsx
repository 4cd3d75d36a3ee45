/** Backup codes, shown this once. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { CopyButton } from '@/components/copy-button'
import { DialogActions } from '@/components/dialog'
import { saveFile } from '@/lib/save-file'

interface BackupCodesProps {
  readonly codes: readonly string[]
  readonly onClose: () => void
}

export function BackupCodes({ codes, onClose }: BackupCodesProps): JSX.Element {
  const [isKept, setKept] = useState(false)
  const text = `${codes.join('\n')}\n`
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-soft">
        Each code signs you in once if you lose your phone. They are shown only now.
      </p>
      <ul className="tabular grid grid-cols-2 gap-x-6 gap-y-1.5 rounded-lg border border-line bg-sunken p-4 font-mono text-sm">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex gap-2">
        <CopyButton text={text} what="the backup codes" label="Copy" />
        <Button size="small" onClick={() => saveFile({ name: 'tollgate-backup-codes.txt', text })}>
          Download
        </Button>
      </div>
      <Checkbox label="I've stored them safely" checked={isKept} onChange={setKept} />
      <DialogActions>
        <Button variant="primary" disabled={!isKept} onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </div>
  )
}
