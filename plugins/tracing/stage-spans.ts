import type { Tracer } from '@opentelemetry/api'
import type { Observer, RequestPart } from '#kernel/plugin'
import { LazySpan } from './lazy-span.ts'
import { recordingContext, runInSpan, withApp } from './spans.ts'

/** Returns an observer with a span named `FetchOne albums` for an operation, `batch` for several. */
export function stageSpans(tracer: Tracer, minDuration: number): NonNullable<Observer['around']> {
  return (app, part, work) => {
    const active = recordingContext()
    if (!active) return work()
    const { name, attributes } = describeStage(part)
    const span = new LazySpan(tracer, name, { attributes }, active, minDuration)
    return runInSpan(withApp(active, app), span, work)
  }
}

function describeStage({ name, operations }: RequestPart) {
  const [first, ...others] = operations ?? []
  if (!first) return { name, attributes: {} }
  if (others.length > 0) return { name: 'batch', attributes: { 'jsonapi.batch.size': others.length + 1 } }
  const { kind, target } = first
  return {
    name: `${kind} ${target.type.name}`,
    attributes: { 'jsonapi.operation': kind, 'jsonapi.type': target.type.name },
  }
}
