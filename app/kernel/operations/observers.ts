import type { App } from '../model/app.ts'
import type { Attribute, Relation } from '../model/field.ts'
import type { ResourceType } from '../model/resource-type.ts'

/** Whether a plugin looks at what is written of a type, and may change it. */
export function hasWriteHooks(app: App, type: ResourceType): boolean {
  return app.hooksFor('beforeSave', type).length > 0 || app.hooksFor('afterSave', type).length > 0
}

/** Whether a plugin looks at rows of a type that change with another resource, before or after they are saved. */
export function hasMemberHooks(app: App, type: ResourceType): boolean {
  return hasWriteHooks(app, type) || observed.some((hook) => app.hooksFor(hook, type).length > 0)
}

const observed = ['onMembers', 'writeScope', 'onRowsWritten'] as const

/** Whether a plugin or a function of the author's looks at the subject of a change, as an entity. */
export function needsEntity(app: App, type: ResourceType): boolean {
  if (hasWriteHooks(app, type)) return true
  const { hydrator } = type.declaration as { hydrator?: object }
  return hydrator !== undefined || type.attributes.some(isFilled) || type.relations.some(isGated)
}

function isFilled({ fill, on }: Attribute): boolean {
  return fill !== null || on !== null
}

function isGated({ cannotReplace, cannotAdd, cannotRemove }: Relation): boolean {
  return [cannotReplace, cannotAdd, cannotRemove].some((rule) => typeof rule === 'function')
}
