import { trace } from '@opentelemetry/api'
import Joi from 'joi'
import type { App, Plugin } from '#kernel/plugin'
import { observeJobs } from './job-spans.ts'
import { requestSpans } from './request-spans.ts'
import { flushSpans, hasSdk } from './sdk.ts'
import { stageSpans } from './stage-spans.ts'
import { observeStatements } from './statement-spans.ts'
import { stepSpans } from './step-spans.ts'

declare module '#kernel/plugin' {
  interface App {
    /** Ends the observation of statements and jobs. */
    stopTracing?: () => void
  }
}

/** The instrumentation scope of all spans. */
const scope = 'koa-jsonapi-template'

/**
 * OpenTelemetry spans for requests, stages, SQL statements, jobs and, optionally, hooks of plugins. The SDK is the owner's
 * choice, and must be registered before this function is called: without one, the plugin has no hooks and no cost.
 */
export function tracing(options: TracingOptions = {}): Plugin {
  const { continuesTraces = true, hooks = false, minDuration = 1, random = Math.random } = options
  const declared = { name: 'tracing', environment: { TRACING_RATIO: Joi.number().min(0).max(1).default(1) } }
  if (!hasSdk()) return declared
  const tracer = trace.getTracer(scope)
  const beginsTrace = ({ config }: App) => {
    const ratio = Number(config.variables.TRACING_RATIO)
    return () => random() < ratio
  }
  return {
    ...declared,
    observer: { around: stageSpans(tracer, minDuration), ...(hooks && stepSpans(tracer, minDuration)) },

    setup(app) {
      const observer = { ...observeStatements(app, tracer), ...observeJobs(app, tracer, beginsTrace(app)) }
      const stop = app.store.observe?.(observer)
      if (stop) app.stopTracing = stop
    },

    middleware: (app) => requestSpans(app, tracer, { continuesTraces, beginsTrace: beginsTrace(app) }),

    async close(app) {
      app.stopTracing?.()
      await flushSpans()
    },
  }
}

export interface TracingOptions {
  /**
   * Whether the trace of a client is continued; default: true. If false, a request begins a trace of its own with a link
   * to the client's, so that clients of a public service cannot decide which requests are sampled.
   */
  readonly continuesTraces?: boolean
  /** Whether hooks of plugins have spans, which makes each call of a hook a little slower; default: false. */
  readonly hooks?: boolean
  /** Milliseconds from which on a stage or a hook of a plugin without statements has a span; default: 1. */
  readonly minDuration?: number
  /** Returns a number from 0 to 1 that is compared with TRACING_RATIO; default: Math.random. */
  readonly random?: () => number
}
