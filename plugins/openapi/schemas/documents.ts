import { isPolymorphic, type Relation, type ResourceType } from '#kernel/plugin'
import type { DescribedDocument, Schema } from '#openapi'
import type { DraftState } from '../draft-state.ts'
import { byType, linkageSchema } from './linkage.ts'
import { describeResource } from './resources.ts'

/** The document of one resource. */
export function describeResourceDocument(type: ResourceType, state: DraftState): Schema {
  return describeDocument(`${state.nameOf(type)}Document`, [type], describeResource(type, state), 'resource', state)
}

export function describeCollectionDocument(type: ResourceType, state: DraftState): Schema {
  const data = { type: 'array', items: describeResource(type, state) }
  return describeDocument(`${state.nameOf(type)}Collection`, [type], data, 'collection', state)
}

/** The document of a related URL: a resource or null, a collection, or one of several types. */
export function relatedDocument(relation: Relation, state: DraftState): Schema {
  const { targets, target, toMany, owner } = relation
  if (toMany && !isPolymorphic(relation)) return describeCollectionDocument(target, state)
  const name = state.nameOf(owner, relation.name)
  const one = byType(targets.map((type) => [type, describeResource(type, state)]))
  return toMany
    ? describeDocument(`${name}RelatedCollection`, targets, { type: 'array', items: one }, 'collection', state)
    : describeDocument(`${name}RelatedDocument`, targets, { anyOf: [one, { type: 'null' }] }, 'resource', state)
}

/** The document with the linkage of a relationship. */
export function relationshipDocument(relation: Relation, state: DraftState): Schema {
  const name = `${state.nameOf(relation.owner, relation.name)}RelationshipDocument`
  const data = linkageSchema(relation, 'response', state)
  return describeDocument(name, relation.targets, data, relation.toMany ? 'identifiers' : 'identifier', state)
}

/** The document with `data: null`. */
export function emptyDocument(state: DraftState): Schema {
  return describeDocument('EmptyDocument', [], { type: 'null' }, 'nothing', state)
}

/** Adds a document component; plugins may add members. */
function describeDocument(
  name: string,
  types: readonly ResourceType[],
  data: Schema,
  kind: DescribedDocument['data'],
  state: DraftState,
): Schema {
  return state.component(name, () => {
    const schema = {
      type: 'object',
      properties: {
        data,
        links: { ...state.refer('Links'), required: ['self'] },
        jsonapi: state.refer('JsonApi'),
      },
      required: ['data', 'links', 'jsonapi'],
    }
    const total = { type: 'integer', minimum: 0, description: 'The size of the collection, if it was counted.' }
    const isList = kind === 'collection' || kind === 'identifiers'
    state.documents.push({ name, data: kind, types, schema, meta: isList ? { total } : {} })
    return schema
  })
}
