import type { RequestHookLists } from '../contract/app.ts'
import type { Observer, Plugin, RequestHooks, StepSource } from '../contract/plugin.ts'

type Lists = Readonly<Record<string, unknown[]>>

/** Has every plugin add steps to the lists of the stages. Returns the steps in the order of the plugins, and the plugin of each. */
export function collectSteps<Steps extends Lists>(
  plugins: readonly Plugin[],
  noSteps: () => Steps,
  add: (plugin: Plugin, steps: Steps) => void,
): { readonly steps: Steps; readonly plugins: Readonly<Record<keyof Steps, readonly string[]>> } {
  const observers = listObservers(plugins)
  const steps = noSteps()
  const names = Object.fromEntries(Object.keys(steps).map((stage) => [stage, [] as string[]]))
  for (const plugin of plugins) {
    const added = noSteps()
    add(plugin, added)
    for (const [stage, list] of Object.entries(added)) {
      const source = { plugin: plugin.name, stage }
      steps[stage]?.push(...list.map((step) => observeStep(step as Step, source, observers)))
      names[stage]?.push(...list.map(() => plugin.name))
    }
  }
  for (const list of Object.values(steps)) Object.freeze(list)
  return { steps, plugins: names as Record<keyof Steps, string[]> }
}

/** The functions of plugins for the hooks that are called for every request. */
export function findHooks(plugins: readonly Plugin[]): RequestHookLists {
  const observers = listObservers(plugins)
  const find = <Hook extends keyof RequestHooks>(stage: Hook) =>
    plugins.flatMap((plugin): NonNullable<RequestHooks[Hook]>[] => {
      const hook = plugin[stage]?.bind(plugin) as NonNullable<RequestHooks[Hook]> | undefined
      return hook ? [observeStep(hook, { plugin: plugin.name, stage }, observers)] : []
    })
  return { onRoute: find('onRoute'), onQuery: find('onQuery'), onError: find('onError') }
}

export function listObservers(plugins: readonly Plugin[]): readonly Observer[] {
  return plugins.flatMap(({ observer }) => observer ?? [])
}

type Callable = (...args: never[]) => unknown

/** A function, or an object with the function and what it applies to. */
type Step = Callable | { readonly check: Callable } | { readonly condition: Callable }

function observeStep<Observed extends Step>(
  step: Observed,
  source: StepSource,
  observers: readonly Observer[],
): Observed
function observeStep(step: Step, source: StepSource, observers: readonly Observer[]): Step {
  if (observers.length === 0) return step
  if ('check' in step) return { ...step, check: observeStep(step.check, source, observers) }
  if ('condition' in step) return { ...step, condition: observeStep(step.condition, source, observers) }
  return observers.reduce((inner, observer) => observer.step?.(inner, source) ?? inner, step)
}
