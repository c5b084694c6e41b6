import Joi from 'joi'
import { type App, type Operation, type Plugin, type Row, wireId } from '#kernel/plugin'
import { deliver, type WebhookVariables } from './deliver.ts'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /** Whether changes are sent to WEBHOOK_URL. */
    readonly webhook?: boolean
  }
}

/** Sends an event to WEBHOOK_URL after every committed create, update and delete of types with `webhook: true`. */
export function webhooks(): Plugin {
  return {
    name: 'webhooks',
    requires: ['async-writes'],
    keys: { webhook: null },
    environment: {
      WEBHOOK_URL: Joi.string().uri({ scheme: ['http', 'https'] }),
      WEBHOOK_SECRET: Joi.string().min(32).when('WEBHOOK_URL', { not: Joi.exist(), otherwise: Joi.required() }),
    },

    setup(app) {
      app.store.queue.assign(new Map([['webhook', (job) => deliver(job, app)]]))
    },
    start(app) {
      const report = (error: unknown) => app.logger?.error({ err: error }, 'The job queue cannot be opened')
      if (isEnabled(app)) app.store.queue.startWithRetries(report)
    },

    plan({ app, kind, type, action, beforeSave, afterSave }) {
      if (!isEnabled(app) || !kind || !type?.declaration.webhook || action) return
      if (kind === 'Create')
        afterSave.push(enqueueCreated) // the id of a new row is known after it is saved
      else beforeSave.push((operation, entity) => enqueue(operation, entity, kind === 'Delete' ? 'deleted' : 'updated'))
    },
  }
}

async function enqueueCreated(operation: Operation, entity: object): Promise<undefined> {
  await enqueue(operation, entity, 'created')
}

/** Adds a job in the transaction of the write: it exists if and only if the write is committed. */
async function enqueue({ target: { type }, context }: Operation, entity: object | null, event: string): Promise<void> {
  await context.unit.enqueue('webhook', { event, type: type.name, id: wireId(type, entity as Row) })
}

function isEnabled({ config }: App): boolean {
  return (config.variables as WebhookVariables).WEBHOOK_URL !== undefined
}
