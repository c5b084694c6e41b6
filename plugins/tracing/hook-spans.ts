import type { Tracer } from '@opentelemetry/api'
import type { Plugin } from '#kernel/plugin'
import { recordingContext, runInSpan } from './spans.ts'

/** Hooks that may send statements or wait for something else. The others are too short for a span. */
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
export function decorateHooks(tracer: Tracer, plugin: Plugin): Plugin {
  const decorated = tracedHooks.flatMap((hook) => {
    const original = plugin[hook] as Hook | undefined
    return original ? [[hook, traceHook(tracer, plugin, hook, original)] as const] : []
  })
  return { ...plugin, ...Object.fromEntries(decorated) }
}

function traceHook(tracer: Tracer, plugin: Plugin, hook: string, original: Hook): Hook {
  const name = `${plugin.name} ${hook}`
  const attributes = { 'plugin.name': plugin.name, 'plugin.hook': hook }
  return (...args) => {
    const active = recordingContext()
    if (!active) return original.apply(plugin, args)
    return runInSpan(active, tracer.startSpan(name, { attributes }, active), () => original.apply(plugin, args))
  }
}
