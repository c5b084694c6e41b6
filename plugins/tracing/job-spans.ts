import { context, propagation, ROOT_CONTEXT, SpanKind, type Tracer, trace } from '@opentelemetry/api'
import type { JobHeaders, ObservedJob } from '#jobs'
import type { App, StoreObserver } from '#kernel/plugin'
import { recordingContext, runInSpan, withApp } from './spans.ts'

/**
 * Continues the trace of a request in the job that it enqueues: the trace context is a header of the job. Each attempt is
 * a span of the same trace, with a link to the span that enqueued the job. The attempt of a job without trace context may
 * begin a trace.
 */
export function observeJobs(
  app: App,
  tracer: Tracer,
  beginsTrace: () => boolean,
): Pick<StoreObserver, 'onEnqueue' | 'onJob'> {
  return {
    onEnqueue(job, add) {
      const active = recordingContext(app)
      if (!active) return add(createHeaders())
      const attributes = messagingAttributes(job, 'send')
      const span = tracer.startSpan(`send ${job}`, { kind: SpanKind.PRODUCER, attributes }, active)
      return runInSpan(active, span, () => add(createHeaders()))
    },

    onJob(job, work) {
      const parent = propagation.extract(ROOT_CONTEXT, job.headers)
      const producer = trace.getSpanContext(parent)
      if (!producer && !beginsTrace()) return work()
      const span = tracer.startSpan(
        `process ${job.name}`,
        { kind: SpanKind.CONSUMER, attributes: jobAttributes(job), links: producer ? [{ context: producer }] : [] },
        parent,
      )
      return runInSpan(withApp(parent, app), span, work)
    },
  }
}

/** The trace context of the current span, also if it is not sampled: the job is not sampled either then. */
function createHeaders(): JobHeaders {
  const headers: Record<string, string> = {}
  propagation.inject(context.active(), headers)
  return headers
}

function jobAttributes({ name, id, attempt }: ObservedJob) {
  return {
    ...messagingAttributes(name, 'process'),
    'messaging.message.id': id,
    'messaging.message.retry.count': attempt,
  }
}

/** The attributes of the semantic conventions for messaging. */
function messagingAttributes(job: string, operation: 'send' | 'process') {
  return {
    'messaging.system': 'pg-boss',
    'messaging.operation.type': operation,
    'messaging.operation.name': operation,
    'messaging.destination.name': job,
  }
}
