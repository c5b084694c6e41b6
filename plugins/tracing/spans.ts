import { type Context, context, createContextKey, type Span, SpanStatusCode, trace } from '@opentelemetry/api'
import { ApiError } from '#kernel/errors'
import { type App, currentContext, isThenable } from '#kernel/plugin'

const appKey = createContextKey('application')

/** Adds the application whose statements become children of the active span. */
export function withApp(active: Context, app: App): Context {
  return active.getValue(appKey) === app ? active : active.setValue(appKey, app)
}

/**
 * The active context if it belongs to the application and its span is recorded. Returns null for most requests before it
 * reads the active context, by a property of the request.
 */
export function recordingContext(app?: App): Context | null {
  const request = currentContext()
  if (request && !request.state.hasRecordedSpan) return null
  const active = context.active()
  if (!trace.getSpan(active)?.isRecording()) return null
  return app && active.getValue(appKey) !== app ? null : active
}

/** Runs the work with the span as the active one and ends the span with it. */
export function runInSpan<T>(active: Context, span: Span, work: () => T): T {
  try {
    const result = context.with(trace.setSpan(active, span), work)
    if (!isThenable(result)) {
      span.end()
      return result
    }
    return Promise.resolve(result).then(
      (value) => {
        span.end()
        return value
      },
      (error) => endWithError(span, error),
    ) as T
  } catch (error) {
    return endWithError(span, error)
  }
}

function endWithError(span: Span, error: unknown): never {
  setError(span, error)
  span.end()
  throw error
}

/**
 * Marks the span as failed, unless the error is a declared one, such as a 404. Only the name of the error is added,
 * because messages of errors may contain values of clients.
 */
function setError(span: Span, error: unknown): void {
  if (error instanceof ApiError) return
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
}
