import type { App } from '../contract/app.ts'
import type { OperationKind } from '../contract/operation.ts'
import { createQuery } from '../data/create-query.ts'
import type { Writer } from '../data/persister.ts'
import type { Attribute, Relation } from '../schema/field.ts'
import type { Hydrator, ResourceType } from '../schema/resource-type.ts'

/** How rows of a type are written. Chosen before its first write, when all plugins have started. */
export function findWriter(app: App, type: ResourceType): Writer {
  type.writer ??= chooseWriter(app, type)
  return type.writer
}

function chooseWriter(app: App, type: ResourceType): Writer {
  const reason = findReason(app, type)
  return { statements: reason === null ? app.store.statements : null, reason }
}

/** Why rows of a type are written as entities. Null if statements write them. */
function findReason(app: App, type: ResourceType): string | null {
  const { declaration, persister, attributes, relations } = type
  if (persister !== app.store.persister) return 'the type has a persister of its own'
  if (declaration.writer === 'entities') return "the type declares writer: 'entities'"
  if ((declaration as { hydrator?: Hydrator<object> }).hydrator) return 'the type has a hydrator'
  const filled = attributes.find(isFilled)
  if (filled) return `the attribute '${filled.name}' has ${filled.fill ? 'fillUsing()' : 'on()'}`
  const gated = relations.find(isGated)
  if (gated) return `a function decides whether '${gated.name}' may change`
  return findStep(app, type) ?? app.store.statements.entityWriterReason(type)
}

function isFilled({ fill, on }: Attribute): boolean {
  return fill !== null || on !== null
}

function isGated({ cannotReplace, cannotAdd, cannotRemove }: Relation): boolean {
  return [cannotReplace, cannotAdd, cannotRemove].some((rule) => typeof rule === 'function')
}

const kindsOfResource = { Create: 'collection', Update: 'resource', Delete: 'resource' } as const
const kindsOfRelationship = ['UpdateRelationship', 'AddToRelationship', 'RemoveFromRelationship'] as const

/** A step of a plugin that receives entities. */
function findStep(app: App, type: ResourceType): string | null {
  const query = createQuery({ type })
  for (const server of app.servers) {
    if (server.types.get(type.name) !== type) continue
    const find = (kind: OperationKind, shape: 'collection' | 'resource' | 'relationship', relation?: Relation) => {
      const target = { kind: shape, type, ...(relation && { relation }) }
      const { write, plugins } = app.plans.ofQuery(app, { server, kind, target, profiles: null }, query)
      return write.entityStage && `${plugins[write.entityStage].join(' and ')} adds a step to ${write.entityStage}`
    }
    for (const [kind, shape] of Object.entries(kindsOfResource)) {
      const found = find(kind as OperationKind, shape)
      if (found) return found
    }
    for (const relation of type.relations) {
      for (const kind of kindsOfRelationship) {
        const found = find(kind, 'relationship', relation)
        if (found) return found
      }
    }
  }
  return null
}
