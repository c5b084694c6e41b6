import type { App } from './app.ts'
import { remember } from './remember.ts'
import type { ResourceType } from './resource.ts'

const known = new WeakMap<App, Map<ResourceType, boolean>>()

/** Whether a plugin looks at what is written of a type, and may change it. */
export function isWatched(app: App, type: ResourceType): boolean {
  const watched = remember(known, app, () => new Map<ResourceType, boolean>())
  return remember(watched, type, () =>
    [...app.with('onWrite'), ...app.with('onSaved')].some((plugin) => plugin.watches?.(type) ?? true),
  )
}
