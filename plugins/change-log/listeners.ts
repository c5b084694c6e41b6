import type { App, Awaitable, ResourceType } from '#kernel/plugin'
import { type Change, type LoggedChange, shownMembers, toChange } from './change.ts'
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

/** The pauses between them add up to about 4 hours. */
const attempts = 16

/**
 * The consumers that call `onChange` of the declarations. Each type has its own, with a position and deliveries: a process
 * without the declaration, of an older release, leaves its changes to others.
 */
export function listenerConsumers(app: App): readonly Consumer[] {
  return recordedTypes(app).flatMap((type) => {
    const { onChange } = type.declaration
    return onChange ? [listenerConsumer(app, type, onChange)] : []
  })
}

function listenerConsumer({ store, logger }: App, type: ResourceType, onChange: ChangeListener): Consumer {
  const name = `onChange ${type.name}`
  const isHeard = (change: LoggedChange) => change.kind !== 'updated' || shownMembers(type, change).length > 0
  return {
    name,
    type: type.name,
    attempts,
    keeps: false,
    prepare: async () => (change) => (isHeard(change) ? [{ receiver: name, payload: toChange(type, change) }] : []),
    async deliver({ payload, attempt }, signal) {
      await onChange(payload as Change, { store, logger, attempt, signal })
      return 'delivered'
    },
  }
}
