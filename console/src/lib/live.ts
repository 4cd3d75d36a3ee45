/**
 * Receives change events of an account, over one connection for all tabs, and refetches what shows them. Holds no
 * state: an event says what changed, not its value.
 */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Changed } from '../../../contract/events.ts'
import { refresh, type Topic } from './operations.ts'
import { watchTogether } from './shared-events.ts'

type Listener = (changed: Changed) => void
const listeners = new Set<Listener>()
/** Everything may have changed while disconnected; a topic that is missing here is a type error. */
const topicTable: Readonly<Record<Topic, true>> = {
  balance: true,
  requests: true,
  running: true,
  rejections: true,
  keys: true,
  billing: true,
  account: true,
  people: true,
  models: true,
  upstreams: true,
  'provider-keys': true,
}
const allTopics = Object.keys(topicTable) as readonly Topic[]
/** Many requests end in a second; their changes are fetched together. */
const gatherMs = 400

/** Listens for an account while the component is mounted. */
export function useLive(account: string | undefined): void {
  const client = useQueryClient()
  useEffect(() => {
    if (account === undefined) return
    const gathered = new Set<Topic>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const gather = (topics: readonly Topic[]): void => {
      for (const topic of topics) gathered.add(topic)
      timer ??= setTimeout(() => {
        timer = undefined
        const due = [...gathered]
        gathered.clear()
        void refresh(client, due)
      }, gatherMs)
    }
    const stop = watchTogether(account, {
      onGap: () => gather(allTopics),
      onChanged(changed) {
        gather(changed.topics)
        for (const listener of listeners) listener(changed)
      },
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [account, client])
}

/** Calls back whenever something of the topic changed in the current account. */
export function useChanged(topic: Topic, callback: (changed: Changed) => void): void {
  const latest = useRef(callback)
  useEffect(() => {
    latest.current = callback
  })
  useEffect(() => {
    const listener: Listener = (changed) => {
      if (changed.topics.includes(topic)) latest.current(changed)
    }
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }, [topic])
}
