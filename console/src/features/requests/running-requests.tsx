/** The running requests, with a stop button for each; nothing where none run. */

import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Square } from '@/components/icons'
import { moneyColumn } from '@/components/money-column'
import { Problem } from '@/components/problem'
import { Table } from '@/components/table'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import { useAccount, useMay } from '@/lib/account'
import { useChange, useOperation } from '@/lib/operations'
import { Name } from '../usage/name.tsx'
import { formatName, type RunningRequest } from './receipt-words.ts'
import { RequestLink } from './request-link.tsx'

export function RunningRequests(): JSX.Element | null {
  const account = useAccount()
  const running = useOperation('requests.running', { account: account.id })
  const mayStop = useMay('owner', 'admin', 'developer')
  const [toStop, setToStop] = useState<RunningRequest>()
  const isEmpty = running.data === undefined || running.data.length === 0
  if (running.error === null && isEmpty && toStop === undefined) return null
  return (
    <Card title="Running now" flush>
      {running.error === null ? null : (
        <Problem className="m-5 mt-0" problem={running.error} onRetry={() => void running.refetch()} />
      )}
      <Table
        caption="Running requests"
        rows={running.data}
        keyOf={({ id }) => id}
        expected={1}
        empty={<p className="px-5 pb-4 text-ink-soft">No running requests.</p>}
        columns={[
          {
            id: 'model',
            header: 'Model',
            cell: (row) => (
              <RequestLink inRow id={row.id}>
                <Name className="max-sm:max-w-32">{row.model}</Name>
              </RequestLink>
            ),
          },
          {
            id: 'format',
            header: 'Format',
            wide: true,
            cell: (row) => `${formatName(row.format)}${row.streamed ? ', streamed' : ''}`,
          },
          { id: 'started', header: 'Started', wide: true, cell: (row) => <When at={row.started} /> },
          moneyColumn<RunningRequest>({
            id: 'held',
            header: 'Reserved',
            amount: (row) => row.held,
          }),
          {
            id: 'stop',
            header: <span className="sr-only">Stop</span>,
            align: 'right',
            cell: (row) =>
              mayStop ? (
                <Button
                  size="small"
                  aria-label={`Stop request to ${row.model}`}
                  onClick={() => setToStop(row)}
                >
                  <Square aria-hidden="true" />
                  Stop
                </Button>
              ) : (
                <Badge title="Your role can't stop requests.">Running</Badge>
              ),
          },
        ]}
      />
      <StopDialog request={toStop} onClose={() => setToStop(undefined)} />
    </Card>
  )
}

interface StopDialogProps {
  readonly request: Pick<RunningRequest, 'id' | 'model'> | undefined
  readonly onClose: () => void
}

export function StopDialog({ request, onClose }: StopDialogProps): JSX.Element {
  const stop = useChange('request.stop', {
    changes: ['running', 'requests', 'balance'],
    onDone: ({ stopped }) => {
      toast.good(stopped ? 'Request stopped.' : 'It had already finished.')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open={request !== undefined}
      onOpenChange={(open) => (open ? undefined : onClose())}
      title="Stop this request?"
      action="Stop request"
      pending={stop.isPending}
      onConfirm={() => (request === undefined ? undefined : stop.mutate({ request: request.id }))}
    >
      <p>
        The client gets an error, and output delivered so far is charged. The rest of the reservation is
        released immediately.
      </p>
    </ConfirmDialog>
  )
}
