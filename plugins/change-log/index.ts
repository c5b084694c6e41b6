import Joi from 'joi'
import {
  currentRequestId,
  isWrite,
  type PlannedOperation,
  type Plugin,
  type Principal,
  type Registry,
  type ResourceType,
  type Unit,
} from '#kernel/plugin'
import { addMetrics } from '#metrics'
import { closeConsumers, consumersOf, deliverChanges, warnOfOthers } from './consumers.ts'
import { registerConsumer } from './deliveries.ts'
import { ensureTriggers, startTriggers, stopTriggerChecks } from './install-triggers.ts'
import type { ChangeListener } from './listeners.ts'
import { changeLogMetrics } from './metrics.ts'
import { CreateChangeLog } from './migration.ts'
import { neededBy } from './needed-by.ts'
import { linksRecordedRows, recordedChanges } from './recorded-writes.ts'
import { removalInterval, removalJob, removalWorker } from './retention.ts'
import { environment } from './settings.ts'

export * from './change.ts'
export { consumeChanges, deliverChanges } from './consumers.ts'
export type { Consumer, Delivery, DeliveryPlan, NewDelivery } from './deliveries.ts'
export { type Horizon, horizonOf } from './horizon.ts'
export { recordedTypes } from './install-triggers.ts'
export type { ChangeListener, ListenerTools } from './listeners.ts'
export { fixSearchPath } from './search-path.ts'

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

const noType = "The plugin 'change-log' records nothing: no resource type has 'changes: true'."

const deliveryJob = 'deliver-changes'
/** Seconds between two polls of the change log. */
const deliveryInterval = 1

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
      const types = [...registry.types.values()]
      for (const type of types) checkDeclaration(type, registry)
      if (!types.some(({ declaration }) => declaration.changes)) registry.warn(noType)
    },

    setup(app) {
      addMetrics(app, changeLogMetrics(app))
      const { queue } = app.store
      queue.assign(
        new Map([
          [removalJob, removalWorker(app)],
          [
            deliveryJob,
            async ({ finish }) => {
              deliverChanges(app).catch(() => {}) // its errors are logged; the job must not last as long as a slow receiver
              await finish(async () => {})
            },
          ],
        ]),
      )
      queue.repeat(removalJob, removalInterval)
    },

    async start(app) {
      await startTriggers(app)
      const consumers = consumersOf(app)
      for (const { consumer } of consumers) await registerConsumer(app, consumer)
      await warnOfOthers(app)
      const { queue } = app.store
      if (consumers.length > 0) queue.repeat(deliveryJob, deliveryInterval)
      queue.startWithRetries((error) =>
        app.logger?.error({ err: error }, 'The job queue cannot be opened; changes are not delivered'),
      )
    },

    async close(app) {
      stopTriggerChecks(app)
      await Promise.all([closeConsumers(app), app.store.queue.stop()])
    },

    plan({ app, kind, type, relation, authorize, transaction, check }) {
      const changes = kind && type && isWrite(kind) ? recordedChanges(app, { kind, type, relation }) : 'none'
      if (changes === 'none') return
      const isRecorded = (operation: PlannedOperation) => changes === 'all' || linksRecordedRows(app, operation)
      authorize.push((_request, operations) => (operations.some(isRecorded) ? ensureTriggers(app) : undefined))
      // Before the checks of the operations: a check that runs a statement prevents that creates of a batch share an insert.
      transaction.push(({ unit, operations }) =>
        operations.some(isRecorded) ? identify(unit, operations[0]?.requester.principal ?? null) : undefined,
      )
      // For operations without a request.
      check.push({
        of: 'input',
        check: (operation) =>
          isRecorded(operation) ? identify(operation.context.unit, operation.context.principal) : undefined,
      })
    },
  }

  /** Sets the principal and the request of the changes, once per transaction. */
  async function identify(unit: Unit, principal: Principal | null): Promise<undefined> {
    if (identified.has(unit)) return
    identified.add(unit)
    unit.requireTransaction()
    await unit.run(`select set_config('change_log.principal', $1, true), set_config('change_log.request', $2, true)`, [
      principal?.identifier ?? '',
      currentRequestId() ?? '',
    ])
  }
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
