import type { App, Awaitable } from '#kernel/plugin'
import { type Change, type LogRow, toChange } from './change.ts'
import type { Consumer } from './deliveries.ts'
import { recordedTypes } from './install-triggers.ts'

/** What a listener receives beside the change. */
export interface ListenerTools extends Pick<App, 'store' | 'logger'> {
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** Aborted when the service stops. */
  readonly signal: AbortSignal
}

/** Called after the commit of a change, at least once, in order for each resource. If it throws, it is called again later. */
export type ChangeListener = (change: Change, tools: ListenerTools) => Awaitable<void>

/** Attempts in about 9 hours. */
const attempts = 16

/** Calls `onChange` of the declarations. Null if no type has one. */
export function listenerConsumer(app: App): Consumer | null {
  const listening = new Map(
    recordedTypes(app).flatMap((type) => (type.declaration.onChange ? [[type.name, type] as const] : [])),
  )
  if (listening.size === 0) return null
  const isHeard = ({ type, kind, members }: LogRow) => listening.has(type) && (kind !== 'updated' || members.length > 0)
  return {
    name: 'onChange',
    attempts,
    keeps: false,
    take: async (changes) =>
      changes.filter(isHeard).map((change) => ({ change, receiver: 'onChange', payload: change })),
    async deliver({ type: name, payload, attempt }, signal) {
      const type = listening.get(name)
      const { store, logger } = app
      if (type) await type.declaration.onChange?.(toChange(type, payload as LogRow), { store, logger, attempt, signal })
    },
  }
}
