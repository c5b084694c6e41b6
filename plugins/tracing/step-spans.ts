import type { Context, Tracer } from '@opentelemetry/api'
import type { Observer, RequestTransaction, StepSource } from '#kernel/plugin'
import { LazySpan } from './lazy-span.ts'
import { recordingContext, runInSpan } from './spans.ts'

type Step = (...args: never[]) => unknown

/** Stages and hooks that may send statements or wait for something else. */
const tracedStages: readonly string[] = [
  'onRoute',
  'authorize',
  'transaction',
  'check',
  'validate',
  'beforeSave',
  'afterSave',
  'afterOperation',
  'afterCommit',
  'document',
  'beforeSend',
  'filterRows',
  'checkRows',
]

/** Returns an observer that creates spans of steps in recorded requests. */
export function stepSpans(tracer: Tracer, minDuration: number): Required<Pick<Observer, 'step'>> {
  // A step that is part of several plans stays one function: in a batch it runs once for all operations.
  const tracedSteps = new WeakMap<Step, Step>()
  const trace = (step: Step, { plugin, stage }: StepSource): Step => {
    const attributes = { 'plugin.name': plugin, 'plugin.hook': stage }
    const begin = (parent: Context) => new LazySpan(tracer, `${plugin} ${stage}`, { attributes }, parent, minDuration)
    return traceStep(step, begin)
  }
  return {
    step<Traced extends Step>(step: Traced, source: StepSource): Traced {
      if (!tracedStages.includes(source.stage)) return step
      const existing = tracedSteps.get(step)
      if (existing) return existing as Traced
      const traced =
        source.stage === 'transaction' ? trace(withTracedCommit(step, source, trace), source) : trace(step, source)
      tracedSteps.set(step, traced)
      return traced as Traced
    },
  }
}

/** The work that a step adds before the commit has spans, too. */
function withTracedCommit(step: Step, { plugin }: StepSource, trace: (step: Step, source: StepSource) => Step): Step {
  return (transaction: RequestTransaction) =>
    (step as (transaction: RequestTransaction) => unknown)({
      ...transaction,
      beforeCommit: (work) => transaction.beforeCommit(trace(work, { plugin, stage: 'beforeCommit' }) as typeof work),
    })
}

function traceStep(step: Step, begin: (parent: Context) => LazySpan): Step {
  return (...args) => {
    const active = recordingContext()
    return active ? runInSpan(active, begin(active), () => step(...args)) : step(...args)
  }
}
