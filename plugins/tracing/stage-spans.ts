import type { Tracer } from '@opentelemetry/api'
import type { Stage } from '#kernel/plugin'
import { LazySpan } from './lazy-span.ts'
import { recordingContext, runInSpan, withSpan } from './spans.ts'

/** Runs a stage in a span: `FetchOne albums` for the operation, `batch` for several. */
export function runStageSpan<T>(tracer: Tracer, stage: Stage, work: () => Promise<T>, minDuration: number): Promise<T> {
  const active = recordingContext()
  if (!active) return work()
  const { name, attributes } = describeStage(stage)
  const span = new LazySpan(tracer, name, { attributes }, active, minDuration)
  return runInSpan(withSpan(active, span, stage.app), span, work)
}

function describeStage({ name, operations }: Stage) {
  const [first, ...others] = operations ?? []
  if (!first) return { name, attributes: {} }
  if (others.length > 0) return { name: 'batch', attributes: { 'jsonapi.batch.size': others.length + 1 } }
  const { kind, target } = first
  return {
    name: `${kind} ${target.type.name}`,
    attributes: { 'jsonapi.operation': kind, 'jsonapi.type': target.type.name },
  }
}
