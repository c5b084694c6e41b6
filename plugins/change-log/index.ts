import Joi from 'joi'
import {
  type App,
  currentRequestId,
  isWrite,
  type Operation,
  type Plugin,
  type Registry,
  type ResourceType,
  type Unit,
} from '#kernel/plugin'
import { type Consumer, registerConsumer, runConsumer, stopRenewals } from './deliveries.ts'
import { ensureTriggers, recordedTypes } from './install-triggers.ts'
import { type ChangeListener, listenerConsumer } from './listeners.ts'
import { CreateChangeLog } from './migration.ts'
import { neededBy } from './needed-by.ts'
import { removalInterval, removalJob, removalWorker } from './retention.ts'
import { environment } from './settings.ts'

declare module '#kernel/plugin' {
  interface App {
    /** Consumers that plugins have added. */
    changeConsumers?: Consumer[]
  }
}

export * from './change.ts'
export type { Consumer, Delivery, NewDelivery } from './deliveries.ts'
export { type Horizon, horizonOf } from './horizon.ts'
export { recordedTypes } from './install-triggers.ts'
export type { ChangeListener, ListenerTools } from './listeners.ts'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /** Whether changes of the resources are recorded in the change log. */
    readonly changes?: boolean
    /** Whether the change log keeps the values before and after a change. */
    readonly history?: boolean
    /** Called after each committed change, at least once, in order for each resource. */
    readonly onChange?: ChangeListener
  }
}

const deliveryJob = 'deliver-changes'
/** Seconds between two looks for new changes. */
const deliveryInterval = 1

/** Adds a consumer of the changes. Plugins call it in `setup`. */
export function consumeChanges(app: App, consumer: Consumer): void {
  app.changeConsumers ??= []
  app.changeConsumers.push(consumer)
}

/** Takes the changes that can be read and performs the deliveries that are due; the queue calls it every second. */
export async function deliverChanges(app: App, signal = new AbortController().signal): Promise<void> {
  for (const consumer of consumersOf(app)) await runConsumer(app, consumer, signal)
}

function consumersOf(app: App): readonly Consumer[] {
  const listeners = listenerConsumer(app)
  return [...(listeners ? [listeners] : []), ...(app.changeConsumers ?? [])]
}

/**
 * Records the changes of types with `changes: true` in the transaction of the write, for listeners, webhooks, live
 * collections and history. Triggers of the tables write the log, so that it also has changes by actions, jobs, batches,
 * cascades and SQL.
 */
export function changeLog(): Plugin {
  /** Units whose principal is set. */
  const identified = new WeakSet<Unit>()
  return {
    name: 'change-log',
    environment,
    keys: { changes: Joi.boolean(), history: Joi.boolean(), onChange: Joi.function() },
    neededBy,
    migrations: { '20260301000000_change-log': CreateChangeLog },

    onCompile(registry) {
      for (const type of registry.types.values()) checkDeclaration(type, registry)
    },

    setup(app) {
      const { queue } = app.store
      queue.assign(
        new Map([
          [removalJob, removalWorker(app)],
          [
            deliveryJob,
            ({ signal, finish }) =>
              deliverChanges(app, signal)
                .then(() => finish(async () => {}))
                .then(() => {}),
          ],
        ]),
      )
      queue.repeat(removalJob, removalInterval)
    },

    async start(app) {
      await ensureTriggers(app)
      const consumers = consumersOf(app)
      for (const consumer of consumers) await registerConsumer(app, consumer)
      const { queue } = app.store
      if (consumers.length > 0) queue.repeat(deliveryJob, deliveryInterval)
      queue
        .start()
        .catch((error) =>
          app.logger?.error({ err: error }, 'The job queue cannot be opened; changes are not delivered'),
        )
    },

    close(app) {
      stopRenewals(app)
      return app.store.queue.stop()
    },

    plan({ app, kind, type, authorize, check }) {
      if (!kind || !type || !isWrite(kind) || !isRecorded(type, app)) return
      authorize.push(() => ensureTriggers(app))
      check.push({ of: 'input', check: identify })
    },
  }

  /** Sets the principal and the request of the changes, once per transaction. */
  async function identify({ context }: Operation): Promise<undefined> {
    const { principal, unit } = context
    if (identified.has(unit)) return
    identified.add(unit)
    unit.requireTransaction()
    await unit.run(`select set_config('change_log.principal', $1, true), set_config('change_log.request', $2, true)`, [
      principal?.identifier ?? '',
      currentRequestId() ?? '',
    ])
  }
}

/** Whether writes of the type may change recorded rows: its own, or those of a relationship from or to a recorded type. */
function isRecorded(type: ResourceType, app: App): boolean {
  const relates = (from: ResourceType, to: ResourceType) =>
    from.relations.some(({ targets }) => targets.some(({ entity }) => entity === to.entity))
  return recordedTypes(app).some(
    (recorded) => recorded.entity === type.entity || relates(recorded, type) || relates(type, recorded),
  )
}

function checkDeclaration(type: ResourceType, registry: Registry): void {
  const { changes, history, onChange, persister, typeOf, provider } = type.declaration
  if (!changes) {
    if (history) registry.fail(type, 'history', 'It needs changes: true.')
    if (onChange) registry.fail(type, 'onChange', 'It needs changes: true.')
    return
  }
  if (type.isStandalone || persister || provider)
    registry.fail(
      type,
      'changes',
      'It needs an entity, read and written by the database: without provider and persister.',
    )
  if (typeOf)
    registry.fail(type, 'changes', 'The type of a row is decided by typeOf(), which the database cannot call.')
}
