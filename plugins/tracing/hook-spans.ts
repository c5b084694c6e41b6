import type { Context, Tracer } from '@opentelemetry/api'
import {
  type BeforeCommit,
  getOrCreate,
  type PlanDraft,
  type Plugin,
  type RequestTransaction,
  type Stages,
  type TypePlanDraft,
} from '#kernel/plugin'
import { LazySpan } from './lazy-span.ts'
import { recordingContext, runInSpan } from './spans.ts'

/** Hooks that may send statements or wait for something else. */
const tracedHooks = [
  'onRoute',
  'onTransaction',
  'onValidate',
  'beforeAction',
  'beforeSave',
  'afterSave',
  'afterWrite',
  'afterCommit',
  'beforeSend',
] as const satisfies readonly (keyof Plugin)[]

/** Stages whose steps may do so. */
const tracedStages = ['authorize', 'check', 'afterRead', 'document'] as const satisfies readonly (keyof Stages)[]

type Hook = (...args: unknown[]) => unknown

/** Returns the plugin with hooks that create a span in recorded requests. */
export function decorateHooks(tracer: Tracer, plugin: Plugin, minDuration: number): Plugin {
  const trace = (hook: string, original: Hook) => {
    const attributes = { 'plugin.name': plugin.name, 'plugin.hook': hook }
    const begin = (parent: Context) =>
      new LazySpan(tracer, `${plugin.name} ${hook}`, { attributes }, parent, minDuration)
    return traceHook(original, begin)
  }
  const tracedSteps = new Map<Hook, Hook>()
  // A step that is part of several plans stays one function: in a batch it runs once for all operations.
  const traceStep = (stage: string, step: Hook) => getOrCreate(tracedSteps, step, () => trace(stage, step))
  const tracedPlan = (draft: PlanDraft) => {
    const counts = tracedStages.map((stage) => draft[stage].length)
    plugin.plan?.(draft)
    for (const [index, stage] of tracedStages.entries()) {
      const steps = draft[stage] as Hook[]
      for (let step = counts[index] as number; step < steps.length; step++)
        steps[step] = traceStep(stage, steps[step] as Hook)
    }
  }
  const tracedPlanType = ({ type, ...stages }: TypePlanDraft) => {
    const { filterRows, checkRows } = stages
    const [shown, checked] = [filterRows.length, checkRows.length]
    plugin.planType?.({ type, ...stages })
    for (const [index, step] of filterRows.entries())
      if (index >= shown) filterRows[index] = trace('filterRows', step as Hook) as typeof step
    for (const [index, step] of checkRows.entries())
      if (index >= checked) checkRows[index] = { ...step, check: trace('checkRows', step.check as Hook) } as typeof step
  }
  const decorated = tracedHooks.flatMap((hook) => {
    const original = plugin[hook]?.bind(plugin) as Hook | undefined
    return original ? [[hook, trace(hook, original)] as const] : []
  })
  const traced: Plugin = {
    ...plugin,
    ...Object.fromEntries(decorated),
    ...(plugin.plan && { plan: tracedPlan }),
    ...(plugin.planType && { planType: tracedPlanType }),
  }
  if (!traced.onTransaction) return traced
  const traceLastWork = (transaction: RequestTransaction): RequestTransaction => ({
    ...transaction,
    beforeCommit: (work) => transaction.beforeCommit(trace('beforeCommit', work as Hook) as BeforeCommit),
  })
  return { ...traced, onTransaction: (transaction) => traced.onTransaction?.(traceLastWork(transaction)) }
}

function traceHook(original: Hook, begin: (parent: Context) => LazySpan): Hook {
  return (...args) => {
    const active = recordingContext()
    return active ? runInSpan(active, begin(active), () => original(...args)) : original(...args)
  }
}
