import type { App } from './app.ts'
import type { ResourceType } from './resource.ts'

/** Whether a plugin looks at what is written of a type, and may change it. */
export function isWatched(app: App, type: ResourceType): boolean {
  return app.joining('onWrite', type).length > 0 || app.joining('onSaved', type).length > 0
}
