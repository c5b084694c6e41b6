import Joi from 'joi'
import { resolveLocation } from '#kernel/operations'
import {
  type ApiResponse,
  type Awaitable,
  type Context,
  maxTimerSeconds,
  type Operation,
  type Plugin,
  type RecordOf,
  type ResourceType,
} from '#kernel/plugin'
import { addNeeds, wholeRow } from '#kernel/queries'
import { listResponses } from '#plugins/responses/index.ts'
import { AcceptedForProcessing } from './accepted-for-processing.ts'
import { acceptedBy, checkAsyncWrites } from './checks.ts'
import { describeAsyncWrites } from './describe.ts'
import { createWorker, type JobDefinition, listJobs } from './jobs.ts'
import { neededBy } from './needed-by.ts'
import { respondAccepted } from './respond.ts'

export { AcceptedForProcessing } from './accepted-for-processing.ts'
export { accepted, seeOther } from './declared-responses.ts'
export { cancel, defineJob, enqueue, type JobDefinition, type JobRun } from './jobs.ts'

declare module '#kernel' {
  interface ResourceKeys<Entity> {
    /**
     * Enqueues the job of a write that is saved, not committed, and returns the URL that clients poll. Undefined if the
     * write needs no job. Called if `accepted()` is declared for the operation.
     */
    readonly accept?: (entity: Entity, ctx: AcceptContext) => Awaitable<AcceptedForProcessing | undefined>
    /** The job that its writes enqueue; a worker of this process runs it. */
    readonly job?: JobDefinition<never>
    /** Of a job: the URL of its result, or a path of this server; null until it is completed. */
    readonly completionLocation?: (record: RecordOf<Entity>) => string | null
  }
}

export interface AcceptContext {
  readonly creating: boolean
  /** The context of the operation; database access inside its transaction goes through `context.unit`. */
  readonly context: Context
}

const writes: Readonly<Partial<Record<Operation['kind'], 'create' | 'update'>>> = { Create: 'create', Update: 'update' }

/** Asynchronous writes: 202 responses, workers for their jobs, and 303 responses of completed jobs. */
export function asyncWrites(): Plugin {
  return {
    name: 'async-writes',
    requires: ['responses'],
    environment: {
      JOB_DELAY_SECONDS: Joi.number()
        .min(0)
        .max(maxTimerSeconds)
        .default(({ NODE_ENV }) => (NODE_ENV === 'development' ? 2 : 0)),
      JOB_HEARTBEAT_SECONDS: Joi.number().integer().min(10).max(maxTimerSeconds).default(30),
      JOB_STOP_SECONDS: Joi.number().integer().min(1).max(maxTimerSeconds).default(10),
    },
    keys: {
      accept: Joi.function(),
      job: Joi.object({ name: Joi.string().required(), run: Joi.function().required() }),
      completionLocation: Joi.function(),
    },
    neededBy,

    onCompile(registry) {
      checkAsyncWrites(registry)
    },

    setup(app) {
      const workers = new Map(listJobs(app.registry).map((job) => [job.name, createWorker(job, app)]))
      const { JOB_HEARTBEAT_SECONDS: heartbeatSeconds, JOB_STOP_SECONDS: stopSeconds } = app.config.variables
      app.store.queue.assign(workers, {
        heartbeatSeconds: Number(heartbeatSeconds),
        stopSeconds: Number(stopSeconds),
        report: (error) => app.logger?.error({ err: error }, 'The job queue failed'),
      })
    },

    start({ registry, store, logger }) {
      if (listJobs(registry).length === 0) return
      store.queue.startWithRetries((error) =>
        logger?.error({ err: error }, 'The job queue cannot be opened; jobs do not run'),
      )
    },

    onQuery({ target }, query) {
      if (target?.kind !== 'resource' || !target.type.declaration.completionLocation) return
      addNeeds(query, target.type, wholeRow(target.type))
    },

    plan({ kind, type, check, afterSave }) {
      if (!kind || !type) return
      if (kind === 'FetchOne' && type.declaration.completionLocation) check.push(redirectWhenComplete)
      if (isAlwaysAccepted(type, kind)) check.push(acceptInBatch)
      const key = writes[kind]
      if (key && (type.declaration.persister !== undefined || acceptedBy(type, key))) afterSave.push(acceptWrite)
    },

    close: ({ store }) => store.queue.stop(),

    describe: describeAsyncWrites,
  }
}

/** Returns the URL of the result when the job is complete. */
function redirectWhenComplete({ target, context }: Operation, subject: object | null): ApiResponse | undefined {
  const location = target.type.declaration.completionLocation?.(subject as never)
  return location ? { kind: 'none', status: 303, headers: { Location: resolveLocation(location, context) } } : undefined
}

/** A batch rejects the 202 and rolls back: the job would run even if the batch did not commit. */
function acceptInBatch({ context }: Operation): ApiResponse | undefined {
  return context.sharesUnit ? { kind: 'none', status: 202 } : undefined
}

/** Returns the 202 response if the persister or `accept` of the type accepted the write. Undefined otherwise. */
async function acceptWrite(operation: Operation, entity: object, saved: unknown): Promise<ApiResponse | undefined> {
  const { kind, target, context } = operation
  const { type } = target
  const key = writes[kind]
  const declared = key && acceptedBy(type, key)
  const accept = () => type.declaration.accept?.(entity as never, { creating: kind === 'Create', context })
  const accepted = saved instanceof AcceptedForProcessing ? saved : declared && (await accept())
  if (!accepted && isAlwaysAccepted(type, kind)) {
    throw new Error(`${type.name}.${key} declares only accepted(), but accept() returned nothing for this write.`)
  }
  if (!accepted) return undefined
  if (!declared) throw new Error(`${type.name}.${key} does not declare accepted().`)
  return respondAccepted(accepted, operation)
}

/** Whether `accepted()` is the only declared response. */
function isAlwaysAccepted(type: ResourceType, kind: Operation['kind']): boolean {
  const key = writes[kind]
  const declared = key ? listResponses(type, key) : []
  return declared.length === 1 && declared[0]?.response === 'accepted'
}
