import type { Context, Tracer } from '@opentelemetry/api'
import type { Plugin } from '#kernel/plugin'
import { LazySpan } from './lazy-span.ts'
import { recordingContext, runInSpan } from './spans.ts'

/** Hooks that may send statements or wait for something else. */
const tracedHooks = [
  'onRoute',
  'beforeOperations',
  'onTransaction',
  'onSubjectLoaded',
  'afterRead',
  'onValidate',
  'onMembers',
  'onLink',
  'beforeAction',
  'beforeSave',
  'afterSave',
  'onRowsWritten',
  'afterWrite',
  'beforeCommit',
  'afterCommit',
  'beforeSend',
  'filterRows',
] as const satisfies readonly (keyof Plugin)[]

type Hook = (...args: unknown[]) => unknown

/** Returns the plugin with hooks that create a span in recorded requests. */
export function decorateHooks(tracer: Tracer, plugin: Plugin, minDuration: number): Plugin {
  const decorated = tracedHooks.flatMap((hook) => {
    const original = plugin[hook] as Hook | undefined
    if (!original) return []
    const attributes = { 'plugin.name': plugin.name, 'plugin.hook': hook }
    const begin = (parent: Context) =>
      new LazySpan(tracer, `${plugin.name} ${hook}`, { attributes }, parent, minDuration)
    return [[hook, traceHook(original.bind(plugin), begin)] as const]
  })
  return { ...plugin, ...Object.fromEntries(decorated) }
}

function traceHook(original: Hook, begin: (parent: Context) => LazySpan): Hook {
  return (...args) => {
    const active = recordingContext()
    return active ? runInSpan(active, begin(active), () => original(...args)) : original(...args)
  }
}
