/** How a row of the error table and a file are sent over HTTP. Decides nothing about requests. */
import type { FastifyReply } from 'fastify'
import type { ControlErrorBody } from '../../contract/operations.ts'
import type { TollgateError } from '../base/errors.ts'
import { retryAdviceHeaders } from '../base/retry-advice.ts'

/** Answers with an error; `requestId` names the log line where there is one. */
export function sendError(reply: FastifyReply, error: TollgateError, requestId: string): FastifyReply {
  const { message, param, facts, retryAfterMs, headers } = error.details
  const body: ControlErrorBody = {
    error: {
      code: error.code,
      message,
      ...(param === undefined ? {} : { param }),
      ...(facts === undefined ? {} : { facts }),
      requestId,
    },
  }
  return reply
    .headers({ ...headers, ...retryHeaders(retryAfterMs), ...retryAdviceHeaders(error) })
    .code(error.status)
    .send(body)
}

export function retryHeaders(retryAfterMs: number | undefined): Readonly<Record<string, string>> {
  if (retryAfterMs === undefined) return {}
  return { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) }
}

const typeByEnding: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

/** Answers with a file to keep, under a name that no header and no file system takes for anything else. */
export function sendFile(
  reply: FastifyReply,
  { name, text }: { readonly name: string; readonly text: string },
): FastifyReply {
  const safeName =
    name
      .replaceAll(/[^\w.-]/g, '_')
      .replace(/^\.+/, '')
      .slice(0, 100) || 'file'
  const ending = safeName.slice(safeName.lastIndexOf('.') + 1)
  return reply
    .header('content-disposition', `attachment; filename="${safeName}"`)
    .type(typeByEnding[ending] ?? 'application/octet-stream')
    .send(text)
}
